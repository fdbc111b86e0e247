/** What `npm run dst` was asked for. */
import { parseArgs } from 'node:util';
import { wholeNumber } from '../app/option-values.js';
import { DIMENSIONS, type DrawOptions, EXTRAS } from './draw.js';

export const USAGE = `usage: npm run dst -- [OPTIONS]

  --seeds N        scenarios to run; default 100
  --from S         the first seed; default 1
  --faults N       faults in each; default 50
  --fabric SxL     spines and leaves; default 4x8
  --also KINDS     faults drawn beside the others, comma between: ${EXTRAS.join(', ')}
  --dimensions D   what all fabrics have beside, comma between: ${DIMENSIONS.join(', ')}
  --jobs N         worker processes; default 1
  --report FILE    write the result into FILE, as the part of a page
  --replay SEED    run one and print all that happens
  --shrink SEED    find the fewest faults with which it still fails, and print them as JSON
  --real           with --replay: on daemons in network namespaces, in real time (root, Linux)
  --events FILE    the scenario of a file, with --replay or --shrink in place of a seed
  --write FILE     write what --shrink found into FILE instead of printing it
  --help           print this

Examples:
  npm run dst -- --seeds 10000 --jobs 2
  npm run dst -- --seeds 200 --fabric 2x4 --dimensions links,ipv4
  npm run dst -- --replay 4711
  npm run dst -- --shrink 4711 --write test/dst/regressions/stale-after-reset.json
  npm run dst -- --replay --events test/dst/regressions/stale-after-reset.json
  npm run dst -- --replay --real --events test/dst/regressions/stale-after-reset.json

Exit codes: 0 nothing violated, 1 something was, 2 wrong command line.`;

const OPTIONS = {
  seeds: { type: 'string', default: '100' },
  from: { type: 'string', default: '1' },
  faults: { type: 'string', default: '50' },
  fabric: { type: 'string', default: '4x8' },
  also: { type: 'string', default: '' },
  dimensions: { type: 'string', default: '' },
  jobs: { type: 'string', default: '1' },
  report: { type: 'string' },
  replay: { type: 'boolean', default: false },
  real: { type: 'boolean', default: false },
  shrink: { type: 'boolean', default: false },
  events: { type: 'string' },
  write: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

export interface DstCommand {
  readonly does: 'run' | 'replay' | 'shrink';
  /** Over namespaces. */
  readonly real: boolean;
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
  const { replay, shrink, real, events, report, write } = values;
  if (replay && shrink) throw new Error('--replay and --shrink exclude each other');
  if (real && !replay) throw new Error('--real goes with --replay');
  const does = replay ? 'replay' : shrink ? 'shrink' : 'run';
  const single = does !== 'run';
  if (!single && (events !== undefined || positionals.length > 0))
    throw new Error(`${events === undefined ? positionals[0] : '--events'} goes with --replay or --shrink`);
  if (single && positionals.length + (events === undefined ? 0 : 1) !== 1)
    throw new Error(`--${does} takes one seed, or a file with --events`);
  const [spines, leaves] = fabricOf(values.fabric);
  const dimensions = wordsOf('dimensions', values.dimensions, DIMENSIONS);
  if (dimensions.includes('stages') && dimensions.includes('links'))
    throw new Error('--dimensions: links and stages exclude each other');
  return {
    does,
    real,
    options: {
      spines,
      leaves,
      faults: wholeNumber('faults', values.faults, { least: 0 }),
      also: wordsOf('also', values.also, EXTRAS),
      dimensions,
    },
    from: wholeNumber(single ? does : 'from', positionals[0] ?? values.from, { least: 0 }),
    seeds: wholeNumber('seeds', values.seeds, { least: 1 }),
    jobs: wholeNumber('jobs', values.jobs, { least: 1 }),
    report,
    events,
    write,
  };
}

/** Separated by commas. */
function wordsOf<Word extends string>(option: string, text: string, known: readonly Word[]): Word[] {
  return text
    .split(',')
    .filter((word) => word !== '')
    .map((word) => {
      const found = known.find((one) => one === word);
      if (found === undefined) throw new Error(`--${option} ${word}: expected ${known.join(', ')}`);
      return found;
    });
}

function fabricOf(text: string): [number, number] {
  const match = /^(\d+)x(\d+)$/.exec(text);
  const [spines, leaves] = [Number(match?.[1]), Number(match?.[2])];
  if (match && spines >= 1 && spines <= 16 && leaves >= 2 && leaves <= 64) return [spines, leaves];
  throw new Error(`--fabric ${text}: expected SPINESxLEAVES such as 4x8, 1 to 16 spines and 2 to 64 leaves`);
}
