/** What `npm run fuzz` was asked for. */
import { parseArgs } from 'node:util';
import { wholeNumber } from '../app/option-values.js';
import { DECODERS } from './decoders.js';
import type { RunPlan } from './run.js';

export const USAGE = `usage: npm run fuzz -- [OPTIONS]

  --seed N         the same inputs every time; default: another every time, which is printed
  --minutes M      end after so long; default: run until stopped
  --updates N      mutated UPDATEs
  --sessions N     whole sessions
  --inputs N       inputs of the other decoders
  --frames N       frames for the eBPF plane, by the kernel and by our interpreter; takes root
  --decoder NAME   one decoder alone: ${DECODERS.map(({ name }) => name).join(', ')}
  --coverage       measure first how much of the code the inputs of this seed reach
  --report FILE    write the result into FILE instead of printing it
  --help           print this

What is not asked for by count is left out, once anything is.

Examples:
  npm run fuzz
  npm run fuzz -- --minutes 10 --seed 7606
  npm run fuzz -- --updates 20000000 --sessions 2000000 --report docs/robustness.md
  npm run fuzz -- --decoder netlink --inputs 100000
  sudo npm run fuzz -- --frames 1000000

Exit codes: 0 nothing found, 1 something found, 2 wrong command line.`;

const OPTIONS = {
  seed: { type: 'string' },
  updates: { type: 'string' },
  sessions: { type: 'string' },
  inputs: { type: 'string' },
  frames: { type: 'string' },
  decoder: { type: 'string' },
  minutes: { type: 'string' },
  report: { type: 'string' },
  coverage: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export interface FuzzCommand {
  readonly plan: RunPlan;
  readonly coverage: boolean;
  readonly report?: string | undefined;
}

/** `seed` is for a run that names none. Throws with what is wrong. */
export function fuzzCommand(words: readonly string[], seed: number): FuzzCommand | 'help' {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  if (values.help) return 'help';
  const { decoder, updates, sessions, inputs, frames, coverage, report } = values;
  if (decoder !== undefined && !DECODERS.some(({ name }) => name === decoder)) throw new Error(`no decoder ${decoder}`);
  const counted = [updates, sessions, inputs, frames, decoder].some((given) => given !== undefined);
  const rest = counted ? 0 : Number.POSITIVE_INFINITY;
  const plan = {
    seed: count('seed', values.seed, seed),
    updates: count('updates', updates, rest),
    sessions: count('sessions', sessions, rest),
    inputs: count('inputs', inputs, decoder === undefined ? rest : Number.POSITIVE_INFINITY),
    frames: count('frames', frames, rest),
    decoder,
    minutes: minutesOf(values.minutes),
  };
  return { plan, coverage, report };
}

function count(option: string, text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : wholeNumber(option, text, { least: 0 });
}

/** Parts of one too. */
function minutesOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`--minutes ${text}: expected a number of minutes`);
  return value;
}
