/**
 * A router with many unnumbered links, from cold: the links come up, neighbours find each other, sessions are established, and every
 * prefix comes into the router's kernel and to every other neighbour.
 */
import { LabError } from '../../app/lab/command.js';
import { now } from '../../app/lab/monotonic.js';
import { poll } from '../../app/lab/poll.js';
import { cpuSeconds, peakMemory } from '../common/usage.js';
import { type Context, HOLD_TIME } from './context.js';
import { FIGURE } from './figures.js';
import { FIRST_AS, unnumberedLinks } from './plan.js';
import { RouteEvents } from './route-events.js';
import { UnnumberedEnds } from './unnumbered-ends.js';
import type { UnnumberedWorkload } from './workloads.js';

const BLOCK = 0xfd02;
/** Milliseconds. */
const PATIENCE = 120_000;
const LOOK = 50;

export async function measureUnnumbered(context: Context, workload: UnnumberedWorkload): Promise<void> {
  const { subject, stage, signal } = context;
  const missing = subject.lacks?.discovery ?? subject.lacks?.kernel;
  if (missing !== undefined) return context.note(missing);
  const links = unnumberedLinks(workload.links);
  await stage.addLinks(links);
  const task = { firstAs: FIRST_AS, links, holdTime: HOLD_TIME, prefixes: workload.prefixes, block: BLOCK };
  const ends = new UnnumberedEnds(stage.generator, task);
  const events = new RouteEvents(stage.router, BLOCK);
  const end = () => {
    ends.end();
    events.end();
  };
  signal.addEventListener('abort', end);
  try {
    const setup = { family: 'ipv6', ends: [], holdTime: HOLD_TIME, exports: true, changeable: false } as const;
    await subject.start({ ...setup, links, kernel: true });
    await Promise.all([ends.ready(), events.ready()]);
    await measureFrom(context, workload, { ends, events });
  } finally {
    signal.removeEventListener('abort', end);
    end();
    await subject.stop();
    await stage.removeLinks(links);
  }
}

interface Watching {
  readonly ends: UnnumberedEnds;
  readonly events: RouteEvents;
}

async function measureFrom(context: Context, workload: UnnumberedWorkload, { ends, events }: Watching): Promise<void> {
  const { subject, stage, signal, report } = context;
  const routes = workload.links * workload.prefixes;
  const wanted = { established: workload.links, told: routes * (workload.links - 1) };
  const pids = subject.pids();
  const cpu = cpuSeconds(pids);
  const from = now();
  await stage.raiseLinks(unnumberedLinks(workload.links));
  let state = await ends.state();
  let routed: ReadonlyMap<number, number> = new Map();
  const isDone = async () => {
    signal.throwIfAborted();
    state = await ends.state();
    if (state.established < wanted.established || state.told < wanted.told) return false;
    routed = await events.times();
    return routed.size >= routes;
  };
  if (!(await poll(isDone, { timeout: PATIENCE, interval: LOOK })))
    throw new LabError(
      `${subject.name}: ${state.established} of ${wanted.established} sessions, ${state.told} of ${wanted.told} routes told and ${routed.size} of ${routes} in the kernel after ${PATIENCE / 1000} s`,
    );
  const kernelAt = Math.max(...routed.values());
  report(FIGURE.cold.established, (state.establishedAt - from) / 1000);
  report(FIGURE.cold.routed, (kernelAt - from) / 1000);
  report(FIGURE.cold.told, (state.toldAt - from) / 1000);
  report(FIGURE.cold.done, (Math.max(kernelAt, state.toldAt) - from) / 1000);
  report(FIGURE.cold.cpu, cpuSeconds(pids) - cpu);
  report(FIGURE.cold.memory, peakMemory(pids));
}
