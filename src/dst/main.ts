/**
 * `npm run dst`: whole fabrics on virtual time, with faults drawn from seeds. Exit code 1 when an invariant was violated.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { writePart } from '../app/document-part.js';
import { LabError } from '../app/lab/command.js';
import { type DstCommand, dstCommand, USAGE } from './command-line.js';
import { drawScenario } from './draw.js';
import { RealStage } from './real/real-stage.js';
import { runOn, runScenario } from './run-scenario.js';
import { faultCount, type Scenario } from './scenario.js';
import { SeedRun } from './seed-run.js';
import { shrink } from './shrink.js';
import { WorkerPool } from './worker-pool.js';

/** What the command line names is not there. */
class NoScenario extends Error {}

function scenarioOf({ events, from, options }: DstCommand): Scenario {
  if (events === undefined) return drawScenario(from, options);
  try {
    const scenario: Scenario = JSON.parse(readFileSync(events, 'utf8'));
    return scenario;
  } catch (error) {
    throw new NoScenario(`${events}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function replay(command: DstCommand): Promise<number> {
  const { violations, digest, messages } = await runScenario(scenarioOf(command), console.log);
  console.log(`${messages} messages, digest ${digest}, ${violations.length} violations`);
  return violations.length > 0 ? 1 : 0;
}

async function replayReally(command: DstCommand): Promise<number> {
  const stage = new RealStage(scenarioOf(command), { trace: console.log });
  const built = stage.build();
  const end = () => void built.then(() => stage.stop()).finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  await built;
  const slowest = await runOn(stage);
  const seconds = (time: number) => (time / 1000).toFixed(1);
  console.log(
    `${seconds(stage.now)} s, at most ${seconds(slowest)} s after an episode, ${stage.violations.length} violations`,
  );
  return stage.violations.length > 0 ? 1 : 0;
}

async function shrunk(command: DstCommand, pool: WorkerPool): Promise<number> {
  const scenario = scenarioOf(command);
  const [first] = (await pool.run(scenario)).violations;
  if (!first) {
    console.log('nothing is violated');
    return 0;
  }
  let runs = 0;
  const smallest = await shrink(scenario, async (candidate) => {
    const { violations } = await pool.run(candidate);
    const fails = violations.some(({ invariant }) => invariant === first.invariant);
    console.error(`run ${++runs}: ${faultCount(candidate)} faults, ${fails ? 'fails' : 'holds'}`);
    return fails;
  });
  const text = `${JSON.stringify({ name: first.detail, ...smallest }, undefined, 2)}\n`;
  if (command.write === undefined) console.log(text);
  else writeFileSync(command.write, text);
  return 1;
}

async function runSeeds(command: DstCommand, pool: WorkerPool): Promise<number> {
  const run = new SeedRun(command, pool, console.log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      run.stopped = true;
    });
  await run.run();
  const text = run.report(['npm run dst --', ...process.argv.slice(2)].join(' '));
  if (command.report === undefined) console.log(text);
  else writePart(command.report, 'seeds', text);
  return run.failures.length > 0 ? 1 : 0;
}

function commandGiven(): DstCommand | 'help' {
  try {
    return dstCommand(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    console.error(USAGE);
    process.exit(2);
  }
}

async function main(command: DstCommand): Promise<number> {
  if (command.does === 'replay') return command.real ? replayReally(command) : replay(command);
  const pool = new WorkerPool(command.jobs);
  try {
    return await (command.does === 'shrink' ? shrunk(command, pool) : runSeeds(command, pool));
  } finally {
    pool.close();
  }
}

const given = commandGiven();
if (given === 'help') console.log(USAGE);
else
  process.exitCode = await main(given).catch((error: unknown) => {
    if (!(error instanceof LabError || error instanceof NoScenario)) throw error;
    console.error(error.message);
    return error instanceof LabError ? 1 : 2;
  });
