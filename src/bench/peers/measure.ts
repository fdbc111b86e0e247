/** One workload at one router: its steps in order, each until the router is quiet and everybody has been told everything. */
import { setTimeout as pause } from 'node:timers/promises';
import { LabError } from '../../app/lab/command.js';
import { now } from '../../app/lab/monotonic.js';
import { poll } from '../../app/lab/poll.js';
import { cpuSeconds, peakMemory } from '../common/usage.js';
import type { Counts } from './generator.js';
import { Generator } from './generator.js';
import { routerAddress, sessionEnd } from './plan.js';
import { Quiet } from './quiet.js';
import type { Stage } from './stage.js';
import type { Subject } from './subject.js';
import { type Step, toldRoutes, type Workload } from './workloads.js';

/** Seconds; short enough to see KEEPALIVEs come late. */
const HOLD_TIME = 9;
/** Milliseconds. */
const LOOK = 20;
const PATIENCE = 120_000;
/** After the sessions are up: End-of-RIB and other first words are over by then. */
const BEFORE = 1_000;

export interface StepResult {
  readonly step: Step;
  /** Seconds from the first octet until the router was quiet. */
  readonly wall: number;
  /** Seconds from the first octet until the last listener had been told all; without listeners there is none. */
  readonly told?: number;
  /** Seconds of CPU, all its processes. */
  readonly cpu: number;
  /** Mebibytes, since its start. */
  readonly memory: number;
  /** Milliseconds that messages of the router came late during the step, at the worst. */
  readonly lateness: number;
}

export interface Measured {
  readonly subject: Subject;
  readonly workload: Workload;
  readonly stage: Stage;
  readonly signal: AbortSignal;
}

/** Throws LabError when the router loses routes or sessions, or is not done in time. */
export async function measureWorkload({ subject, workload, stage, signal }: Measured): Promise<readonly StepResult[]> {
  const { senders, listeners, table } = workload;
  const { family } = table;
  const sessions = senders + listeners;
  const generator = new Generator(stage.generator, {
    target: routerAddress(family),
    holdTime: HOLD_TIME,
    sessions: Array.from({ length: sessions }, (_, index) => ({
      ...sessionEnd(family, index + 1),
      ...(index < senders && { table }),
    })),
  });
  const end = () => generator.end();
  signal.addEventListener('abort', end);
  try {
    await subject.start({ family, sessions, exports: listeners > 0, holdTime: HOLD_TIME });
    await generator.connect();
    await pause(BEFORE, undefined, { signal });
    const results: StepResult[] = [];
    for (const step of workload.steps) results.push(await measureStep({ subject, workload, generator, signal }, step));
    return results;
  } finally {
    signal.removeEventListener('abort', end);
    generator.end();
    await subject.stop();
  }
}

interface Running {
  readonly subject: Subject;
  readonly workload: Workload;
  readonly generator: Generator;
  readonly signal: AbortSignal;
}

async function measureStep({ subject, workload, generator, signal }: Running, step: Step): Promise<StepResult> {
  const pids = subject.pids();
  if (pids.length === 0) throw new LabError(`${subject.name} does not run any more`);
  const before = { cpu: cpuSeconds(pids), counts: await generator.counts() };
  const start = now();
  const quiet = new Quiet(start);
  const sending = generator.send(step);
  const isQuiet = () => {
    signal.throwIfAborted();
    return quiet.look(now(), cpuSeconds(pids));
  };
  if (!(await poll(isQuiet, { timeout: PATIENCE, interval: LOOK })))
    throw new LabError(`${subject.name} was not done after ${PATIENCE / 1000} s`);
  const { from } = await sending;
  const counts = await toldAll({ subject, workload, generator, signal }, step, before.counts);
  await checkKept({ subject, workload, generator, signal }, step, counts);
  return {
    step,
    wall: (Math.max(quiet.doneAt, from) - from) / 1000,
    ...(workload.listeners > 0 && { told: (counts.last - from) / 1000 }),
    cpu: cpuSeconds(pids) - before.cpu,
    memory: peakMemory(pids),
    lateness: Math.max(0, ...counts.lateness),
  };
}

/** Waits until the listeners have heard of every prefix. */
async function toldAll({ subject, workload, generator, signal }: Running, step: Step, before: Counts): Promise<Counts> {
  const wanted = toldRoutes(workload);
  let counts = await generator.counts();
  const lateness = [...counts.lateness];
  const told = () => (step === 'announce' ? counts.announced - before.announced : counts.withdrawn - before.withdrawn);
  const isTold = async () => {
    signal.throwIfAborted();
    if (told() >= wanted) return true;
    counts = await generator.counts();
    lateness.push(...counts.lateness);
    return told() >= wanted;
  };
  if (await poll(isTold, { timeout: PATIENCE, interval: LOOK })) return { ...counts, lateness };
  throw new LabError(`${subject.name} told ${told()} of ${wanted} routes`);
}

async function checkKept({ subject, workload }: Running, step: Step, { lost }: Counts): Promise<void> {
  if (lost > 0) throw new LabError(`${subject.name} ended ${lost} session${lost === 1 ? '' : 's'}`);
  const wanted = step === 'announce' ? workload.table.prefixes : 0;
  const has = await subject.prefixes();
  if (has !== wanted) throw new LabError(`${subject.name} has ${has} prefixes where ${wanted} were announced`);
}
