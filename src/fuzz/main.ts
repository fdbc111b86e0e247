/**
 * `npm run fuzz`: mutated UPDATEs, whole sessions and inputs of every other decoder, until it is stopped or what was asked for is
 * done. Exit code 1 when something was found.
 */
import { writePart } from '../app/document-part.js';
import { type FuzzCommand, fuzzCommand, USAGE } from './command-line.js';
import { reportOf } from './report.js';
import { FuzzRun, type RunPlan } from './run.js';

async function fuzz({ plan, coverage, report }: FuzzCommand): Promise<void> {
  const run = runOf(plan);
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

function runOf(plan: RunPlan): FuzzRun {
  try {
    return new FuzzRun(plan, console.log);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

function commandGiven(): FuzzCommand | 'help' {
  try {
    return fuzzCommand(process.argv.slice(2), Date.now() % 1_000_000);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    console.error(USAGE);
    process.exit(2);
  }
}

const given = commandGiven();
if (given === 'help') console.log(USAGE);
else await fuzz(given);
