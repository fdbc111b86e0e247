import { describe, expect, it } from 'vitest';
import { leavesOfHosts, type Topology } from '../network/topology.js';
import { oversubscription } from './capacity.js';
import { checkTopology } from './check-topology.js';
import { clos, railOptimised } from './clos.js';
import { fatTree } from './fat-tree.js';
import { parseNs3Topology } from './ns3-topology.js';

const PLAIN = { parallelLinks: 1, hostRate: 100e9, uplinkRate: 100e9, delay: 1e6 };
/** Neighbours by name, with how many links to each. */
function neighbours({ links, names }: Topology, name: string): Record<string, number> {
  const node = names.indexOf(name);
  const found: Record<string, number> = {};
  for (const { a, b } of links) {
    if (a !== node && b !== node) continue;
    const other = names[a === node ? b : a]!;
    found[other] = (found[other] ?? 0) + 1;
  }
  return found;
}

describe('a Clos of two tiers', () => {
  it('has each leaf at each spine, by as many links as said', () => {
    const fabric = clos({ ...PLAIN, leaves: 3, spines: 2, hostsPerLeaf: 4, parallelLinks: 2 });
    expect([fabric.hosts, fabric.switches, fabric.links.length]).toEqual([12, 5, 12 + 12]);
    expect(neighbours(fabric, 'leaf2')).toEqual({ host5: 1, host6: 1, host7: 1, host8: 1, spine1: 2, spine2: 2 });
    expect(neighbours(fabric, 'spine2')).toEqual({ leaf1: 2, leaf2: 2, leaf3: 2 });
    expect(oversubscription(fabric)).toBe(1);
  });

  it('mixes speeds: hosts by leaf, uplinks by spine', () => {
    const shape = { ...PLAIN, leaves: 3, spines: 2, hostsPerLeaf: 1 };
    const fabric = clos({ ...shape, hostRate: [200e9, 400e9], uplinkRate: [800e9, 400e9] });
    const rates = (name: string) => {
      const node = fabric.names.indexOf(name);
      return fabric.links.filter(({ a, b }) => a === node || b === node).map(({ rate }) => rate / 1e9);
    };
    expect(['host1', 'host2', 'host3'].flatMap(rates)).toEqual([200, 400, 200]);
    expect(rates('spine1')).toEqual([800, 800, 800]);
    expect(rates('spine2')).toEqual([400, 400, 400]);
  });

  it.each([
    [{ leaves: 0 }, 'a fabric with leaves 0: it must be a whole number, 1 or more'],
    [{ spines: 1.5 }, 'a fabric with spines 1.5'],
    [{ hostsPerLeaf: -1 }, 'a fabric with hostsPerLeaf -1'],
    [{ parallelLinks: 0 }, 'a fabric with parallelLinks 0'],
    [{ uplinkRate: 0 }, 'link leaf1 - spine1: a rate of 0 bit/s: it must be more than 0'],
    [{ hostRate: [] }, 'link host1 - leaf1: a rate of 0 bit/s'],
    [{ delay: -1 }, 'link host1 - leaf1: a delay of -1 ps'],
  ])('%j is refused: %s', (wrong, reason) => {
    expect(() => clos({ ...PLAIN, leaves: 2, spines: 2, hostsPerLeaf: 2, ...wrong })).toThrow(reason);
  });
});

describe('rail-optimised stripes', () => {
  it('put the GPUs of a server at the leaves of its stripe, as the validated design has it', () => {
    const fabric = railOptimised({
      stripes: 2,
      rails: 8,
      serversPerStripe: 4,
      spines: 4,
      parallelLinks: 2,
      hostRate: 400e9,
      uplinkRate: 800e9,
      delay: 1e6,
    });
    const leafNames = Array.from(leavesOfHosts(fabric), (leaf) => fabric.names[leaf]);
    expect(leafNames.slice(0, 9)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '1'].map((leaf) => `leaf${leaf}`));
    expect(leafNames.slice(32, 41)).toEqual(
      ['9', '10', '11', '12', '13', '14', '15', '16', '9'].map((leaf) => `leaf${leaf}`),
    );
    expect([fabric.hosts, fabric.switches]).toEqual([64, 20]);
    expect(neighbours(fabric, 'leaf9')).toMatchObject({ spine1: 2, spine2: 2, spine3: 2, spine4: 2 });
  });
});

describe('a fat-tree', () => {
  it('has the counts of the ns-3 models: k 8 with 256 hosts, k 4 with 32, both 2:1', () => {
    const shape = { hostRate: 100e9, linkRate: 100e9, delay: 1e6 };
    const eight = fatTree({ ...shape, k: 8, hostsPerLeaf: 8 });
    expect([eight.hosts, eight.switches, eight.links.length]).toEqual([256, 80, 512]);
    const four = fatTree({ ...shape, k: 4, hostsPerLeaf: 4 });
    expect([four.hosts, four.switches, four.links.length]).toEqual([32, 20, 64]);
    expect(oversubscription(four)).toBe(2);
    expect(neighbours(four, 'spine4')).toEqual({ leaf3: 1, leaf4: 1, superspine3: 1, superspine4: 1 });
    expect(neighbours(four, 'superspine1')).toEqual({ spine1: 1, spine3: 1, spine5: 1, spine7: 1 });
    expect(() => fatTree({ ...shape, k: 3, hostsPerLeaf: 1 })).toThrow('k must be even');
  });
});

const NS3 = `5 3 4
2 3 4
2 0 100Gbps 1000ns 0
1 3 40Gbps 1us 0
2 4 400Gbps 500ns 0.001
4 3 400Gbps 500ns 0
`;

describe('the topology text of the ns-3 models', () => {
  it('is read: links in order, lower ends first, tiers by distance', () => {
    const fabric = parseNs3Topology(NS3);
    expect(fabric.names).toEqual(['host1', 'host2', 'leaf1', 'leaf2', 'spine1']);
    expect(fabric.tiers).toEqual([0, 0, 1]);
    expect(fabric.links).toEqual([
      { a: 0, b: 2, rate: 100e9, delay: 1e6, loss: 0 },
      { a: 1, b: 3, rate: 40e9, delay: 1e6, loss: 0 },
      { a: 2, b: 4, rate: 400e9, delay: 5e5, loss: 0.001 },
      { a: 3, b: 4, rate: 400e9, delay: 5e5, loss: 0 },
    ]);
  });

  it.each([
    ['', 'topology: two lines at least are needed'],
    ['5 3\n', 'topology: two lines'],
    ['5 3 x\n2 3 4\n', 'topology line 1: 3 whole numbers are needed'],
    ['5 3 4\n2 3\n', 'topology line 2: 3 whole numbers are needed'],
    ['5 3 4\n2 3 5\n', 'topology line 2: the numbers of 3 switches are needed, each below 5'],
    ['5 3 5\n2 3 4\n0 2 1Gbps 1ns 0\n', 'topology line 1: 5 links are announced and 1 follow'],
    [NS3.replace('40Gbps', '40G'), 'topology line 4: 40G: expected a number and one of bps'],
    [NS3.replace('1us', '1'), 'topology line 4: 1: expected a number and one of ps'],
    [NS3.replace('1 3 40Gbps', '1 9 40Gbps'), 'topology line 4: 9 is no node'],
    [NS3.replace('0.001', 'some'), 'topology line 5: loss some: expected a number'],
    [NS3.replace('0.001', '0.001 7'), 'topology line 5: expected NODE NODE RATE DELAY LOSS'],
    [NS3.replace('40Gbps', '0Gbps'), 'link host2 - leaf2: a rate of 0 bit/s'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseNs3Topology(text)).toThrow(reason);
  });
});

describe('a topology is refused', () => {
  const good = clos({ ...PLAIN, leaves: 2, spines: 2, hostsPerLeaf: 1 });
  const withLinks = (change: (links: Topology['links'][number][]) => void): Topology => {
    const links = [...good.links];
    change(links);
    return { ...good, links };
  };
  const host = good.links[0]!;
  it.each([
    ['without hosts', { ...good, hosts: 0 }, 'a fabric without hosts'],
    ['without switches', { ...good, switches: 0 }, 'a fabric without switches'],
    ['with too few tiers', { ...good, tiers: [0] }, 'tiers of 1 switches, of 4'],
    ['with too few names', { ...good, names: [] }, 'names of 0 nodes, of 6'],
    [
      'with equal names',
      { ...good, names: good.names.map((name) => (name === 'host2' ? 'host1' : name)) },
      'called host1',
    ],
    ['with a host of two ports', withLinks((links) => links.push(host)), 'host1 has several ports'],
    ['with a host without a link', withLinks((links) => links.shift()), 'host1 has no link'],
    ['with hosts at one another', withLinks((links) => links.push({ ...host, b: 1 })), 'both ends are hosts'],
    ['with a host at a spine', withLinks((links) => links.splice(0, 1, { ...host, b: 4 })), 'host1 is at spine1'],
    ['with a link to itself', withLinks((links) => links.push({ ...host, a: 4, b: 4 })), 'the same node'],
    ['with an end that is not there', withLinks((links) => links.push({ ...host, a: 9 })), 'no node of the fabric'],
    ['with a loss of 1', withLinks((links) => links.splice(0, 1, { ...host, loss: 1 })), 'a loss of 1'],
    ['with two halves', withLinks((links) => links.splice(4, 2)), 'no way from host1 to host2'],
  ])('%s', (_, topology, reason) => {
    expect(() => checkTopology(topology)).toThrow(reason);
  });
});
