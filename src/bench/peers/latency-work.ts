/** How long one UPDATE takes to the kernel's table and to another neighbour, of an idle router and of one that is given a whole table. */
import { LabError } from '../../app/lab/command.js';
import { ipBatch } from '../../app/lab/namespaces.js';
import { poll } from '../../app/lab/poll.js';
import { percentile } from '../common/statistics.js';
import { whenStarted } from '../common/when-quiet.js';
import { type Context, HOLD_TIME, type Running, withRouter } from './context.js';
import { FIGURE } from './figures.js';
import { latenessOf } from './lateness.js';
import { routerAddress, sessionEnd } from './plan.js';
import { Prober } from './prober.js';
import { RouteEvents } from './route-events.js';
import type { LatencyWorkload } from './workloads.js';

const FAMILY = 'ipv6';
const RANKS = [50, 99] as const;
const BLOCK = 0xfd01;
/** Milliseconds. */
const PATIENCE = 180_000;
const LOOK = 100;

export async function measureLatency(context: Context, workload: LatencyWorkload): Promise<void> {
  const { subject } = context;
  const sessions = workload.load ? [workload.load] : [];
  const kernel = subject.lacks?.kernel === undefined;
  if (!kernel) context.note(`no kernel route event: ${subject.lacks?.kernel}`);
  const needs = { family: FAMILY, sessions, others: 2, exports: true, kernel } as const;
  await withRouter(context, needs, (running) => probe(running, workload, kernel));
}

async function probe(running: Running, workload: LatencyWorkload, kernel: boolean): Promise<void> {
  const { stage, signal, subject } = running;
  const others = workload.load ? 2 : 1;
  const prober = new Prober(stage.generator, {
    target: routerAddress(FAMILY),
    holdTime: HOLD_TIME,
    sender: sessionEnd(FAMILY, others),
    listener: sessionEnd(FAMILY, others + 1),
    probes: { family: FAMILY, prefixes: workload.probes, perUpdate: 1, block: BLOCK },
  });
  const events = kernel ? new RouteEvents(stage.router, BLOCK) : undefined;
  const end = () => {
    prober.end();
    events?.end();
  };
  signal.addEventListener('abort', end);
  try {
    await events?.ready();
    if (events) await ipBatch(rehearsal(), stage.router);
    await prober.connect();
    await whenStarted(subject, signal);
    await sendAndReport({ ...running, prober, events }, workload);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Routes that come and go, so that who listens to the kernel has done so before. Its first event took it 3 ms. */
function rehearsal(): string[] {
  const routes = Array.from({ length: 50 }, (_, n) => `unreachable ${BLOCK.toString(16)}:ffff:${n.toString(16)}::/64`);
  return ['add', 'del'].flatMap((action) => routes.map((route) => `route ${action} ${route}`));
}

interface Probing extends Running {
  readonly prober: Prober;
  readonly events: RouteEvents | undefined;
}

async function sendAndReport(probing: Probing, workload: LatencyWorkload): Promise<void> {
  const { prober, events, generator, watchers, report } = probing;
  await watchers.counts();
  const loading = workload.load ? generator.send('announce') : undefined;
  const sent = await prober.send(workload.interval);
  await loading;
  const told = async () => (await prober.told()).map((time) => time ?? undefined);
  const routed = async () => {
    const times = await events?.times();
    return sent.map((_, number) => times?.get(number));
  };
  const arrivals = {
    told: await arrivalsOf(probing, 'told', told),
    routed: events && (await arrivalsOf(probing, 'routed', routed)),
  };
  for (const way of ['routed', 'told'] as const) {
    const delays = arrivals[way]?.map((time, number) => time - sent[number]!);
    for (const rank of RANKS) if (delays) report(FIGURE.delay(way, rank), percentile(delays, rank / 100));
  }
  const late = latenessOf((await watchers.counts()).gaps, Math.max(...arrivals.told, ...(arrivals.routed ?? [])));
  report(FIGURE.late('probe'), late.p99);
  report(FIGURE.latest('probe'), late.worst);
}

/** Waits until every probe has arrived. */
async function arrivalsOf(
  { subject, signal }: Probing,
  what: 'told' | 'routed',
  ask: () => Promise<readonly (number | undefined)[]>,
): Promise<readonly number[]> {
  let times: readonly (number | undefined)[] = [];
  const isThere = async () => {
    signal.throwIfAborted();
    times = await ask();
    return !times.includes(undefined);
  };
  if (await poll(isThere, { timeout: PATIENCE, interval: LOOK })) return times.filter((time) => time !== undefined);
  const there = times.filter((time) => time !== undefined).length;
  throw new LabError(`${subject.name}: ${there} of ${times.length} prefixes were ${what} after ${PATIENCE / 1000} s`);
}
