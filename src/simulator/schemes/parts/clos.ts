/** What schemes ask of a fabric's shape again and again: its leaves by number, and which ports lead to other switches. */
import { leavesOf, type Topology, tiersOf } from '../../network/topology.js';

export class Clos {
  /** Of each node its number among leaves; -1: not one. */
  readonly leafNumber: Int32Array;
  /** Of each leaf its node. */
  readonly leaves: Int32Array;
  /** Of each port 1 when it is a switch's and leads to another switch. */
  readonly isFabric: Uint8Array;
  /** Tiers of switches. */
  readonly tiers: number;

  constructor(topology: Topology) {
    const { hosts, switches, links } = topology;
    this.tiers = tiersOf(topology);
    this.leafNumber = new Int32Array(hosts + switches).fill(-1);
    this.leaves = Int32Array.from(leavesOf(topology));
    this.leaves.forEach((node, number) => {
      this.leafNumber[node] = number;
    });
    this.isFabric = Uint8Array.from(links.flatMap(({ a }) => (a < hosts ? [0, 0] : [1, 1])));
  }
}
