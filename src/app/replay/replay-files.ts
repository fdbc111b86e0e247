/** Captures and MRT files together, in the order of time: what was recorded about one router in several ways. */
import type { MrtFile } from '../../core/wire/mrt/read-mrt.js';
import type { Capture } from '../../core/wire/pcap/capture.js';
import { replayCaptures } from './replay-captures.js';
import type { ReplayEvent } from './replay-event.js';
import { replayMrt } from './replay-mrt.js';

export type ReplayFile = Capture | MrtFile;

export function replayFiles(files: readonly ReplayFile[], options: { readonly port: number }): ReplayEvent[] {
  const numbered = files.map((file, index) => ({ file, index }));
  const captures = numbered.filter((of): of is { file: Capture; index: number } => of.file.format !== 'mrt');
  const events = replayCaptures(
    captures.map(({ file }) => file),
    options,
  ).map((event) => ({ ...event, capture: captures[event.capture]!.index }));
  let merged: ReplayEvent[] = events;
  for (const { file, index } of numbered) {
    if (file.format === 'mrt') merged = mergedByTime(merged, replayMrt(file, index, connections(merged) + 1));
  }
  return merged;
}

/** The highest number of a connection. */
function connections(events: readonly ReplayEvent[]): number {
  let highest = 0;
  for (const { content } of events) if ('connection' in content) highest = Math.max(highest, content.connection.id);
  return highest;
}

/** File order within each list; the earlier head goes first. */
function mergedByTime(first: readonly ReplayEvent[], second: readonly ReplayEvent[]): ReplayEvent[] {
  const merged: ReplayEvent[] = [];
  let at = 0;
  for (const event of second) {
    while (at < first.length && (first[at]!.time ?? 0n) <= (event.time ?? 0n)) merged.push(first[at++]!);
    merged.push(event);
  }
  return [...merged, ...first.slice(at)];
}
