/**
 * `npm run fuzz`: mutated UPDATEs, whole sessions and inputs of every other decoder, until it is stopped or what was asked for is
 * done. Exit code 1 when something was found.
 */
import { parseArgs } from 'node:util';
import { DECODERS } from './decoders.js';
import { reportOf, writePart } from './report.js';
import { FuzzRun, type RunPlan } from './run.js';

const USAGE = `usage: npm run fuzz -- [--seed N] [--updates N] [--sessions N] [--inputs N] [--decoder NAME] [--minutes M] [--coverage] [--report FILE]
decoders: ${DECODERS.map(({ name }) => name).join(', ')}`;

const OPTIONS = {
  seed: { type: 'string' },
  updates: { type: 'string' },
  sessions: { type: 'string' },
  inputs: { type: 'string' },
  decoder: { type: 'string' },
  minutes: { type: 'string' },
  report: { type: 'string' },
  coverage: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof read>['values'];

function read() {
  return parseArgs({ options: OPTIONS });
}

function numberOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`"${text}" is no number of something`);
  return value;
}

/** What is not asked for by count is left out, once anything is. */
function planOf(values: Values): RunPlan {
  const { decoder, updates, sessions, inputs } = values;
  if (decoder !== undefined && !DECODERS.some(({ name }) => name === decoder)) throw new Error(`no decoder ${decoder}`);
  const counted = updates !== undefined || sessions !== undefined || inputs !== undefined || decoder !== undefined;
  const rest = counted ? 0 : Number.POSITIVE_INFINITY;
  return {
    seed: numberOf(values.seed, Date.now() % 1_000_000),
    updates: numberOf(updates, rest),
    sessions: numberOf(sessions, rest),
    inputs: numberOf(inputs, decoder === undefined ? rest : Number.POSITIVE_INFINITY),
    decoder,
    minutes: numberOf(values.minutes, Number.POSITIVE_INFINITY),
  };
}

async function fuzz(values: Values): Promise<void> {
  const { coverage, report } = values;
  const run = new FuzzRun(planOf(values), console.log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      run.stopped = true;
    });
  process.on('unhandledRejection', (reason) => {
    run.finds.add('a rejection that nobody handles', 'run', { detail: String(reason), input: '' });
  });
  console.log(`seed ${run.plan.seed}`);
  if (coverage) await run.measureCoverage();
  await run.run();
  const text = reportOf(run, ['npm run fuzz --', ...process.argv.slice(2)].join(' '));
  if (report === undefined) console.log(text);
  else writePart(report, 'fuzzing', text);
  process.exitCode = run.finds.count > 0 ? 1 : 0;
}

let values: Values;
try {
  values = read().values;
  planOf(values);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  console.error(USAGE);
  process.exit(2);
}
await fuzz(values);
