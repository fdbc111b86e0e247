/** In which order the hosts of a group are its ranks: a ring goes from one to the next. Pure. */
import { leavesOfHosts, type Topology } from '../network/topology.js';

/** The first host of each leaf, then the second of each, and so on: every hop of a ring goes through the spines. */
export function acrossLeaves(topology: Topology, members: readonly number[]): number[] {
  const leaves = leavesOfHosts(topology);
  const counts = new Map<number, number>();
  const placed = members.map((host) => {
    const leaf = leaves[host]!;
    const place = counts.get(leaf) ?? 0;
    counts.set(leaf, place + 1);
    return { host, leaf, place };
  });
  return placed.sort((a, b) => a.place - b.place || a.leaf - b.leaf).map(({ host }) => host);
}
