/** What `npm run dst` was asked for. */
import { parseArgs } from 'node:util';
import type { DrawOptions } from './draw.js';

export const USAGE = `usage: npm run dst -- [OPTIONS]

  --seeds N        scenarios to run; default 100
  --from S         the first seed; default 1
  --faults N       faults in each; default 50
  --fabric SxL     spines and leaves; default 4x8
  --jobs N         worker processes; default 1
  --report FILE    write the result into FILE, as the part of a page
  --replay SEED    run one and print all that happens
  --shrink SEED    find the fewest faults with which it still fails, and print them as JSON
  --events FILE    the scenario of a file, with --replay or --shrink in place of a seed
  --write FILE     write what --shrink found into FILE instead of printing it
  --help           print this

Examples:
  npm run dst -- --seeds 10000 --jobs 2
  npm run dst -- --replay 4711
  npm run dst -- --shrink 4711 --write test/dst/regressions/stale-after-reset.json
  npm run dst -- --replay --events test/dst/regressions/stale-after-reset.json

Exit codes: 0 nothing violated, 1 something was, 2 wrong command line.`;

const OPTIONS = {
  seeds: { type: 'string', default: '100' },
  from: { type: 'string', default: '1' },
  faults: { type: 'string', default: '50' },
  fabric: { type: 'string', default: '4x8' },
  jobs: { type: 'string', default: '1' },
  report: { type: 'string' },
  replay: { type: 'boolean', default: false },
  shrink: { type: 'boolean', default: false },
  events: { type: 'string' },
  write: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

export interface DstCommand {
  readonly does: 'run' | 'replay' | 'shrink';
  readonly options: DrawOptions;
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
  readonly report?: string | undefined;
  readonly events?: string | undefined;
  readonly write?: string | undefined;
}

/** Throws with what is wrong. */
export function dstCommand(words: readonly string[]): DstCommand | 'help' {
  const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  if (values.help) return 'help';
  const { replay, shrink, events, report, write } = values;
  if (replay && shrink) throw new Error('--replay and --shrink exclude each other');
  const single = replay || shrink;
  if (!single && (events !== undefined || positionals.length > 0))
    throw new Error(`${events === undefined ? positionals[0] : '--events'} goes with --replay or --shrink`);
  if (single && positionals.length + (events === undefined ? 0 : 1) !== 1)
    throw new Error(`${replay ? '--replay' : '--shrink'} takes one seed, or a file with --events`);
  const [spines, leaves] = fabricOf(values.fabric);
  return {
    does: replay ? 'replay' : shrink ? 'shrink' : 'run',
    options: { spines, leaves, faults: numberOf('--faults', values.faults, 0) },
    from: numberOf(single ? 'the seed' : '--from', positionals[0] ?? values.from, 0),
    seeds: numberOf('--seeds', values.seeds, 1),
    jobs: numberOf('--jobs', values.jobs, 1),
    report,
    events,
    write,
  };
}

function fabricOf(text: string): [number, number] {
  const match = /^(\d+)x(\d+)$/.exec(text);
  const [spines, leaves] = [Number(match?.[1]), Number(match?.[2])];
  if (match && spines >= 1 && spines <= 16 && leaves >= 2 && leaves <= 64) return [spines, leaves];
  throw new Error(`--fabric ${text}: expected SPINESxLEAVES such as 4x8, 1 to 16 spines and 2 to 64 leaves`);
}

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`${name} ${text}: expected a whole number from ${least}`);
}
