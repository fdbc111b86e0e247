/**
 * Forwarding by shortest paths alone: what ECMP routing without policies comes to. For fabrics given as a list of links, and for tests. Ways go up and then
 * down, never up again (as in fabrics whose spines share an AS number): buffers cannot wait for one another in a circle, so that PFC cannot deadlock.
 */
import { type Forwarding, hostForwarding } from './forwarding.js';
import { leavesOf, type Topology } from './topology.js';

/** One address a host, one prefix a leaf. */
export function shortestPaths(topology: Topology, isUp: (port: number) => boolean): Forwarding {
  const forwarding = hostForwarding(topology, 1, isUp);
  setShortestPaths(forwarding, topology, isUp);
  return forwarding;
}

/** Makes the tables those of the links that are up: what routing comes to after a failure. */
export function setShortestPaths(forwarding: Forwarding, topology: Topology, isUp: (port: number) => boolean): void {
  const neighbours = switchNeighbours(topology, isUp);
  const highestFirst = Array.from({ length: topology.switches }, (_, index) => topology.hosts + index).sort(
    (one, other) => tierOf(topology, other) - tierOf(topology, one),
  );
  leavesOf(topology).forEach((leaf, prefix) => {
    const ways = waysTo(leaf, neighbours, highestFirst);
    for (const node of highestFirst) if (node !== leaf) forwarding.set(node, prefix, ways.get(node) ?? [], []);
  });
}

interface Neighbour {
  readonly to: number;
  readonly port: number;
}

interface Neighbours {
  readonly above: readonly Neighbour[];
  readonly below: readonly Neighbour[];
}

function tierOf({ hosts, tiers }: Topology, node: number): number {
  return tiers[node - hosts]!;
}

function switchNeighbours(topology: Topology, isUp: (port: number) => boolean): Neighbours[] {
  const neighbours = Array.from({ length: topology.hosts + topology.switches }, () => ({
    above: [] as Neighbour[],
    below: [] as Neighbour[],
  }));
  topology.links.forEach(({ a, b }, index) => {
    if (a < topology.hosts || !isUp(index * 2) || !isUp(index * 2 + 1)) return;
    const isAbove = tierOf(topology, b) > tierOf(topology, a);
    const [lower, upper] = isAbove ? [index * 2, index * 2 + 1] : [index * 2 + 1, index * 2];
    neighbours[isAbove ? a : b]!.above.push({ to: isAbove ? b : a, port: lower });
    neighbours[isAbove ? b : a]!.below.push({ to: isAbove ? a : b, port: upper });
  });
  return neighbours;
}

/** Of each switch that reaches a leaf its ports that are on the shortest ways there. */
function waysTo(
  leaf: number,
  neighbours: readonly Neighbours[],
  highestFirst: readonly number[],
): Map<number, number[]> {
  const distances = new Map([[leaf, 0]]);
  const ways = new Map<number, number[]>();
  const takeNearest = (node: number, candidates: readonly Neighbour[]) => {
    const known = candidates.filter(({ to }) => distances.has(to));
    const nearest = Math.min(...known.map(({ to }) => distances.get(to)!));
    if (known.length === 0) return;
    distances.set(node, nearest + 1);
    ways.set(
      node,
      known.filter(({ to }) => distances.get(to) === nearest).map(({ port }) => port),
    );
  };
  for (const node of highestFirst.toReversed()) if (node !== leaf) takeNearest(node, neighbours[node]!.below);
  for (const node of highestFirst) if (!distances.has(node)) takeNearest(node, neighbours[node]!.above);
  return ways;
}
