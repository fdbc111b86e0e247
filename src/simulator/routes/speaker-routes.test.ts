import { describe, expect, it } from 'vitest';
import { shortestPaths } from '../network/shortest-paths.js';
import { type Topology, uplinksOf } from '../network/topology.js';

import { forwardingBy, playSpeakers } from './speaker-routes.js';

const HOSTS = 4;
const LEAVES = [4, 5];
const SPINES = [6, 7, 8];

/** Two leaves of two hosts each under three spines. */
const topology: Topology = {
  hosts: HOSTS,
  switches: 5,
  tiers: [0, 0, 1, 1, 1],
  names: ['host1', 'host2', 'host3', 'host4', 'leaf1', 'leaf2', 'spine1', 'spine2', 'spine3'],
  links: [
    ...[0, 1, 2, 3].map((host) => ({ a: host, b: LEAVES[host >> 1]!, rate: 100e9, delay: 1e6, loss: 0 })),
    ...LEAVES.flatMap((leaf) => SPINES.map((spine) => ({ a: leaf, b: spine, rate: 100e9, delay: 1e6, loss: 0 }))),
  ],
};

const MS = 1e9;
const options = { seed: 3, tableDelay: 1, until: 200 * MS };
const allUp = () => true;

describe('routes of real speakers', () => {
  it('are the shortest paths where nothing is coloured', async () => {
    const routes = await playSpeakers(topology, { planes: 1, coloured: false }, [], options);
    const decided = forwardingBy(topology, routes, allUp);
    const shortest = shortestPaths(topology, allUp);
    for (const node of [...LEAVES, ...SPINES]) {
      for (const [host, leaf] of [
        [0, 4],
        [3, 5],
      ] as const) {
        if (leaf === node) continue;
        expect(decided.portsOf(decided.groupOf(node, host)), `${node} ${host}`).toEqual(
          shortest.portsOf(shortest.groupOf(node, host)),
        );
      }
    }
  });

  it('pin each plane to the uplink of its colour, with the other uplinks behind it', async () => {
    const routes = await playSpeakers(topology, { planes: 3, coloured: true }, [], options);
    const forwarding = forwardingBy(topology, routes, allUp);
    const uplinks = uplinksOf(topology, LEAVES[0]!);
    for (const plane of [0, 1, 2]) {
      const atLeaf = routes.changes.find((change) => change.node === LEAVES[0] && change.prefix === 3 + plane)!;
      expect(atLeaf.primary).toEqual([uplinks[plane]]);
      expect(atLeaf.fallback).toEqual(uplinks.filter((_, place) => place !== plane));
      expect(forwarding.portsOf(forwarding.groupOf(LEAVES[0]!, 3 * 3 + plane))).toEqual([uplinks[plane]]);
    }
  });

  it('pin each plane to a link of its own where links are parallel, at leaves and at spines', async () => {
    const doubled = {
      ...topology,
      links: topology.links.flatMap((one) => (one.a < HOSTS ? [one] : [one, one])),
    };
    const routes = await playSpeakers(doubled, { planes: 6, coloured: true }, [], options);
    const uplinks = LEAVES.map((leaf) => uplinksOf(doubled, leaf));
    for (const plane of [0, 1, 2, 3, 4, 5]) {
      const primary = (node: number) =>
        routes.changes.findLast((change) => change.node === node && change.prefix === 6 + plane)!.primary;
      expect(primary(LEAVES[0]!)).toEqual([uplinks[0]![plane]]);
      const spine = SPINES[plane >> 1]!;
      // The other end of the far leaf's uplink.
      expect(primary(spine)).toEqual([uplinks[1]![plane]! ^ 1]);
    }
  });

  it('are the same at the start however long tables take', async () => {
    const quick = await playSpeakers(topology, { planes: 3, coloured: true }, [], options);
    const slow = await playSpeakers(topology, { planes: 3, coloured: true }, [], { ...options, tableDelay: 10_000 });
    const last = ({ changes }: typeof quick) =>
      Object.fromEntries(
        changes.map(({ node, prefix, primary, fallback }) => [`${node} ${prefix}`, { primary, fallback }]),
      );
    expect(slow.changes.every(({ at }) => at <= 0)).toBe(true);
    expect(last(slow)).toEqual(last(quick));
  });

  it('leave the spine whose link to the far leaf is gone, soon after it is, and come back', async () => {
    const far = topology.links.findIndex(({ a, b }) => a === LEAVES[1] && b === SPINES[1]);
    const failures = [
      { at: 10 * MS, link: far, up: false },
      { at: 60 * MS, link: far, up: true },
    ];
    const routes = await playSpeakers(topology, { planes: 3, coloured: true }, failures, {
      ...options,
      until: 3000 * MS,
    });
    const seen = routes.changes.filter((change) => change.node === LEAVES[0] && change.prefix === 4);
    const uplinks = uplinksOf(topology, LEAVES[0]!);
    const others = [uplinks[0], uplinks[2]];
    expect(seen.map(({ primary }) => primary)).toEqual([[uplinks[1]], others, [uplinks[1]]]);
    expect(seen[1]!.at / MS).toBeGreaterThan(10);
    expect(seen[1]!.at / MS).toBeLessThan(14);
    expect(seen[2]!.at / MS).toBeGreaterThan(60);
  });
});
