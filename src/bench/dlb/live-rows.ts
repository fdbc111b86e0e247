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
import { addressIn, FAR_INTERFACE, HOST_ADDRESS, LEAF, type Uplink, uplinkInterface } from '../fib/plan.js';
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
  await overLimitedLinks(
    context,
    { limits: LEFT.map((uplink) => ({ uplink, parameters: BALANCE_TBF })), traffic, shows: 'imbalance' },
    [
      { name: ECMP, by: 'plain' },
      { name: RESILIENT, by: 'resilient' },
      { name: FLOWLET, by: { mode: 'flowlet', inactivity: 0.000128 } },
    ],
  );
};

/**
 * One path is slow where the leaf cannot see it: behind the spine. It is offered more than it takes, at any pace of the sender, so that its
 * queue of 4 ms is full: by so much a packet is overtaken, unless it is dropped.
 */
const SKEW_TBF = ['rate', '500kbit', 'burst', '1600', 'limit', '250'];
/** The uplinks themselves hold a packet up for less than two; their load is what makes flowlets move. */
const UPLINK_TBF = ['rate', '10mbit', 'burst', '1600', 'limit', '2000'];
const INACTIVITY = 0.024;
const BURSTS = { datagrams: 10, pause: 32 };

export const reorder: Row = async (context) => {
  const traffic = { interval: PACED, burst: BURSTS };
  const slow = { uplink: LEFT[0]!, beyond: true, parameters: SKEW_TBF };
  const limits = [slow, ...LEFT.map((uplink) => ({ uplink, parameters: UPLINK_TBF }))];
  await overLimitedLinks(context, { limits, traffic, shows: 'reordered' }, [
    { name: ECMP, by: 'plain' },
    { name: FLOWLET, by: { mode: 'flowlet', inactivity: INACTIVITY } },
    { name: PER_PACKET, by: { mode: 'per-packet' } },
  ]);
};

interface Limit {
  readonly uplink: Uplink;
  /** At the spine's link to the far leaf, not at the uplink itself. */
  readonly beyond?: boolean;
  /** Of the queueing discipline. */
  readonly parameters: readonly string[];
}

interface Limited {
  readonly shows: 'imbalance' | 'reordered';
  readonly limits: readonly Limit[];
  readonly traffic: Pick<ProbeOptions, 'interval' | 'burst' | 'spread'>;
}

interface Way {
  readonly name: string;
  /** By the kernel's group alone, or by heddle's plane. */
  readonly by: 'plain' | 'resilient' | NonNullable<SubjectOptions['ebpf']>;
}

async function overLimitedLinks(context: RowContext, limited: Limited, ways: readonly Way[]): Promise<void> {
  for (const limit of limited.limits) await queue(context, limit, 'add');
  try {
    for (const { name, by } of ways) {
      if (typeof by === 'string') await byKernel(context, { name, by }, limited);
      else await byPlane(context, withPlane(context.subjects[0]!, name, by), limited);
    }
  } finally {
    for (const limit of limited.limits) await queue(context, limit, 'del');
  }
}

function placeOf({ ground }: RowContext, { uplink, beyond }: Limit): { namespace: string; device: string } {
  const { names } = ground.stage;
  return beyond
    ? { namespace: names.spine(uplink), device: FAR_INTERFACE }
    : { namespace: names.leaf, device: uplinkInterface(uplink) };
}

async function queue(context: RowContext, limit: Limit, action: 'add' | 'del'): Promise<void> {
  const { namespace, device } = placeOf(context, limit);
  const discipline = action === 'add' ? ['tbf', ...limit.parameters] : [];
  await run('tc', ['-n', namespace, 'qdisc', action, 'dev', device, 'root', ...discipline]);
}

/** Packets so far, by link. */
async function offeredTo(context: RowContext, limits: readonly Limit[]): Promise<readonly number[]> {
  return Promise.all(
    limits.map(async (limit) => {
      const { namespace, device } = placeOf(context, limit);
      return (await offeredPackets(namespace)).get(device) ?? 0;
    }),
  );
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
async function drive(context: RowContext, subject: string, { shows, limits, traffic }: Limited): Promise<number> {
  const { ground, report, say } = context;
  const { host, far } = ground.stage.names;
  const flows = Array.from({ length: FLOWS }, (_, flow) => ({
    ...{ name: String(flow), source: HOST_ADDRESS, destination: addressIn(0), port: ROCE_PORT + flow },
  }));
  const probe = await startProbe({ from: host, to: far, flows, humble: true, ...traffic });
  try {
    const before = await offeredTo(context, limits);
    await ground.pause(DURATION);
    const after = await offeredTo(context, limits);
    const reports = await probe.stop();
    const offered = after.map((packets, place) => packets - before[place]!);
    const reordered = reports.reduce((sum, one) => sum + one.reordered, 0);
    report({ figure: FIGURE[shows], subject, value: shows === 'imbalance' ? imbalanceOf(offered) : reordered });
    say(`${subject}: packets by link ${offered.join(', ')}; ${reordered} reordered`);
    return reports.reduce((sum, one) => sum + one.sent, 0);
  } finally {
    probe.abandon();
  }
}
