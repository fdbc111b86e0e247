import { describe, expect, it } from 'vitest';
import { PacketKind, ROW, Word } from '../../network/packets.js';
import { fatTree } from '../../topology/fat-tree.js';
import { ecmp } from '../ecmp.js';
import type { SchemeContext } from '../scheme.js';
import { LeafTrial, leafSpineTopology, openPair, runFlows, simulate } from '../scheme-trial.fixture.js';
import { Caver, type CaverOptions, caver } from './caver.js';

const US = 1e6;
const IDLE = { start() {}, timer() {}, completed() {}, isDone: false };

const trial = (changes: Partial<CaverOptions> = {}) =>
  new LeafTrial(4, (context) => new Caver(context, { ...caver.defaults, ...changes }));

/** A route from the trial's leaf by an uplink, and on by the port that its spine has to the other leaf. */
function routeBy({ simulation, scheme, uplinks }: LeafTrial<Caver>, place: number): number {
  const { ports, forwarding } = simulation;
  const spine = ports.node[ports.peer[uplinks[place]!]!]!;
  const down = forwarding.portsOf(forwarding.groupOf(spine, 2))[0]!;
  return scheme.routes.before(uplinks[place]!, scheme.routes.before(down, 0));
}

/** Host 2's place in the path table of leaf 0. */
const ENTRY = 2;

describe('CAVER at the source', () => {
  it('gives new flows the newest route that no other has, then any that is valid, and keeps a flow on its own', () => {
    const leaf = trial();
    const pairs = leaf.pairs(64);
    for (const place of [3, 1, 2]) leaf.scheme.pathTable.push(ENTRY, routeBy(leaf, place));
    expect(pairs.slice(0, 3).map((qp) => leaf.ask(qp, 0))).toEqual([2, 1, 3]);
    expect(new Set(pairs.slice(3, 40).map((qp) => leaf.ask(qp, 1)))).toEqual(new Set([1, 2, 3]));
    expect(pairs.slice(0, 3).map((qp) => leaf.ask(qp, 1000 * US))).toEqual([2, 1, 3]);
    leaf.scheme.pathTable.push(ENTRY, routeBy(leaf, 0));
    expect(leaf.ask(pairs[50]!, 1000 * US)).toBe(0);
    expect(leaf.scheme.counters()).toEqual({ unused: 4, reused: 37, hashed: 0, strayed: 0 });
    // After 2 ms of silence it is a new flow.
    leaf.scheme.pathTable.push(ENTRY, routeBy(leaf, 3));
    expect(leaf.ask(pairs[0]!, 3001 * US)).toBe(3);
  });

  it('hashes while it knows nothing, and when all it knows is old', () => {
    const leaf = trial();
    const plain = new LeafTrial(4, (context) => ecmp.create(context, ecmp.defaults));
    const pairs = leaf.pairs(64);
    plain.pairs(64);
    const hashed = pairs.map((qp) => plain.ask(qp, 0));
    expect(pairs.slice(0, 20).map((qp) => leaf.ask(qp, 0))).toEqual(hashed.slice(0, 20));
    for (let place = 0; place < 4; place++) leaf.scheme.pathTable.push(ENTRY, routeBy(leaf, place));
    expect(pairs.slice(20).map((qp) => leaf.ask(qp, 10_001 * US))).toEqual(hashed.slice(20));
    expect(leaf.scheme.counters().hashed).toBe(64);
  });

  it('hashes answers', () => {
    const leaf = trial();
    const plain = new LeafTrial(4, (context) => ecmp.create(context, ecmp.defaults));
    leaf.scheme.pathTable.push(ENTRY, routeBy(leaf, 1));
    const pairs = leaf.pairs(32);
    plain.pairs(32);
    for (const kind of [PacketKind.ack, PacketKind.nack, PacketKind.cnp])
      for (const qp of pairs) expect(leaf.ask(qp, 0, kind)).toBe(plain.ask(qp, 0, kind));
  });

  it('leaves a route whose port is gone for the hash, and counts that', () => {
    const leaf = trial();
    const [qp] = leaf.pairs(1) as [number];
    leaf.scheme.pathTable.push(ENTRY, routeBy(leaf, 2));
    expect(leaf.ask(qp, 0)).toBe(2);
    leaf.fail(2);
    expect(leaf.ask(qp, 1)).not.toBe(2);
    expect(leaf.scheme.counters().strayed).toBe(1);
  });
});

describe('CAVER at a switch that an ACK passes', () => {
  /** Spine 6 of the trial's fabric, and its ports to the leaves: ACKs of host 2 come in from leaf 5, and could from elsewhere. */
  function spine() {
    const leaf = trial();
    const { simulation, scheme } = leaf;
    const node = 6;
    const [toFirst, toSecond] = [4, 5].map(
      (other) =>
        [...simulation.ports.node.keys()].find(
          (port) =>
            simulation.ports.node[port] === node && simulation.ports.node[simulation.ports.peer[port]!] === other,
        )!,
    ) as [number, number];
    const pass = (
      ingress: number,
      good: readonly [route: number, congestion: number],
      best: readonly [number, number],
    ) => {
      const packet = leaf.packet(0, PacketKind.ack);
      const { words } = simulation.packets;
      words.set([3, good[0], best[0], good[1], best[1]], (packet << ROW) + Word.scheme);
      expect(scheme.received(node, packet, ingress)).toBe(true);
      const [, newGood, newBest, goodCongestion, bestCongestion] = words.subarray((packet << ROW) + Word.scheme);
      simulation.packets.release(packet);
      return { good: [newGood, goodCongestion], best: [newBest, bestCongestion] };
    };
    const heat = (port: number, octets: number) => {
      const packet = leaf.packet(0);
      simulation.packets.words[(packet << ROW) + Word.bytes] = octets;
      scheme.queueing(port, packet);
      simulation.packets.release(packet);
    };
    return { simulation, scheme, pass, heat, toFirst, toSecond, entry: scheme.at(node, 2) };
  }

  it('takes the better route, that of the same port whatever it is, and adds its own link', () => {
    const { scheme, pass, heat, toFirst, toSecond } = spine();
    const { before } = scheme.routes;
    const by = (port: number, rest = 0) => before.call(scheme.routes, port, rest);
    heat(toFirst, 1.25e6);
    const link = scheme.congestion(toFirst);
    expect(link).toBe(Math.floor((1.25e6 * 80 * 256) / 250e6));
    expect(pass(toFirst, [7, 10], [9, 10]).best).toEqual([by(toFirst, 9), link]);
    expect(pass(toSecond, [8, 101], [8, 101]).best).toEqual([by(toSecond, 8), 101]);
    // Worse by another port: not taken. Worse by its own: it has become worse.
    expect(pass(toFirst, [7, 150], [7, 150]).best).toEqual([by(toSecond, 8), 101]);
    expect(pass(toSecond, [8, 120], [8, 120]).best).toEqual([by(toSecond, 8), 120]);
    // As good is taken.
    expect(pass(toFirst, [7, 120], [7, 120]).best).toEqual([by(toFirst, 7), 120]);
  });

  it('gives the good route it had and takes the new one', () => {
    const { scheme, pass, toFirst, toSecond } = spine();
    const by = (port: number, rest: number) => scheme.routes.before(port, rest);
    expect(pass(toFirst, [7, 20], [7, 20]).good).toEqual([by(toFirst, 7), 20]);
    expect(pass(toSecond, [8, 30], [8, 30]).good).toEqual([by(toFirst, 7), 20]);
    expect(pass(toFirst, [9, 40], [9, 20]).good).toEqual([by(toSecond, 8), 30]);
  });

  it('keeps no route that is not good enough: the best instead', () => {
    const { scheme, pass, toFirst, entry } = spine();
    const best = scheme.routes.before(toFirst, 9);
    // Free of the best 256 - 16; of the good one 160 times 1.5 is as much, 159 times 1.5 is less.
    for (const [told, kept] of [
      [96, scheme.routes.before(toFirst, 7)],
      [97, best],
      [256, best],
    ] as const) {
      pass(toFirst, [7, told], [9, 16]);
      expect([scheme.good.route(entry), scheme.best.route(entry)]).toEqual([kept, best]);
    }
  });

  it('forgets both after half a millisecond', () => {
    const { simulation, scheme, pass, toFirst, toSecond, entry } = spine();
    pass(toFirst, [7, 0], [7, 0]);
    simulation.events.now = 500 * US;
    expect([scheme.best.has(entry), scheme.good.has(entry)]).toEqual([true, true]);
    simulation.events.now = 500 * US + 1;
    const route = scheme.routes.before(toSecond, 8);
    expect(pass(toSecond, [8, 200], [8, 200])).toEqual({ good: [route, 200], best: [route, 200] });
  });
});

describe('CAVER in a fabric', () => {
  const caverOf = (context: SchemeContext) => new Caver(context);

  it('knows a way round a link far away that is full, once ACKs have told of it', () => {
    const simulation = simulate(leafSpineTopology({ leaves: 3, spines: 2, hosts: 4 }), caverOf);
    const { forwarding, ports } = simulation;
    const { pathTable, routes } = simulation.scheme as Caver;
    simulation.hosts.post(openPair(simulation, 4, 8, 0), 1e9, 0);
    simulation.proceed(IDLE, 300 * US);
    const full = forwarding.portsOf(forwarding.groupOf(13, 8)).findIndex((port) => ports.sentOctets[port]! > 1e6);
    const [leaf, number] = [12, 0];
    const uplinks = forwarding.portsOf(forwarding.groupOf(leaf, 8));
    expect(pathTable.takeUnused(number * 12 + 9)).toBe(0);
    // Small messages, whose ACKs come back by either spine.
    for (let flow = 1; flow <= 20; flow++) {
      simulation.hosts.post(openPair(simulation, 0, 9, flow), 3000, flow);
      simulation.proceed(IDLE, (300 + flow * 10) * US);
    }
    // The link to host 8 is full itself: any way there is as good.
    for (const host of [9, 10, 11]) {
      const route = pathTable.takeUnused(number * 12 + host);
      expect(uplinks.indexOf(routes.portAt(leaf, route))).toBe(1 - full);
    }
  });

  it('takes shortest ways only, in three tiers as well, and delivers all in order', () => {
    const topology = fatTree({ k: 4, hostsPerLeaf: 2, hostRate: 100e9, linkRate: 100e9, delay: US });
    const simulation = simulate(topology, caverOf);
    const flows = Array.from({ length: 320 }, (_, index) => ({
      source: index % 16,
      destination: (index * 7 + 3) % 16,
      octets: 20_000,
      start: Math.floor(index / 16) * 10 * US,
    })).filter(({ source, destination }) => source !== destination);
    expect(runFlows(simulation, flows).every((time) => time > 0)).toBe(true);
    const counters = simulation.scheme.counters!();
    expect(counters.unused).toBeGreaterThan(100);
    expect(counters.strayed).toBe(0);
    expect([simulation.hosts.outOfOrder, simulation.hosts.resent]).toEqual([0, 0]);
    // Each data packet crosses six links at most, and each of them but the first and the last is between switches.
    const between = topology.links.flatMap(({ a }, link) => (a < topology.hosts ? [] : [2 * link, 2 * link + 1]));
    const octets = between.reduce((sum, port) => sum + simulation.ports.sentOctets[port]!, 0);
    const plain = simulate(topology, (context) => ecmp.create(context, ecmp.defaults));
    runFlows(plain, flows);
    expect(octets).toBe(between.reduce((sum, port) => sum + plain.ports.sentOctets[port]!, 0));
  });

  it('refuses what a source route cannot hold, and options that cannot be', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    expect(caver.refuses!(topology, caver.defaults)).toBeUndefined();
    expect(caver.refuses!({ ...topology, tiers: [0, 1, 2, 3] }, caver.defaults)).toContain('4 tiers');
    const wide = leafSpineTopology({ leaves: 2, spines: 1, hosts: 255 });
    expect(caver.refuses!(wide, caver.defaults)).toContain('256 ports');
    expect(caver.refuses!(topology, { ...caver.defaults, paths: 0 })).toContain('paths 0');
    expect(caver.refuses!(topology, { ...caver.defaults, coefficient: 0.5 })).toContain('coefficient 0.5');
  });
});
