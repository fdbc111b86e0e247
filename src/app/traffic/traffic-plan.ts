/**
 * A traffic job as the tasks of its hosts. Pure. With RDMA-aware load balancing every queue pair has addresses of its own and thereby an
 * uplink; without it all have one address, and source ports that differ.
 */
import { formatAddress } from '../../core/net/address.js';
import type { TrafficPattern } from '../../core/rlb/bus-bandwidth.js';
import { addressFor, type GpuPort, type Uplink } from '../../core/rlb/gpu-port.js';
import { planJob } from '../../core/rlb/job-plan.js';
import { type ConnectionPlan, planConnection, type QueuePair } from '../../core/rlb/queue-pair-plan.js';
import { testWord } from '../../core/rlb/test-words.js';
import { entropyPort } from '../../core/wire/rocev2/entropy-port.js';
import type { AgentQueuePair, AgentTask, TransportSettings } from './agent-protocol.js';

export interface TrafficQuestion {
  readonly pattern: TrafficPattern;
  /** In the order of the job; two of them for `send`. */
  readonly ports: readonly GpuPort[];
  readonly uplinks: readonly Uplink[];
  /** Of a connection. */
  readonly queuePairs: number;
  readonly rlb: boolean;
  /** The fabric has no colours: a hash gives every queue pair its uplink, whatever its addresses. */
  readonly hashed?: boolean;
  /** Octets of every GPU, a multiple of 4. */
  readonly octets: number;
  readonly seed: number;
  readonly transport: TransportSettings;
}

export interface PlannedSubflow {
  readonly source: string;
  readonly destination: string;
  /** Number in its connection, from 1. */
  readonly queuePair: number;
  readonly sourceAddress: string;
  readonly destinationAddress: string;
  readonly sourcePort: number;
  readonly sourceQp: number;
  readonly destinationQp: number;
  /** Of its addresses; null when a hash decides, or no uplink is used. */
  readonly uplink: string | null;
  readonly colour: number | null;
}

export interface TrafficPlan {
  readonly subflows: readonly PlannedSubflow[];
  /** By rank. */
  readonly tasks: readonly AgentTask[];
}

/** Octets of what is added and compared. */
export const WORD = 4;
/** What of testWord is drawn for what. */
const DRAW = { queuePair: 0, psn: 1 } as const;
/** Leaves room above for all queue pairs of a host. */
const DRAWN_QUEUE_PAIRS = 0x7fffff;
const FIRST_DRAWN = 0x100;

export function planTraffic(question: TrafficQuestion): TrafficPlan {
  const { ports, seed, transport, pattern, octets } = question;
  const decided = question.rlb && !question.hashed;
  const pairs = connections(question).flatMap((plan) =>
    plan.queuePairs.map((pair) => ({ plan, pair, subflow: subflowOf(plan, pair, decided) })),
  );
  const rankOf = new Map(ports.map(({ host }, rank) => [host, rank]));
  const ends = pairs.flatMap(({ subflow }, number) => {
    const [from, to] = [rankOf.get(subflow.source)!, rankOf.get(subflow.destination)!];
    const common = { subflow: number, sourcePort: subflow.sourcePort };
    const firstPsn = testWord(seed, number, DRAW.psn) & 0xffffff;
    return endsOf(subflow, { ...common, firstPsn }).map(([direction, end]): [number, AgentQueuePair] =>
      direction === 'out' ? [from, { ...end, direction, peer: to }] : [to, { ...end, direction, peer: from }],
    );
  });
  const tasks = ports.map((_, rank): AgentTask => {
    const queuePairs = ends.flatMap(([at, end]) => (at === rank ? [end] : []));
    return { pattern, rank, ranks: ports.length, words: octets / WORD, seed, transport, queuePairs };
  });
  return { subflows: pairs.map(({ subflow }) => subflow), tasks };
}

function connections({ pattern, ports, uplinks, queuePairs, rlb, seed }: TrafficQuestion): readonly ConnectionPlan[] {
  const used = rlb ? ports : withOneAddress(ports, uplinks);
  const hosts = ports.map(({ host }) => host);
  const draw = (host: string) =>
    FIRST_DRAWN + (testWord(seed, hosts.indexOf(host), DRAW.queuePair) % DRAWN_QUEUE_PAIRS);
  const settings = { uplinks, queuePairs, sourcePort: entropyPort };
  if (pattern !== 'send') {
    const job = pattern === 'all-reduce' ? 'ring' : 'all-to-all';
    return planJob(used, job, { ...settings, firstQueuePair: draw }).connections;
  }
  const [source, destination] = [used[0]!, used[1]!];
  const firstQueuePair = { source: draw(source.host), destination: draw(destination.host) };
  return [planConnection({ source, destination }, { ...settings, firstQueuePair })];
}

/** The first that all of them have. */
function withOneAddress(ports: readonly GpuPort[], uplinks: readonly Uplink[]): GpuPort[] {
  const common = uplinks.find((uplink) => ports.every((port) => addressFor(port, uplink) !== undefined));
  return ports.map((port) => ({
    ...port,
    addresses: port.addresses.filter(({ uplink }) => uplink === common?.number),
  }));
}

function subflowOf(plan: ConnectionPlan, pair: QueuePair, decided: boolean): PlannedSubflow {
  const bound = decided && plan.within === undefined;
  return {
    source: plan.source,
    destination: plan.destination,
    queuePair: pair.number,
    sourceAddress: formatAddress(pair.source),
    destinationAddress: formatAddress(pair.destination),
    sourcePort: pair.sourcePort,
    sourceQp: pair.sourceQp,
    destinationQp: pair.destinationQp,
    uplink: bound ? pair.uplink.name : null,
    colour: bound ? pair.uplink.colour : null,
  };
}

type Common = Pick<AgentQueuePair, 'subflow' | 'sourcePort' | 'firstPsn'>;
type End = Omit<AgentQueuePair, 'direction' | 'peer'>;

function endsOf(subflow: PlannedSubflow, common: Common): ['out' | 'in', End][] {
  const { sourceAddress, destinationAddress, sourceQp, destinationQp } = subflow;
  const [from, to] = [sourceAddress, destinationAddress];
  return [
    ['out', { ...common, local: from, remote: to, localQp: sourceQp, remoteQp: destinationQp }],
    ['in', { ...common, local: to, remote: from, localQp: destinationQp, remoteQp: sourceQp }],
  ];
}
