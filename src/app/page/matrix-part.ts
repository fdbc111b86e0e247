/** A part of the matrix of prefixes and uplinks. A table may have a million rows: they are walked some at a time, so that nothing else waits. */
import { setImmediate as turn } from 'node:timers/promises';
import type { MatrixQuery } from '../../edge/control/page/page-server.js';
import type { MatrixPart } from '../../edge/control/page/shapes.js';
import type { FabricRow, FabricStream } from '../../edge/control/schema.js';

/** Rows between two turns of the event loop. */
const SLICE = 50;
/** Looked through for one answer. */
const MOST_LOOKED = 20_000;

export async function matrixPart(
  { uplinks, rows }: FabricStream,
  { from, count, find }: MatrixQuery,
): Promise<MatrixPart> {
  const found: FabricRow[] = [];
  let place = 0;
  for (const row of rows) {
    if (place >= from && row.prefix.includes(find)) {
      if (found.length === count) return { uplinks: [...uplinks], rows: found, next: place };
      found.push(row);
    }
    place++;
    if (place >= from + MOST_LOOKED) return { uplinks: [...uplinks], rows: found, next: place };
    if (place % SLICE === 0) await turn();
  }
  return { uplinks: [...uplinks], rows: found, next: null };
}
