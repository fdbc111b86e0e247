/** Rows in the order of their prefixes, IPv4 before IPv6: the daemon sends them in the order of its table. */
import { compareBytes } from '../../../core/net/address.js';
import { type Prefix, parsePrefix } from '../../../core/net/prefix.js';

/** Parsing is slow; a table longer than this stays as it came. */
const SORTABLE = 50_000;

export function byPrefix<Row extends Prefixed>(rows: readonly Row[]): Row[] {
  if (rows.length > SORTABLE) return [...rows];
  const keyed = rows.map((row) => ({ row, prefix: parsePrefix(row.prefix) }));
  return keyed.sort((a, b) => comparePrefixes(a.prefix, b.prefix)).map(({ row }) => row);
}

/** The same for rows that come some at a time: what is longer than can be sorted is not held. No piece is empty. */
export async function* piecesByPrefix<Row extends Prefixed>(
  pieces: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let held: Row[] | undefined = [];
  for await (const piece of pieces) {
    if (!held) {
      if (piece.length > 0) yield piece;
      continue;
    }
    held.push(...piece);
    if (held.length <= SORTABLE) continue;
    yield held;
    held = undefined;
  }
  if (held && held.length > 0) yield byPrefix(held);
}

interface Prefixed {
  readonly prefix: string;
}

function comparePrefixes(a: Prefix | undefined, b: Prefix | undefined): number {
  if (!a || !b) return 0;
  if (a.address.length !== b.address.length) return a.address.length - b.address.length;
  return compareBytes(a.address, b.address) || a.length - b.length;
}
