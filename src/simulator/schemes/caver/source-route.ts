/**
 * Source routes as CAVER has them in packets: the port at each switch in 8 bits, as its number at that switch plus one, the next one lowest; 0 ends it.
 * Four switches fit.
 */
import type { Ports } from '../../network/ports.js';
import type { Topology } from '../../network/topology.js';

const NONE = -1;
const BITS = 8;
const MASK = 0xff;

export class SourceRoutes {
  /** Of each port its number at its node, plus one. */
  private readonly numbers: Int32Array;
  private readonly portsOf: readonly (readonly number[])[];

  constructor(topology: Topology, ports: Ports) {
    this.numbers = new Int32Array(ports.count);
    const all: number[][] = Array.from({ length: topology.hosts + topology.switches }, () => []);
    ports.node.forEach((node, port) => {
      this.numbers[port] = all[node]!.push(port);
    });
    this.portsOf = all;
  }

  /** A route that leaves by `port` and goes on as `route` does. */
  before(port: number, route: number): number {
    return (route << BITS) | this.numbers[port]!;
  }

  /** The port that a route has next at a node; -1: it ends there. */
  portAt(node: number, route: number): number {
    return this.portsOf[node]![(route & MASK) - 1] ?? NONE;
  }

  /** What is left of it behind the next link. */
  rest(route: number): number {
    return route >>> BITS;
  }
}

/** The most ports of a switch that a route can name. */
export const MOST_PORTS = MASK;

export function mostPortsOf(topology: Topology): number {
  const counts = new Map<number, number>();
  for (const { a, b } of topology.links)
    for (const node of [a, b]) if (node >= topology.hosts) counts.set(node, (counts.get(node) ?? 0) + 1);
  return Math.max(...counts.values());
}
