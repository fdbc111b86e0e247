/** How much of the product's code a piece of work runs, by V8's own count: shows whether mutations reach what they should. */
import { Session } from 'node:inspector/promises';

export interface FolderCoverage {
  readonly folder: string;
  /** Characters of the functions of its files, and how many of them ran. */
  readonly characters: number;
  readonly run: number;
}

const FOLDERS = ['core/wire/bgp', 'core/wire', 'core/rib', 'core/session', 'core/speaker'];

/** Coverage of what `work` runs; nothing that ran before counts. */
export async function coverageOf(work: () => void | Promise<void>): Promise<readonly FolderCoverage[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const sums = new Map(FOLDERS.map((folder) => [folder, { characters: 0, run: 0 }]));
  for (const { url, functions } of result) {
    const folder = FOLDERS.find((name) => new RegExp(`/(src|dist)/${name}/`).test(url));
    const sum = folder && sums.get(folder);
    if (!sum) continue;
    const { characters, run } = count(functions.flatMap(({ ranges }) => ranges));
    sum.characters += characters;
    sum.run += run;
  }
  return FOLDERS.map((folder) => ({ folder, ...sums.get(folder)! }));
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Inner ranges say more than those around them. */
function count(ranges: readonly Range[]): { characters: number; run: number } {
  const length = Math.max(0, ...ranges.map(({ endOffset }) => endOffset));
  const ran = new Uint8Array(length);
  for (const { startOffset, endOffset, count: times } of [...ranges].sort((a, b) => size(b) - size(a)))
    ran.fill(times > 0 ? 1 : 0, startOffset, endOffset);
  return { characters: length, run: ran.reduce((sum, one) => sum + one, 0) };
}

function size({ startOffset, endOffset }: Range): number {
  return endOffset - startOffset;
}
