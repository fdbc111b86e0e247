/**
 * Which queue pair of a connection uses which addresses, and hence which uplink: RDMA-aware load balancing as a plan, before a
 * packet is sent. Pure. A queue pair binds to its own address, the address lies in the prefix of one uplink, and DPF gives
 * that prefix its spine; so queue pairs = addresses = uplinks is the plan in which every uplink carries one, and the verdict
 * says what becomes of any other.
 */
import type { Address } from '../net/address.js';
import { addressFor, type PortPair, type Uplink } from './gpu-port.js';
import { planVerdict, type Verdict } from './plan-verdict.js';

export interface QueuePairSettings {
  /** Of the leaves, all of them. */
  readonly uplinks: readonly Uplink[];
  /** Default: as many as there are uplinks for which both ports have an address. */
  readonly queuePairs?: number;
  /** UDP source port of a queue pair, from its two numbers. */
  readonly sourcePort: (sourceQp: number, destinationQp: number) => number;
  /** Queue pair numbers that the ports give out first; default FIRST_QUEUE_PAIR. */
  readonly firstQueuePair?: { readonly source: number; readonly destination: number };
}

export interface QueuePair {
  /** Within its connection, from 1. */
  readonly number: number;
  readonly uplink: Uplink;
  readonly source: Address;
  readonly destination: Address;
  /** Queue pair numbers, 24 bits: BTH.DestQP of what comes in at either end. */
  readonly sourceQp: number;
  readonly destinationQp: number;
  readonly sourcePort: number;
  /** Of the source address at the source, and of the destination address at the destination. */
  readonly gidIndex: number;
  readonly destinationGidIndex: number;
}

export interface ConnectionPlan {
  readonly source: string;
  readonly destination: string;
  /** Both ports are behind this leaf, which forwards between them: no uplink is used. */
  readonly within?: string;
  readonly queuePairs: readonly QueuePair[];
  readonly verdict: Verdict;
}

/** 0 and 1 are for management (SMI and GSI). */
export const FIRST_QUEUE_PAIR = 0x11;
const QUEUE_PAIR_MASK = 0xffffff;

/** Queue pairs in the order of the uplinks; more than there are begin again at the first. None without common addresses. */
export function planConnection(ends: PortPair, settings: QueuePairSettings): ConnectionPlan {
  const { source, destination } = ends;
  const usable = settings.uplinks.flatMap((uplink) => {
    const [from, to] = [addressFor(source, uplink), addressFor(destination, uplink)];
    return from && to ? [{ uplink, from, to }] : [];
  });
  const count = usable.length === 0 ? 0 : (settings.queuePairs ?? usable.length);
  const first = settings.firstQueuePair ?? { source: FIRST_QUEUE_PAIR, destination: FIRST_QUEUE_PAIR };
  const queuePairs = Array.from({ length: count }, (_, index): QueuePair => {
    const { uplink, from, to } = usable[index % usable.length]!;
    const sourceQp = (first.source + index) & QUEUE_PAIR_MASK;
    const destinationQp = (first.destination + index) & QUEUE_PAIR_MASK;
    return {
      number: index + 1,
      uplink,
      source: from.address,
      destination: to.address,
      sourceQp,
      destinationQp,
      sourcePort: settings.sourcePort(sourceQp, destinationQp),
      gidIndex: from.gidIndex,
      destinationGidIndex: to.gidIndex,
    };
  });
  return {
    source: source.host,
    destination: destination.host,
    ...(source.leaf === destination.leaf && { within: source.leaf }),
    queuePairs,
    verdict: planVerdict(ends, settings.uplinks, queuePairs),
  };
}
