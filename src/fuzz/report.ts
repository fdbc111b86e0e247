/** What a run did, as the part of docs/robustness.md that the run writes itself. */
import { execFileSync } from 'node:child_process';
import { DUE_NAMES } from './rfc7606-judge.js';
import type { FuzzRun } from './run.js';

const number = (value: number): string =>
  Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ',');
const mebibytes = (octets: number): string => (octets / 2 ** 20).toFixed(1);

function revision(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

/** Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

export function reportOf(run: FuzzRun, command: string): string {
  const { updates, sessions, decoders, frames, finds, heap, seconds, computing, coverage } = run;
  const row = (what: string, count: number, part: keyof typeof seconds) => [
    what,
    number(count),
    `${number(seconds[part])} s`,
    `${number(count / Math.max(seconds[part], 0.001))}/s`,
    `${number(count / Math.max(computing[part], 0.001))}/s`,
  ];
  const shown = heap.filter(
    (_, index) => index % Math.max(1, Math.floor(heap.length / 10)) === 0 || index === heap.length - 1,
  );
  return [
    `Command: \`${command}\`. Seed ${run.plan.seed}, revision ${revision()}, Node ${process.versions.node}, ${run.minutes.toFixed(1)} minutes, one core.`,
    '',
    ...table(
      ['mutated', 'count', 'time', 'rate', 'rate by computing time'],
      [
        row('UPDATEs', updates.count, 'updates'),
        row('whole sessions', sessions.count, 'sessions'),
        row('inputs of other decoders', decoders.count, 'inputs'),
        ...(frames ? [row('frames for the eBPF plane', frames.count, 'frames')] : []),
      ],
    ),
    '',
    `${number(updates.known)} of the UPDATEs and ${number(sessions.known)} of the sessions had an outcome that was known beforehand; all UPDATEs were judged.`,
    `Slowest UPDATE ${updates.target.slowest.toFixed(1)} ms, slowest other input ${decoders.slowest.toFixed(1)} ms, slowest batch of 48 sessions ${number(sessions.slowest)} ms of computing. UPDATEs told to healthy neighbours and judged: ${number(updates.target.told)}.`,
    '',
    ...table(
      ['due for the UPDATEs', 'count'],
      DUE_NAMES.map((name, due) => [name, number(updates.target.outcomes[due]!)]),
    ),
    '',
    ...table(
      ['sessions', 'count'],
      [...sessions.kinds].map(([kind, count]) => [kind, number(count)]),
    ),
    '',
    ...table(
      ['decoder', 'inputs', 'kinds of results'],
      decoders.tracks.map(({ decoder, count, interesting }) => [
        decoder.name,
        number(count),
        number(interesting.features),
      ]),
    ),
    '',
    ...table(
      ['UPDATEs', 'sessions', 'heap and typed arrays'],
      shown.map((sample) => [number(sample.updates), number(sample.sessions), `${mebibytes(sample.octets)} MiB`]),
    ),
    '',
    ...(coverage.length === 0
      ? []
      : [
          ...table(
            ['code run within the first minute', 'of its characters'],
            coverage.map(({ folder, characters, run: ran }) => [
              folder,
              `${((100 * ran) / Math.max(characters, 1)).toFixed(1)} %`,
            ]),
          ),
          '',
        ]),
    finds.count === 0 ? 'Finds: none.' : `Finds: ${finds.count}.`,
    ...[...finds.found.values()].flatMap(({ place, kind, detail, input, times }) => [
      '',
      `- ${place}: ${kind} (${times} times). ${detail.split('\n')[0]}`,
      ...(input ? ['', `      ${input.slice(0, 500)}`] : []),
    ]),
    '',
  ].join('\n');
}
