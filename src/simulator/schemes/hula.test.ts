import { describe, expect, it } from 'vitest';
import type { FabricSimulation, Workload } from '../network/fabric-simulation.js';
import { ROW, Word } from '../network/packets.js';
import type { Topology } from '../network/topology.js';
import { fatTree } from '../topology/fat-tree.js';
import { Hula, hula } from './hula.js';
import type { SchemeContext } from './scheme.js';
import { LeafTrial, leafSpineTopology, openPair, runFlows, simulate } from './scheme-trial.fixture.js';

const US = 1e6;
const IDLE: Workload = { start() {}, timer() {}, completed() {}, isDone: false };

function run(topology: Topology, changes: Partial<SchemeContext> = {}) {
  const simulation = simulate(topology, (context) => new Hula({ ...context, ...changes }));
  return { simulation, scheme: simulation.scheme as Hula };
}

/** Lets `count` queue pairs a source send for ever, and time pass. */
function load(simulation: FabricSimulation, pairs: readonly (readonly [number, number])[]): void {
  for (const [index, [source, destination]] of pairs.entries())
    simulation.hosts.post(openPair(simulation, source, destination, index), 1e9, index);
}

/** The bottleneck of the ways from a leaf to another by each spine, as octets that were sent since `before` say, 0 to 255. */
function bottlenecks(
  simulation: FabricSimulation,
  from: number,
  to: number,
  before: Float64Array,
  time: number,
): number[] {
  const { forwarding, ports } = simulation;
  const busy = (port: number) => ((ports.sentOctets[port]! - before[port]!) * ports.psPerOctet[port]! * 255) / time;
  return [...forwarding.portsOf(forwarding.groupOf(from, to))].map((up) => {
    const spine = ports.node[ports.peer[up]!]!;
    return Math.max(busy(up), busy(forwarding.portsOf(forwarding.groupOf(spine, to))[0]!));
  });
}

describe('HULA', () => {
  it('knows the least busy way, and how busy its bottleneck is, at a leaf that sends nothing itself', () => {
    // Hosts 4 to 11 of leaves 1 and 2 send to leaf 3 (hosts 12 on); leaf 0 is to know.
    const { simulation, scheme } = run(leafSpineTopology({ leaves: 4, spines: 3, hosts: 4 }));
    load(simulation, [
      [4, 12],
      [8, 13],
    ]);
    simulation.proceed(IDLE, 1000 * US);
    const before = simulation.ports.sentOctets.slice();
    simulation.proceed(IDLE, 1500 * US);
    const [leaf, there] = [16, 12];
    const busy = bottlenecks(simulation, leaf, there, before, 500 * US);
    const best = scheme.best(leaf, 3);
    const place = simulation.forwarding.portsOf(simulation.forwarding.groupOf(leaf, there)).indexOf(best);
    expect(busy[place]).toBe(Math.min(...busy));
    expect(Math.max(...busy)).toBeGreaterThan(60);
    expect(Math.abs(scheme.utilisationTo(leaf, 3) - busy[place]!)).toBeLessThan(10);
    // A spine has one way to the leaf: as busy as its link is.
    for (const [index, up] of simulation.forwarding.portsOf(simulation.forwarding.groupOf(leaf, there)).entries()) {
      const spine = simulation.ports.node[simulation.ports.peer[up]!]!;
      expect(Math.abs(scheme.utilisationTo(spine, 3) - busy[index]!)).toBeLessThan(20);
    }
  });

  it('sends flows round a link far away that is full', () => {
    const { simulation } = run(leafSpineTopology({ leaves: 3, spines: 2, hosts: 4 }));
    load(simulation, [[4, 8]]);
    simulation.proceed(IDLE, 500 * US);
    const { forwarding, ports } = simulation;
    const ways = forwarding.portsOf(forwarding.groupOf(13, 8));
    const full = ways.findIndex((port) => ports.sentOctets[port]! > 1e6);
    const from = forwarding.portsOf(forwarding.groupOf(12, 8));
    const before = from.map((port) => ports.sentOctets[port]!);
    load(simulation, [
      [0, 9],
      [1, 10],
    ]);
    simulation.proceed(IDLE, 520 * US);
    const sent = from.map((port, place) => ports.sentOctets[port]! - before[place]!);
    expect(sent[full]).toBeLessThan(3000);
    expect(sent[1 - full]).toBeGreaterThan(100_000);
  });

  it('passes a probe on once a round, on each link once at most, and never up again after down', () => {
    const topology = fatTree({ k: 4, hostsPerLeaf: 2, hostRate: 100e9, linkRate: 100e9, delay: US });
    const tierOf = (node: number) => topology.tiers[node - topology.hosts]!;
    const probes = new Map<string, number>();
    let cameFromAbove = false;
    const simulation = simulate(topology, (context) => {
      const send = (port: number, packet: number) => {
        const from = tierOf(context.ports.node[port]!);
        const to = tierOf(context.ports.node[context.ports.peer[port]!]!);
        if (cameFromAbove) expect(to).toBeLessThan(from);
        const key = `${context.packets.words[(packet << ROW) + Word.scheme]} ${port}`;
        probes.set(key, (probes.get(key) ?? 0) + 1);
        context.send(port, packet);
      };
      const scheme = new Hula({ ...context, send });
      return {
        choose: (node, packet, group) => scheme.choose(node, packet, group),
        timer: (leaf) => {
          cameFromAbove = false;
          scheme.timer(leaf);
        },
        received: (node, packet, ingress) => {
          cameFromAbove = tierOf(context.ports.node[context.ports.peer[ingress]!]!) > tierOf(node);
          return scheme.received(node, packet, ingress);
        },
      };
    });
    const rounds = 20;
    // Each leaf's last round has arrived 20 us after it was sent.
    simulation.proceed(IDLE, (rounds * 70 - 1) * US);
    const between = topology.links.filter(({ a }) => a >= topology.hosts).length;
    expect(probes.size).toBeLessThanOrEqual(8 * between);
    expect([...probes.values()].every((count) => count <= rounds)).toBe(true);
    expect([...probes.values()].filter((count) => count >= rounds - 1).length).toBe(probes.size);
  });

  it('has ECMP where no probe has come, and again when they stay out', () => {
    const leaf = new LeafTrial(4, (context) => new Hula(context));
    const pairs = leaf.pairs(64);
    const hashed = pairs.map((qp) => leaf.ask(qp, 0));
    expect(new Set(hashed).size).toBe(4);
    const probe = (place: number, utilisation: number) => {
      const packet = leaf.packet(0, 5);
      leaf.simulation.packets.words.set([1, utilisation], (packet << ROW) + Word.scheme);
      leaf.scheme.received(leaf.node, packet, leaf.uplinks[place]!);
    };
    const before = leaf.scheme.counters();
    leaf.simulation.events.now = 200 * US;
    probe(2, 90);
    expect(new Set(pairs.map((qp) => leaf.ask(qp, 200 * US)))).toEqual(new Set([2]));
    // A herd: all follow the first, of four ports.
    const counted = leaf.scheme.counters();
    expect(counted.followed! - before.followed!).toBe(63);
    expect([counted.soonAfter, counted.followedByChance]).toEqual([126, 32]);
    expect(before.followed).toBeLessThan(32);
    // Busier than the best: not taken. The best itself may become busier, and then another is better.
    probe(1, 90);
    probe(3, 91);
    expect(leaf.scheme.utilisationTo(leaf.node, 1)).toBe(90);
    probe(2, 200);
    expect(leaf.scheme.utilisationTo(leaf.node, 1)).toBe(200);
    probe(3, 91);
    expect(new Set(pairs.map((qp) => leaf.ask(qp, 301 * US)))).toEqual(new Set([3]));
    expect(pairs.map((qp) => leaf.ask(qp, 552 * US))).toEqual(hashed);
  });

  it('learns of a link that is cut far away from silence, without routing', () => {
    const { simulation, scheme } = run(leafSpineTopology({ leaves: 2, spines: 2, hosts: 2 }));
    simulation.proceed(IDLE, 300 * US);
    const { forwarding, ports } = simulation;
    const best = scheme.best(4, 1);
    const spine = ports.node[ports.peer[best]!]!;
    const cut = forwarding.portsOf(forwarding.groupOf(spine, 2))[0]!;
    for (const end of [cut, cut ^ 1]) ports.up[end] = 0;
    forwarding.refresh();
    simulation.proceed(IDLE, (300 + 5 * 70 + 71) * US);
    expect(scheme.best(4, 1)).not.toBe(best);
    expect(scheme.best(4, 1)).not.toBe(-1);
    expect(scheme.best(spine, 1)).toBe(-1);
  });

  it('brings flows to their ends in three tiers, in order', () => {
    const topology = fatTree({ k: 4, hostsPerLeaf: 2, hostRate: 100e9, linkRate: 100e9, delay: US });
    const { simulation } = run(topology);
    const flows = Array.from({ length: 16 }, (_, host) => ({
      source: host,
      destination: (host + 5) % 16,
      octets: 3e5,
      start: 200 * US,
    }));
    expect(runFlows(simulation, flows).every((time) => time > 0)).toBe(true);
    expect(simulation.hosts.outOfOrder).toBe(0);
  });

  it('refuses options that cannot be', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    expect(hula.refuses!(topology, hula.defaults)).toBeUndefined();
    expect(hula.refuses!(topology, { ...hula.defaults, transmitInterval: 71 })).toContain('transmitInterval 71');
    expect(hula.refuses!(topology, { ...hula.defaults, keepalive: 0 })).toContain('keepalive 0');
    for (const probeInterval of [1, 5, 70, 1e6]) {
      const options = { ...hula.defaultsWith!({ ...hula.defaults, probeInterval }), probeInterval };
      expect(hula.refuses!(topology, options)).toBeUndefined();
    }
  });
});
