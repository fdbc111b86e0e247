/**
 * Addresses and ports of flows where nobody gives hosts real ones: one address a host (its number), and the ports that the public ns-3 models count up
 * for each host. Their flows take the same ways here, so that results compare flow by flow.
 */
import type { Endpoints } from '../hosts/queue-pairs.js';
import { serviceClassOf } from './flow-class.js';
import type { Addressing, Flow } from './flow-list.js';

const FIRST_SOURCE_PORT = 10000;
const FIRST_DESTINATION_PORT = 100;

/** The address of a node as a word that switches hash. */
export function ns3Address(node: number): number {
  return (0x0b000001 + Math.floor(node / 256) * 0x10000 + (node % 256) * 0x100) | 0;
}

/** @param firstPort where source ports of each host begin: lists of flows that are sent beside each other have their own */
export function plainAddressing(flows: readonly Flow[], firstPort = FIRST_SOURCE_PORT): Addressing {
  const sent = new Map<number, number>();
  const received = new Map<number, number>();
  const ports = flows.map(({ source, destination }) => {
    const sourcePort = counted(sent, source, firstPort);
    return (sourcePort & 0xffff) | (counted(received, destination, FIRST_DESTINATION_PORT) << 16);
  });
  return (flow, index): Endpoints => ({
    source: flow.source,
    destination: flow.destination,
    sourceAddress: flow.source,
    destinationAddress: flow.destination,
    words: [ns3Address(flow.source), ns3Address(flow.destination), ports[index]!, 0],
    serviceClass: serviceClassOf(flow),
  });
}

function counted(counts: Map<number, number>, host: number, first: number): number {
  const next = counts.get(host) ?? first;
  counts.set(host, next + 1);
  return next;
}
