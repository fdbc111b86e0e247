/** What transfers of RDMA subflows did to the uplinks: a bar for each uplink, the number that carried data, and the time. */
import { counted } from '../../../core/net/counted.js';
import type { TransferResult, UplinkShare } from '../../trial/rlb-trial.js';
import type { Paint } from './paint.js';
import { type Cell, type Row, table } from './table.js';

const BAR_WIDTH = 12;

export interface NamedTransfer {
  /** `seed 7`, `all healthy`. */
  readonly name: string;
  readonly result: TransferResult;
}

export function renderTransfers(transfers: readonly NamedTransfer[], paint: Paint): string[] {
  const uplinks = transfers[0]?.result.shares.map(({ uplink }) => uplink) ?? [];
  const columns = [
    { title: '' },
    ...uplinks.map(({ name }) => ({ title: name })),
    { title: 'LINKS USED', align: 'right' as const },
    { title: 'COMPLETED', align: 'right' as const },
  ];
  const rows = transfers.map(({ name, result }): Row => {
    const { shares, used, report } = result;
    const all = used === shares.length;
    return {
      cells: [
        name,
        ...shares.map((share) => bar(share, paint)),
        { text: `${used} of ${shares.length}`, style: all ? paint.good : paint.warn },
        `${report.milliseconds.toFixed(0)} ms`,
      ],
    };
  });
  return table(columns, rows, paint);
}

/** As long as the share; a full bar is everything on one link. */
function bar({ uplink, share }: UplinkShare, paint: Paint): Cell {
  const filled = Math.round(share * BAR_WIDTH);
  const text = `${'█'.repeat(filled)}${'·'.repeat(BAR_WIDTH - filled)} ${(100 * share).toFixed(0).padStart(3)} %`;
  return { text, style: paint.fabric(uplink.colour) };
}

/** How often so many links were used, and how often all of them are used by chance. */
export function hashingVerdict(results: readonly TransferResult[], links: number): string[] {
  const counts = Array.from({ length: links }, (_, index) => results.filter(({ used }) => used === index + 1).length);
  const seen = counts.flatMap((count, index) => (count === 0 ? [] : [`${index + 1} in ${count}`]));
  const chance = chanceOfAll(links);
  return [
    `Links used, of ${links}: ${seen.join(', ')} of ${counted(results.length, 'draw')}.`,
    `${links} flows hashed at random take ${links} different links in ${(100 * chance).toFixed(1)} % of all draws (${links}!/${links}^${links}).`,
  ];
}

/** N!/N^N: that N flows placed at random are on N different links. */
export function chanceOfAll(links: number): number {
  return Array.from({ length: links }, (_, index) => (index + 1) / links).reduce((product, one) => product * one, 1);
}
