/** What a run of a simulated fabric comes to: plain values, the same for every scheme, so that runs can be compared, stored and plotted. */
import type { FabricSimulation } from '../network/fabric-simulation.js';
import { pausedTimes, tierName } from '../network/paused-time.js';
import type { FabricSampler, Moment, TimeWindow } from './fabric-sampler.js';
import { curve, type Distribution, distribution } from './quantiles.js';

/** One message, as the results need it. */
export interface FlowOutcome {
  readonly octets: number;
  /** Picoseconds. */
  readonly start: number;
  /** Picoseconds from its start to the acknowledgement of its last packet; NaN: it did not end. */
  readonly time: number;
  /** Picoseconds that it would have taken alone. */
  readonly alone: number;
}

export interface RunResult {
  readonly scheme: string;
  readonly seed: number;
  readonly flows: { readonly count: number; readonly finished: number; readonly octets: number };
  /** Completion time over the time alone; absent when no flow ended. */
  readonly slowdown: Distribution | undefined;
  /** Microseconds. */
  readonly completionTime: Distribution | undefined;
  /** By size of the flow: up to and with so many octets; null: all that are larger. */
  readonly bySize: readonly { readonly upTo: number | null; readonly slowdown: Distribution }[];
  /** From the first start to the last end, microseconds; absent when something did not end. */
  readonly jobTime: number | undefined;
  /** Gb/s, as NCCL's tests count it; of collectives only. */
  readonly busBandwidth: number | undefined;
  /** Flows beside the workload, where there are some: those that started before it was done. */
  readonly background: BackgroundResult | undefined;
  readonly imbalance: Distribution | undefined;
  /** Octets, of the lossless queues of switch ports that are not empty. */
  readonly queue: Distribution | undefined;
  readonly pause: {
    readonly frames: number;
    readonly byHop: readonly PausedHop[];
  };
  readonly packets: Readonly<Record<PacketCounter, number>>;
  /** Octets of data packets that hosts put on their links, and those of them that were sent again. */
  readonly octets: { readonly data: number; readonly resent: number };
  /** Counters of the scheme's own. */
  readonly ofScheme: Readonly<Record<string, number>>;
  readonly links: readonly LinkLoad[];
  readonly moments: readonly Moment[];
  /** Slowdown at each hundredth of the flows. */
  readonly slowdownCurve: readonly number[];
  readonly imbalanceCurve: readonly number[];
  /** Simulated time, microseconds; events worked. */
  readonly duration: number;
  readonly events: number;
}

/** Ports of a tier that were paused by another. */
export interface PausedHop {
  /** Who was paused, and by whom: `host`, `leaf`, `spine`, `superspine`. */
  readonly from: string;
  readonly to: string;
  readonly ports: number;
  /** Of the time of the run, 0 to 1: of a port on average, and of the one that was paused for longest. */
  readonly share: number;
  readonly most: number;
}

export interface BackgroundResult {
  readonly flows: { readonly count: number; readonly finished: number };
  readonly slowdown: Distribution | undefined;
  /** Microseconds. */
  readonly completionTime: Distribution | undefined;
}

/** Of data packets, but for notices, answers (ACKs, NAKs, CNPs) and control packets (of schemes and of PFC). */
export type PacketCounter =
  | 'data'
  | 'resent'
  | 'out-of-order'
  | 'overtaken'
  | 'complaints'
  | 'timeouts'
  | 'marked'
  | 'congestion-notices'
  | 'complaint-notices'
  | 'dropped-full'
  | 'dropped-unreachable'
  | 'dropped-down'
  | 'dropped-by-watchdog'
  | 'lost'
  | 'answers-lost'
  | 'control-lost';

export interface LinkLoad {
  readonly from: string;
  readonly to: string;
  /** Which of the links between the two, from 1. */
  readonly number: number;
  /** `leaf`, `spine`, `superspine`. */
  readonly fromTier: string;
  readonly toTier: string;
  readonly octets: number;
  /** Over what the link could have carried in the time of the run. */
  readonly share: number;
  /** Of the time of the run the share in which it was down. */
  readonly downShare: number;
}

const PS_PER_US = 1e6;
const CURVE_POINTS = 100;
/** Octets: where the sizes of flows are cut, as the studies that are compared with do it. */
export const SIZES = [4_000, 16_000, 64_000, 256_000, 1_000_000, 10_000_000, null];

export interface RunOf {
  readonly scheme: string;
  readonly seed: number;
  readonly outcomes: readonly FlowOutcome[];
  readonly background?: readonly FlowOutcome[] | undefined;
  /** Slowdowns and completion times are of flows that start within. */
  readonly window: TimeWindow;
  /** What had to end, and what did: flows, operations or iterations. */
  readonly messages: number;
  readonly finished: number;
  /** When the first of it started, picoseconds. */
  readonly firstStart: number;
  readonly busBandwidth?: number | undefined;
}

export function runResult(simulation: FabricSimulation, sampler: FabricSampler, of: RunOf): RunResult {
  const { outcomes } = of;
  const ended = endedWithin(outcomes, of.window);
  const all = of.finished === of.messages;
  return {
    scheme: of.scheme,
    seed: of.seed,
    flows: {
      count: of.messages,
      finished: of.finished,
      octets: outcomes.reduce((sum, { octets }) => sum + octets, 0),
    },
    slowdown: distribution(ended.map(slowdownOf)),
    completionTime: distribution(ended.map(({ time }) => time / PS_PER_US)),
    bySize: bySize(ended),
    jobTime: all ? (simulation.events.now - of.firstStart) / PS_PER_US : undefined,
    busBandwidth: of.busBandwidth,
    background: of.background && backgroundResult(of.background, of.window),
    imbalance: distribution(sampler.imbalances),
    queue: distribution(sampler.queues),
    pause: {
      frames: simulation.switches.pauseFrames,
      byHop: pausedTimes(simulation).map(({ from, to, ports, share, most }) => ({ from, to, ports, share, most })),
    },
    packets: packetCounters(simulation),
    octets: { data: simulation.hosts.dataOctets, resent: simulation.hosts.resentOctets },
    ofScheme: simulation.scheme.counters?.() ?? {},
    links: linkLoads(simulation),
    moments: sampler.moments,
    slowdownCurve: curve(ended.map(slowdownOf), CURVE_POINTS),
    imbalanceCurve: curve(sampler.imbalances, CURVE_POINTS),
    duration: simulation.events.now / PS_PER_US,
    events: simulation.handled,
  };
}

function endedWithin(outcomes: readonly FlowOutcome[], { from, until }: TimeWindow): FlowOutcome[] {
  return outcomes.filter(({ start, time }) => start >= from && start < until && !Number.isNaN(time));
}

function backgroundResult(outcomes: readonly FlowOutcome[], window: TimeWindow): BackgroundResult {
  const ended = endedWithin(outcomes, window);
  return {
    flows: { count: outcomes.length, finished: outcomes.filter(({ time }) => !Number.isNaN(time)).length },
    slowdown: distribution(ended.map(slowdownOf)),
    completionTime: distribution(ended.map(({ time }) => time / PS_PER_US)),
  };
}

function slowdownOf({ time, alone }: FlowOutcome): number {
  return time / alone;
}

function bySize(ended: readonly FlowOutcome[]): RunResult['bySize'] {
  return SIZES.flatMap((upTo, index) => {
    const above = SIZES[index - 1] ?? 0;
    const within = (size: number) => size > above && (upTo === null || size <= upTo);
    const slowdown = distribution(ended.filter(({ octets }) => within(octets)).map(slowdownOf));
    return slowdown ? [{ upTo, slowdown }] : [];
  });
}

function packetCounters({ hosts, switches, wire, packets }: FabricSimulation): RunResult['packets'] {
  return {
    data: hosts.dataPackets,
    resent: hosts.resent,
    'out-of-order': hosts.outOfOrder,
    overtaken: hosts.overtaken,
    complaints: hosts.complaints,
    timeouts: hosts.timeouts,
    marked: switches.marked,
    'congestion-notices': hosts.congestionNotices,
    'complaint-notices': hosts.complaintNotices,
    'dropped-full': switches.droppedFull,
    'dropped-unreachable': switches.droppedUnreachable,
    'dropped-down': switches.droppedDown,
    'dropped-by-watchdog': switches.droppedByWatchdog,
    lost: wire.lost,
    'answers-lost': packets.lostAnswers,
    'control-lost': packets.lostControl,
  };
}

/** Of links between switches, each way. */
function linkLoads({ topology, ports, events }: FabricSimulation): LinkLoad[] {
  const loads: LinkLoad[] = [];
  const between = new Map<string, number>();
  const tierOf = (node: number) => tierName(topology.tiers[node - topology.hosts]!);
  for (let port = 0; port < ports.count; port++) {
    const from = ports.node[port]!;
    const to = ports.node[ports.peer[port]!]!;
    if (from < topology.hosts || to < topology.hosts) continue;
    const octets = ports.sentOctets[port]!;
    const share = (octets * ports.psPerOctet[port]!) / Math.max(1, events.now);
    const number = (between.get(`${from} ${to}`) ?? 0) + 1;
    between.set(`${from} ${to}`, number);
    loads.push({
      from: topology.names[from]!,
      to: topology.names[to]!,
      number,
      fromTier: tierOf(from),
      toTier: tierOf(to),
      octets,
      share,
      downShare: ports.downTime(port, events.now) / Math.max(1, events.now),
    });
  }
  return loads;
}
