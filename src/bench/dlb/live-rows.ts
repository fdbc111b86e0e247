/**
 * Rows on the links of `npm run bench:fib`, where packets are sent by a process and heddle runs as a daemon: a leaf between a host and four
 * spines, with the eBPF plane and without.
 */
import { run } from '../../app/lab/command.js';
import { offeredPackets } from '../../app/lab/counters.js';
import { controlSocket } from '../../app/lab/lab.js';
import { type ProbeOptions, ROCE_PORT, startProbe } from '../../app/lab/probe.js';
import { ControlClient } from '../../edge/control/client.js';
import { flushForwarding } from '../common/daemons.js';
import { imbalanceOf } from '../common/statistics.js';
import { installByHand } from '../fib/by-hand.js';
import { localFailuresAt } from '../fib/local-failure.js';
import { addressIn, HOST_ADDRESS, LEAF, type Uplink, uplinkInterface } from '../fib/plan.js';
import { measureOne, type Row, type RowContext } from '../fib/row.js';
import type { Subject, SubjectOptions } from '../fib/subject.js';
import { ECMP, FIGURE, FLOWLET, PER_PACKET, PLANE, RESILIENT } from './subjects.js';

const UPLINKS: readonly [Uplink, ...Uplink[]] = [1, 2, 3, 4];
const PREFERRED: Uplink = 1;
const LEFT = UPLINKS.filter((uplink) => uplink !== PREFERRED);
/** Milliseconds. */
const DURATION = 3000;
const FLOWS = 16;

/** heddle with another forwarding. */
export function withPlane(heddle: Subject, name: string, ebpf: NonNullable<SubjectOptions['ebpf']>): Subject {
  return { ...heddle, name, start: (options) => heddle.start({ ...options, ebpf }) };
}

/** The kernel with heddle's routes and FRR's beside the plane. */
export const gap: Row = async (context) => {
  const [heddle, ...others] = context.subjects;
  const subjects = [heddle!, withPlane(heddle!, PLANE, { mode: 'flowlet' }), ...others];
  await localFailuresAt({ ...context, subjects }, [1]);
};

/** Three links are left, each takes this; three quarters of it are offered by paced flows. */
const BALANCE_TBF = ['rate', '40mbit', 'burst', '4000', 'limit', '40000'];
/** Datagrams of 32 octets, 94 on the link, of each flow: 16 of them make 60 Mbit/s. */
const PACED = 0.2;

export const balance: Row = async (context) => {
  const traffic = { interval: PACED, spread: true };
  await overLimitedLinks(context, { limits: LEFT.map((uplink) => [uplink, BALANCE_TBF]), traffic }, [
    { name: ECMP, by: 'plain' },
    { name: RESILIENT, by: 'resilient' },
    { name: FLOWLET, by: { mode: 'flowlet', inactivity: 0.000128 } },
  ]);
};

/** At most this much waits before the slow link, a few milliseconds' worth: by so much a packet can be overtaken. */
const SKEW_TBF = ['rate', '8mbit', 'burst', '1600', 'limit', '4000'];
const INACTIVITY = 0.006;
const BURSTS = { datagrams: 10, pause: 9 };

export const reorder: Row = async (context) => {
  const traffic = { interval: PACED, burst: BURSTS };
  await overLimitedLinks(context, { limits: [[LEFT[0]!, SKEW_TBF]], traffic }, [
    { name: ECMP, by: 'plain' },
    { name: FLOWLET, by: { mode: 'flowlet', inactivity: INACTIVITY } },
    { name: PER_PACKET, by: { mode: 'per-packet' } },
  ]);
};

interface Limited {
  readonly limits: readonly (readonly [Uplink, readonly string[]])[];
  readonly traffic: Pick<ProbeOptions, 'interval' | 'burst' | 'spread'>;
}

interface Way {
  readonly name: string;
  /** By the kernel's group alone, or by heddle's plane. */
  readonly by: 'plain' | 'resilient' | NonNullable<SubjectOptions['ebpf']>;
}

async function overLimitedLinks(context: RowContext, limited: Limited, ways: readonly Way[]): Promise<void> {
  for (const [uplink, parameters] of limited.limits) await limit(context, uplink, ['tbf', ...parameters]);
  try {
    for (const { name, by } of ways) {
      if (typeof by === 'string') await byKernel(context, { name, by }, limited);
      else await byPlane(context, withPlane(context.subjects[0]!, name, by), limited);
    }
  } finally {
    for (const [uplink] of limited.limits) await limit(context, uplink);
  }
}

async function limit({ ground }: RowContext, uplink: Uplink, discipline?: readonly string[]): Promise<void> {
  const root = ['dev', uplinkInterface(uplink), 'root'];
  const action = discipline ? ['add', ...root, ...discipline] : ['del', ...root];
  await run('tc', ['-n', ground.stage.names.leaf, 'qdisc', ...action]);
}

async function byKernel(
  context: RowContext,
  { name, by }: { readonly name: string; readonly by: 'plain' | 'resilient' },
  limited: Limited,
): Promise<void> {
  const { stage } = context.ground;
  await flushForwarding(stage.lab);
  await installByHand(stage.names, UPLINKS, 1, by);
  await stage.failUplink(PREFERRED);
  await drive(context, name, limited);
  await stage.heal(PREFERRED);
  await flushForwarding(stage.lab);
}

async function byPlane(context: RowContext, subject: Subject, limited: Limited): Promise<void> {
  const { ground } = context;
  const work = async () => {
    await ground.setRoutes(UPLINKS, 1);
    await ground.settled(subject, PREFERRED, 1);
    await ground.stage.failUplink(PREFERRED);
    await ground.moved(PREFERRED, 1);
    const before = await planeCounts(context);
    const sent = await drive(context, subject.name, limited);
    const after = await planeCounts(context);
    const share = (100 * (after.packets - before.packets)) / sent;
    const { name } = subject;
    context.report({ figure: FIGURE.moves, subject: name, value: after.moves - before.moves });
    context.report({ figure: FIGURE.share, subject: name, value: share });
    context.say(`${name}: ${after.moves - before.moves} moves, ${share.toFixed(0)} % of the packets through the plane`);
    await ground.stage.heal(PREFERRED);
  };
  await measureOne(context, subject, { options: { uplinks: UPLINKS }, work });
}

async function planeCounts({ ground }: RowContext): Promise<{ readonly packets: number; readonly moves: number }> {
  const { plane } = await new ControlClient(controlSocket(ground.stage.lab, LEAF)).dlb();
  const sum = (of: 'packets' | 'moves') => (plane?.ports ?? []).reduce((total, port) => total + port[of], 0);
  return { packets: sum('packets'), moves: sum('moves') };
}

/** Resolves with the datagrams that were sent. */
async function drive(
  { ground, report, say }: RowContext,
  subject: string,
  { limits, traffic }: Limited,
): Promise<number> {
  const { host, far, leaf } = ground.stage.names;
  const flows = Array.from({ length: FLOWS }, (_, flow) => ({
    ...{ name: String(flow), source: HOST_ADDRESS, destination: addressIn(0), port: ROCE_PORT + flow },
  }));
  const links = limits.map(([uplink]) => uplinkInterface(uplink));
  const probe = await startProbe({ from: host, to: far, flows, ordinary: true, ...traffic });
  try {
    const before = await offeredPackets(leaf);
    await ground.pause(DURATION);
    const after = await offeredPackets(leaf);
    const reports = await probe.stop();
    const offered = links.map((name) => (after.get(name) ?? 0) - (before.get(name) ?? 0));
    const reordered = reports.reduce((sum, one) => sum + one.reordered, 0);
    if (links.length > 1) report({ figure: FIGURE.imbalance, subject, value: imbalanceOf(offered) });
    else report({ figure: FIGURE.reordered, subject, value: reordered });
    say(`${subject}: packets by link ${offered.join(', ')}; ${reordered} reordered`);
    return reports.reduce((sum, one) => sum + one.sent, 0);
  } finally {
    probe.abandon();
  }
}
