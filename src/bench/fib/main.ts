/**
 * `npm run bench:fib`: what forwarding does when something happens, heddle beside FRR and BIRD on the same links and the kernel
 * left to itself. Rounds go in turn through all of them, so that a slow minute of the machine hits everybody.
 */
import { writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { LabError } from '../../app/lab/command.js';
import { requirePeers } from '../../app/lab/peers.js';
import { birdSubject } from './bird-subject.js';
import { frrSubject } from './frr-subject.js';
import { Ground } from './ground.js';
import { heddleSubject } from './heddle-subject.js';
import { imbalance } from './imbalance.js';
import { install } from './install.js';
import { localFailure } from './local-failure.js';
import { type Options, parseOptions, USAGE } from './options.js';
import { remoteFailure } from './remote-failure.js';
import { restart } from './restart.js';
import { Results, type RowName } from './results.js';
import type { Row } from './row.js';
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
  if (options.peers.length > 0) requirePeers();
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => interruption.abort(new LabError(`${signal}: all is taken down`)));
  const started = performance.now();
  const say = (text: string) =>
    console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const stage = await Stage.build(options.name);
  const ground = new Ground(stage, interruption.signal);
  try {
    const subjects = await chooseSubjects(stage, options);
    const results = await measure({ options, ground, subjects, say });
    const text = reportOf({ options, subjects, results, seconds: (performance.now() - started) / 1000 });
    console.log(`\n${text}`);
    if (options.report !== undefined) writeFileSync(options.report, text);
  } finally {
    ground.end();
    await stage.tearDown();
  }
}

async function chooseSubjects({ lab }: Stage, { peers }: Options): Promise<readonly Subject[]> {
  const others = peers.map((peer) => (peer === 'frr' ? frrSubject(lab) : birdSubject(lab, peer)));
  return [heddleSubject(lab), ...(await Promise.all(others))];
}

interface Work {
  readonly options: Options;
  readonly ground: Ground;
  readonly subjects: readonly Subject[];
  readonly say: (text: string) => void;
}

async function measure({ options, ground, subjects, say }: Work): Promise<Results> {
  const results = new Results();
  for (let round = 1; round <= options.rounds; round++) {
    for (const row of options.rows) {
      await ROW_WORK[row]({
        ground,
        subjects,
        round,
        quick: options.quick,
        report: (measurement) => results.add({ ...measurement, row }),
        say: (text) => say(`round ${round}, ${row}: ${text}`),
      });
    }
  }
  return results;
}

interface Report {
  readonly options: Options;
  readonly subjects: readonly Subject[];
  readonly results: Results;
  readonly seconds: number;
}

function reportOf({ options, subjects, results, seconds }: Report): string {
  const [cpu] = cpus();
  const peers = subjects.slice(1).map(({ name }) => name);
  return [
    '# Forwarding, measured side by side',
    '',
    `\`npm run bench:fib\`, ${options.rounds} rounds in ${seconds.toFixed(0)} s, medians [least-most].`,
    `${subjects.map(({ version }) => version).join('; ')}; Linux ${release()}; ${cpus().length} x ${cpu?.model.trim() ?? 'CPU'}.`,
    '',
    ...renderResults(results, judge(results, peers)),
  ].join('\n');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  if (!(error instanceof LabError)) console.error(USAGE);
  process.exitCode = 1;
});
