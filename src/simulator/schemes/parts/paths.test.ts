import { describe, expect, it } from 'vitest';
import { ecmp } from '../ecmp.js';
import { leafSpineTopology, simulate } from '../scheme-trial.fixture.js';
import { Paths } from './paths.js';

const LEAF = 4;
const HOST_THERE = 2;

function fabric() {
  const topology = leafSpineTopology({ leaves: 2, spines: 3, hosts: 2 });
  const { forwarding, ports } = simulate(topology, (context) => ecmp.create(context, ecmp.defaults));
  return { forwarding, ports, paths: new Paths(forwarding, ports) };
}

describe('Paths', () => {
  it('finds all ways to another leaf, each with its ports and the propagation there and back', () => {
    const { forwarding, ports, paths } = fabric();
    const found = [...paths.to(LEAF, HOST_THERE)];
    expect(found.length).toBe(3);
    expect(paths.to(LEAF, HOST_THERE + 1)).toBe(paths.to(LEAF, HOST_THERE));
    const group = forwarding.groupOf(LEAF, HOST_THERE);
    const up = found.map((path) => paths.portAt(path, LEAF, group));
    expect(up).toEqual([...forwarding.portsOf(group)]);
    for (const [index, path] of found.entries()) {
      const spine = ports.node[ports.peer[up[index]!]!]!;
      const down = paths.portAt(path, spine, forwarding.groupOf(spine, HOST_THERE));
      expect(ports.node[ports.peer[down]!]).toBe(LEAF + 1);
      expect(paths.roundTrip[path]).toBe(4e6);
    }
    expect(paths.portAt(found[0]!, LEAF + 1, group)).toBe(-1);
  });

  it('keeps the numbers of paths when tables change, and gives no port that is not in them', () => {
    const { forwarding, ports, paths } = fabric();
    const before = [...paths.to(LEAF, HOST_THERE)];
    const group = forwarding.groupOf(LEAF, HOST_THERE);
    const gone = forwarding.portsOf(group)[1]!;
    ports.up[gone] = 0;
    forwarding.refresh();
    expect([...paths.to(LEAF, HOST_THERE)]).toEqual([before[0], before[2]]);
    expect(paths.portAt(before[1]!, LEAF, group)).toBe(-1);
    ports.up[gone] = 1;
    forwarding.refresh();
    expect([...paths.to(LEAF, HOST_THERE)]).toEqual(before);
  });
});
