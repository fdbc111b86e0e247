/**
 * A fabric as a value: hosts (ports of NICs) and switches as numbered nodes, hosts first, and the links between them. A link has two ports, one at
 * each end: port 2l at its lower end `a`, port 2l + 1 at its upper end `b`.
 */

export interface FabricLink {
  readonly a: number;
  readonly b: number;
  /** Bits per second. */
  readonly rate: number;
  /** Propagation, picoseconds. */
  readonly delay: number;
  /** The share of packets that are lost on it, 0 to 1. */
  readonly loss: number;
}

export interface Topology {
  readonly hosts: number;
  readonly switches: number;
  readonly links: readonly FabricLink[];
  /** Of each switch: 0 a leaf, 1 a spine, 2 what is above spines. */
  readonly tiers: readonly number[];
  /** Names for people, of hosts and then switches. */
  readonly names: readonly string[];
}

/** The leaf that a host is at; its node, not its index among switches. */
export function leavesOfHosts(topology: Topology): Int32Array {
  const leaves = new Int32Array(topology.hosts).fill(-1);
  for (const { a, b } of topology.links) if (a < topology.hosts) leaves[a] = b;
  return leaves;
}

/** The switches that have hosts, as nodes, in order. */
export function leavesOf(topology: Topology): number[] {
  return topology.tiers.flatMap((tier, index) => (tier === 0 ? [topology.hosts + index] : []));
}

/** Ports of a leaf towards spines, in the order of its links: the place is the plane. */
export function uplinksOf(topology: Topology, leaf: number): number[] {
  return topology.links.flatMap(({ a, b }, index) => {
    if (a < topology.hosts || b < topology.hosts) return [];
    return a === leaf ? [index * 2] : b === leaf ? [index * 2 + 1] : [];
  });
}

export function tiersOf(topology: Topology): number {
  return Math.max(...topology.tiers) + 1;
}

/** Whether two switches have more than one link between them. */
export function hasParallelLinks(topology: Topology): boolean {
  const between = topology.links.filter(({ a }) => a >= topology.hosts).map(({ a, b }) => `${a} ${b}`);
  return new Set(between).size < between.length;
}
