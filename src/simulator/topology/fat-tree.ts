/**
 * The three-tier fat-tree of switches with k ports: k pods of k/2 leaves and k/2 spines, and (k/2)^2 superspines. With more hosts at a leaf than k/2
 * it is oversubscribed.
 */
import { SimulationInputError } from '../input-error.js';
import type { Topology } from '../network/topology.js';
import { checkTopology } from './check-topology.js';
import { type Rates, rateAt, requireCounts } from './clos.js';
import { FabricBuilder } from './fabric-builder.js';

export interface FatTreeShape {
  /** Even. */
  readonly k: number;
  /** k/2 in a fabric that is not oversubscribed. */
  readonly hostsPerLeaf: number;
  /** Of hosts, by leaf. */
  readonly hostRate: Rates;
  /** Of all links between switches. */
  readonly linkRate: number;
  /** Of each link, picoseconds. */
  readonly delay: number;
}

/** `host1`, `leaf1` and `spine1` pod by pod, and `superspine1`; superspines 1 to k/2 are behind the first spine of each pod. */
export function fatTree(shape: FatTreeShape): Topology {
  const { k, hostsPerLeaf, hostRate, linkRate, delay } = shape;
  requireCounts({ k, hostsPerLeaf });
  if (k % 2 === 1) throw new SimulationInputError(`a fat-tree of k ${k}: k must be even`);
  const half = k / 2;
  const builder = new FabricBuilder();
  const between = { rate: linkRate, delay, loss: 0 };
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const leaves = numbers(k * half).map((leaf) => builder.addSwitch(`leaf${leaf + 1}`, 0));
  const spines = numbers(k * half).map((spine) => builder.addSwitch(`spine${spine + 1}`, 1));
  const superspines = numbers(half * half).map((core) => builder.addSwitch(`superspine${core + 1}`, 2));
  leaves.forEach((leaf, index) => {
    for (let host = index * hostsPerLeaf; host < (index + 1) * hostsPerLeaf; host++) {
      builder.link(builder.addHost(`host${host + 1}`), leaf, { rate: rateAt(hostRate, index), delay, loss: 0 });
    }
  });
  leaves.forEach((leaf, index) => {
    const pod = Math.floor(index / half);
    for (const spine of spines.slice(pod * half, (pod + 1) * half)) builder.link(leaf, spine, between);
  });
  spines.forEach((spine, index) => {
    const group = index % half;
    for (const core of superspines.slice(group * half, (group + 1) * half)) builder.link(spine, core, between);
  });
  return checkTopology(builder.build());
}
