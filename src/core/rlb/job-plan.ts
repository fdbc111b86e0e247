/**
 * The connections of a whole job, ring AllReduce or AllToAll, each with its queue pairs, and what that puts on the uplinks of
 * every leaf. Pure. A port numbers its queue pairs one after the other over all connections that end at it, as a NIC does.
 */
import type { GpuPort, PortPair, Uplink } from './gpu-port.js';
import { type ConnectionPlan, FIRST_QUEUE_PAIR, planConnection, type QueuePairSettings } from './queue-pair-plan.js';

export const JOB_PATTERNS = ['ring', 'all-to-all'] as const;
export type JobPattern = (typeof JOB_PATTERNS)[number];

export type JobSettings = Omit<QueuePairSettings, 'firstQueuePair'> & {
  /** Of a host; default FIRST_QUEUE_PAIR. */
  readonly firstQueuePair?: (host: string) => number;
};

/** Subflows on one uplink of a leaf, out of the leaf and into it. */
export interface UplinkLoad {
  readonly leaf: string;
  readonly uplink: Uplink;
  readonly out: number;
  readonly in: number;
}

export interface JobPlan {
  readonly connections: readonly ConnectionPlan[];
  /** Leaf by leaf, uplink by uplink. */
  readonly loads: readonly UplinkLoad[];
  /** Every uplink of a leaf carries as many subflows as the others of it, in each direction. */
  readonly even: boolean;
}

/** Who sends to whom: each to the next one and the last to the first, or everybody to everybody else. */
export function jobPairs<T>(members: readonly T[], pattern: JobPattern): (readonly [T, T])[] {
  if (members.length < 2) return [];
  if (pattern === 'ring')
    return members.map((member, index) => [member, members[(index + 1) % members.length]!] as const);
  return members.flatMap((source) =>
    members.filter((member) => member !== source).map((destination) => [source, destination] as const),
  );
}

export function planJob(ports: readonly GpuPort[], pattern: JobPattern, settings: JobSettings): JobPlan {
  const next = new Map(ports.map(({ host }) => [host, settings.firstQueuePair?.(host) ?? FIRST_QUEUE_PAIR]));
  const plans = jobPairs(ports, pattern).map(([source, destination]) => {
    const firstQueuePair = { source: next.get(source.host)!, destination: next.get(destination.host)! };
    const plan = planConnection({ source, destination }, { ...settings, firstQueuePair });
    for (const { host } of [source, destination]) next.set(host, next.get(host)! + plan.queuePairs.length);
    return { ends: { source, destination }, plan };
  });
  const leaves = [...new Set(ports.map(({ leaf }) => leaf))];
  const loads = leaves.flatMap((leaf) => settings.uplinks.map((uplink) => uplinkLoad({ leaf, uplink }, plans)));
  return { connections: plans.map(({ plan }) => plan), loads, even: leaves.every((leaf) => isEven(leaf, loads)) };
}

interface PlannedEnds {
  readonly ends: PortPair;
  readonly plan: ConnectionPlan;
}

function uplinkLoad({ leaf, uplink }: Pick<UplinkLoad, 'leaf' | 'uplink'>, plans: readonly PlannedEnds[]): UplinkLoad {
  const subflows = (end: keyof PortPair) =>
    plans
      .filter(({ ends, plan }) => ends[end].leaf === leaf && plan.within === undefined)
      .flatMap(({ plan }) => plan.queuePairs)
      .filter((pair) => pair.uplink.number === uplink.number).length;
  return { leaf, uplink, out: subflows('source'), in: subflows('destination') };
}

function isEven(leaf: string, loads: readonly UplinkLoad[]): boolean {
  const mine = loads.filter((load) => load.leaf === leaf);
  return mine.every((load) => load.out === mine[0]!.out && load.in === mine[0]!.in);
}
