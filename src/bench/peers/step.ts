/** One thing that happens to a router, measured until the router is quiet and everybody has been told. */
import { setTimeout as pause } from 'node:timers/promises';
import { LabError } from '../../app/lab/command.js';
import { now } from '../../app/lab/monotonic.js';
import { poll } from '../../app/lab/poll.js';
import { cpuSeconds, peakMemory } from '../common/usage.js';
import { whenQuiet } from '../common/when-quiet.js';
import type { Running } from './context.js';
import { FIGURE } from './figures.js';
import type { Counts } from './generator.js';
import { type Gap, latenessOf } from './lateness.js';
import { GivenUp } from './limit.js';
import type { Step } from './workloads.js';

/** Milliseconds. */
const LOOK = 20;
const PATIENCE = 120_000;
/** For routes that a router which stands still has not got yet. */
const PATIENCE_FOR_MORE = 20_000;
/** A KEEPALIVE of every watcher comes within that time, when it is not late. */
const KEEPALIVES = 1_000;

export interface StepWork {
  readonly step: Step;
  /** Makes it happen; resolves with when that was. */
  act(): Promise<number>;
  /** Prefixes that the listeners hear of in all. */
  readonly told: number;
  /** Prefixes that the router has afterwards. */
  readonly left: number;
}

/** Throws LabError when the router loses routes or sessions, or is not done in time. */
export async function measureStep(running: Running, work: StepWork): Promise<void> {
  const from = now();
  try {
    await measure(running, work);
  } catch (error) {
    const { reason } = running.signal;
    if (reason instanceof GivenUp) running.report(FIGURE.wall(work.step), (now() - from) / 1000, 'at-least');
    throw error;
  }
}

async function measure(running: Running, work: StepWork): Promise<void> {
  const { subject, generator, watchers, report } = running;
  const { step } = work;
  const pids = subject.pids();
  if (pids.length === 0) throw new LabError(`${subject.name} does not run any more`);
  const before = { cpu: cpuSeconds(pids), counts: await generator.counts() };
  await watchers.counts();
  const [from, doneAt] = await Promise.all([work.act(), whenDone(running, work)]);
  const end = Math.max(doneAt, from);
  const counts = await toldAll(running, work, before.counts);
  const watched = await watchedUntil(running, end);
  await checkKept(running, work, counts.lost + watched.lost);
  report(FIGURE.wall(step), (end - from) / 1000);
  if (work.told > 0) report(FIGURE.told(step), (counts.last - from) / 1000);
  report(FIGURE.cpu(step), cpuSeconds(pids) - before.cpu);
  report(FIGURE.memory(step), peakMemory(pids));
  const late = latenessOf(watched.gaps, end);
  report(FIGURE.late(step), late.p99);
  report(FIGURE.latest(step), Math.max(late.worst, latenessOf(counts.gaps, end).worst));
}

/** Resolves with when it stood still with all of its work done: FRR stands still at times while UPDATEs wait in its socket. */
async function whenDone({ subject, signal }: Running, { left }: StepWork): Promise<number> {
  let doneAt = 0;
  const isDone = async () => {
    doneAt = await whenQuiet(subject, signal);
    return (await subject.prefixes()) === left;
  };
  await poll(isDone, { timeout: PATIENCE_FOR_MORE, interval: LOOK });
  return doneAt;
}

/** Waits until the listeners have heard of every prefix. */
async function toldAll({ subject, generator, signal }: Running, work: StepWork, before: Counts): Promise<Counts> {
  const which = work.step === 'announce' || work.step === 'policy' ? 'announced' : 'withdrawn';
  const gaps: Gap[] = [];
  let counts = before;
  const isTold = async () => {
    signal.throwIfAborted();
    counts = await generator.counts();
    gaps.push(...counts.gaps);
    return counts[which] - before[which] >= work.told;
  };
  if (await poll(isTold, { timeout: PATIENCE, interval: LOOK })) return { ...counts, gaps };
  throw new LabError(`${subject.name} told ${counts[which] - before[which]} of ${work.told} routes`);
}

/** What the watchers saw, when each has heard of the router after its work. */
async function watchedUntil({ watchers, signal }: Running, end: number): Promise<Counts> {
  await pause(Math.max(0, end + KEEPALIVES - now()), undefined, { signal });
  return watchers.counts();
}

async function checkKept({ subject }: Running, { left }: StepWork, lost: number): Promise<void> {
  if (lost > 0) throw new LabError(`${subject.name} ended ${lost} session${lost === 1 ? '' : 's'}`);
  const has = await subject.prefixes();
  if (has !== left) throw new LabError(`${subject.name} has ${has} prefixes where ${left} were announced`);
}
