/**
 * `npm run bench:fib`: what forwarding does when something happens, heddle beside FRR and BIRD on the same links and the kernel
 * left to itself. Rounds go in turn through all of them, so that a slow minute of the machine hits everybody.
 */

import { writePart } from '../../app/document-part.js';
import { installPeers } from '../../app/lab/peers.js';
import { runBenchmark } from '../common/command-line.js';
import { interruptible } from '../common/interruption.js';
import { machineText } from '../common/machine.js';
import { type Measurement, Results } from '../common/results.js';
import { birdSubject } from './bird-subject.js';
import { Budget } from './budget.js';
import { frrSubject } from './frr-subject.js';
import { Ground } from './ground.js';
import { heddleSubject } from './heddle-subject.js';
import { imbalance } from './imbalance.js';
import { install } from './install.js';
import { localFailure } from './local-failure.js';
import { type Options, parseOptions, USAGE } from './options.js';
import { remoteFailure } from './remote-failure.js';
import { restart } from './restart.js';
import type { Row } from './row.js';
import type { RowName } from './rows.js';
import { Stage } from './stage.js';
import type { Subject } from './subject.js';
import { renderResults } from './table.js';
import { judge } from './targets.js';

const ROW_WORK: Readonly<Record<RowName, Row>> = {
  a: localFailure,
  b: remoteFailure,
  c: install,
  d: restart,
  e: imbalance,
};

async function main(parameters: readonly string[]): Promise<void> {
  const options = parseOptions(parameters);
  if (options.peers.length > 0) installPeers();
  const interruption = interruptible();
  const started = performance.now();
  const say = (text: string) =>
    console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const stage = await Stage.build(options.name);
  const ground = new Ground(stage, interruption);
  try {
    const subjects = await chooseSubjects(stage, options);
    const budget = new Budget(() => (performance.now() - started) / 1000);
    const outcome = await measure({ options, ground, subjects, budget, say });
    const text = reportOf({ options, subjects, outcome, budget });
    console.log(`\n${text}`);
    if (options.report !== undefined) writePart(options.report, 'figures', text);
    if (outcome.failures.length > 0) process.exitCode = 1;
  } catch (error) {
    // What fails afterwards fails because of it.
    interruption.throwIfAborted();
    throw error;
  } finally {
    ground.end();
    await stage.tearDown();
  }
}

async function chooseSubjects({ lab }: Stage, { peers }: Options): Promise<readonly Subject[]> {
  const others = peers.map((peer) => (peer === 'frr' ? frrSubject(lab) : birdSubject(lab, peer)));
  return [heddleSubject(lab), ...(await Promise.all(others))];
}

interface Outcome {
  readonly results: Results<RowName>;
  /** What could not be measured, and why. */
  readonly failures: readonly string[];
}

interface Work {
  readonly options: Options;
  readonly ground: Ground;
  readonly subjects: readonly Subject[];
  readonly budget: Budget;
  readonly say: (text: string) => void;
}

async function measure({ options, ground, subjects, budget, say }: Work): Promise<Outcome> {
  const results = new Results<RowName>();
  const failures: string[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const row of options.rows) {
      if (!budget.hasTimeFor(row)) {
        say(`round ${round}, ${row}: left out, to be done within ${budget.minutes} minutes`);
        continue;
      }
      const context = {
        ground,
        subjects,
        round,
        quick: options.quick,
        report: (measurement: Omit<Measurement, 'row'>) => results.add({ ...measurement, row }),
        say: (text: string) => say(`round ${round}, ${row}: ${text}`),
        fail: (text: string) => {
          failures.push(`round ${round}, ${row}: ${text}`);
          say(`round ${round}, ${row}: FAILED: ${text}`);
        },
      };
      await budget.spend(row, () => ROW_WORK[row](context));
    }
  }
  return { results, failures };
}

interface Report {
  readonly options: Options;
  readonly subjects: readonly Subject[];
  readonly outcome: Outcome;
  readonly budget: Budget;
}

function reportOf({ options, subjects, outcome: { results, failures }, budget }: Report): string {
  const peers = subjects.slice(1).map(({ name }) => name);
  return [
    '## Figures',
    '',
    `\`npm run bench:fib\`, ${roundsText(options, budget)} in ${budget.elapsed.toFixed(0)} s, medians [least-most].`,
    `${subjects.map(({ version }) => version).join('; ')}; ${machineText()}.`,
    '',
    ...renderResults(results, judge(results, peers)),
    ...failures.map((failure) => `- **not measured**: ${failure}`),
  ].join('\n');
}

/** Rows that had no time for all rounds are named. */
function roundsText({ rows, rounds }: Options, budget: Budget): string {
  const fewer = rows.filter((row) => budget.rounds(row) < rounds).map((row) => `${row} ${budget.rounds(row)}`);
  return `${rounds} rounds${fewer.length === 0 ? '' : ` (row ${fewer.join(', row ')})`}`;
}

await runBenchmark(main, USAGE);
