import { describe, expect, it } from 'vitest';
import { leavesOfHosts } from '../network/topology.js';
import { clos } from '../topology/clos.js';
import { acrossLeaves } from './rank-order.js';

describe('ranks across leaves', () => {
  it('are all members, and no neighbours of the ring at one leaf', () => {
    const topology = clos({
      leaves: 3,
      spines: 2,
      hostsPerLeaf: 4,
      parallelLinks: 1,
      hostRate: 100e9,
      uplinkRate: 100e9,
      delay: 1e6,
    });
    const members = Array.from({ length: 12 }, (_, host) => host);
    const ring = acrossLeaves(topology, members);
    expect(ring).toEqual([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    const leaves = leavesOfHosts(topology);
    ring.forEach((host, rank) => {
      expect(leaves[host]).not.toBe(leaves[ring[(rank + 1) % ring.length]!]);
    });
  });
});
