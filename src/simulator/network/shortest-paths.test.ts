import { describe, expect, it } from 'vitest';
import { clos } from '../topology/clos.js';
import { fatTree } from '../topology/fat-tree.js';
import type { Forwarding } from './forwarding.js';
import { setShortestPaths, shortestPaths } from './shortest-paths.js';
import { smallClos } from './small-fabric.fixture.js';
import type { Topology } from './topology.js';

/** Forwarding of a fabric in which links are down, after routing has learned of it. */
function without(topology: Topology, down: readonly number[]): Forwarding {
  const isUp = (port: number) => !down.includes(port >> 1);
  const forwarding = shortestPaths(topology, isUp);
  setShortestPaths(forwarding, topology, isUp);
  return forwarding;
}

/** Names of the switches that a switch sends a host's packets to. */
function nextHops(topology: Topology, forwarding: Forwarding, from: string, host: string): string[] {
  const group = forwarding.groupOf(topology.names.indexOf(from), topology.names.indexOf(host));
  if (group < 0) return [];
  return forwarding.portsOf(group).map((port) => {
    const { a, b } = topology.links[port >> 1]!;
    return topology.names[port % 2 === 0 ? b : a]!;
  });
}

/** Whether buffers wait for one another in a circle: a port waits for those that packets which come by it may be sent to next. */
function hasCycle(topology: Topology, forwarding: Forwarding): boolean {
  const nodeOf = (port: number) => (port % 2 === 0 ? topology.links[port >> 1]!.a : topology.links[port >> 1]!.b);
  const next = new Map<number, Set<number>>();
  for (let host = 0; host < topology.hosts; host++) {
    const reached = new Set(
      topology.links.flatMap(({ a }, link) => (a < topology.hosts && a !== host ? [link * 2] : [])),
    );
    for (const port of reached) {
      const node = nodeOf(port ^ 1);
      const group = forwarding.leafOf[host] === node ? -1 : forwarding.groupOf(node, host);
      for (const other of group < 0 ? [] : forwarding.portsOf(group)) {
        next.set(port, (next.get(port) ?? new Set()).add(other));
        reached.add(other);
      }
    }
  }
  const done = new Set<number>();
  const visit = (port: number, path: ReadonlySet<number>): boolean => {
    if (path.has(port)) return true;
    if (done.has(port)) return false;
    done.add(port);
    const longer = new Set([...path, port]);
    return [...(next.get(port) ?? [])].some((other) => visit(other, longer));
  };
  return [...next.keys()].some((port) => visit(port, new Set()));
}

describe('shortest paths', () => {
  it('go by all spines of a Clos, and down by the one link', () => {
    const topology = smallClos(3, 3, 2);
    const forwarding = shortestPaths(topology, () => true);
    expect(nextHops(topology, forwarding, 'leaf1', 'host3')).toEqual(['spine1', 'spine2', 'spine3']);
    expect(nextHops(topology, forwarding, 'spine2', 'host3')).toEqual(['leaf2']);
  });

  it('have each of parallel links', () => {
    const shape = { leaves: 2, spines: 2, hostsPerLeaf: 1, hostRate: 1e9, uplinkRate: 1e9, delay: 0 };
    const topology = clos({ ...shape, parallelLinks: 2 });
    const forwarding = shortestPaths(topology, () => true);
    expect(nextHops(topology, forwarding, 'leaf1', 'host2')).toEqual(['spine1', 'spine1', 'spine2', 'spine2']);
  });

  it('avoid a spine that has lost its link to the leaf', () => {
    const topology = smallClos(3, 3, 1);
    const down = topology.links.findIndex(
      ({ a, b }) => topology.names[a] === 'leaf2' && topology.names[b] === 'spine1',
    );
    const forwarding = without(topology, [down]);
    expect(nextHops(topology, forwarding, 'leaf1', 'host2')).toEqual(['spine2', 'spine3']);
    expect(nextHops(topology, forwarding, 'leaf1', 'host3')).toEqual(['spine1', 'spine2', 'spine3']);
    // Down and up again would be a way, but none that is taken.
    expect(nextHops(topology, forwarding, 'spine1', 'host2')).toEqual([]);
  });

  it('lead nowhere from a leaf without a common spine', () => {
    const topology = smallClos(2, 2, 1);
    const link = (leaf: string, spine: string) =>
      topology.links.findIndex(({ a, b }) => topology.names[a] === leaf && topology.names[b] === spine);
    const forwarding = without(topology, [link('leaf1', 'spine1'), link('leaf2', 'spine2')]);
    expect(nextHops(topology, forwarding, 'leaf1', 'host2')).toEqual([]);
  });

  it('stay in the pod of a fat-tree where they can', () => {
    const topology = fatTree({ k: 4, hostsPerLeaf: 1, hostRate: 1e9, linkRate: 1e9, delay: 0 });
    const forwarding = shortestPaths(topology, () => true);
    expect(nextHops(topology, forwarding, 'leaf1', 'host2')).toEqual(['spine1', 'spine2']);
    expect(nextHops(topology, forwarding, 'spine1', 'host2')).toEqual(['leaf2']);
    expect(nextHops(topology, forwarding, 'spine1', 'host3')).toEqual(['superspine1', 'superspine2']);
    expect(nextHops(topology, forwarding, 'superspine1', 'host3')).toEqual(['spine3']);
  });

  it('never make buffers wait for one another in a circle, whichever two links fail', () => {
    const fabrics = [smallClos(3, 2, 1), fatTree({ k: 4, hostsPerLeaf: 1, hostRate: 1e9, linkRate: 1e9, delay: 0 })];
    for (const topology of fabrics) {
      const links = topology.links.flatMap(({ a }, link) => (a >= topology.hosts ? [link] : []));
      for (const one of links.filter((_, index) => index % 3 === 0)) {
        for (const other of links) expect(hasCycle(topology, without(topology, [one, other]))).toBe(false);
      }
    }
  });

  it('would, with ways down and up again: what the check is for', () => {
    const topology = smallClos(3, 2, 1);
    const forwarding = shortestPaths(topology, () => true);
    const port = (from: string, to: string) => {
      const [one, other] = [topology.names.indexOf(from), topology.names.indexOf(to)];
      const link = topology.links.findIndex(({ a, b }) => (a === one && b === other) || (a === other && b === one));
      return link * 2 + (topology.links[link]!.a === one ? 0 : 1);
    };
    // host1 is at leaf1: spine1 to leaf2 to spine2 to leaf3 to spine1.
    const prefix = forwarding.prefixOf[0]!;
    for (const [from, to] of [
      ['spine1', 'leaf2'],
      ['leaf2', 'spine2'],
      ['spine2', 'leaf3'],
      ['leaf3', 'spine1'],
    ] as const) {
      forwarding.set(topology.names.indexOf(from), prefix, [port(from, to)], []);
    }
    expect(hasCycle(topology, forwarding)).toBe(true);
  });
});
