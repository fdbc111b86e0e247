import { describe, expect, it } from 'vitest';
import type { FabricSimulation } from '../network/fabric-simulation.js';
import { PacketKind, ROW, Word } from '../network/packets.js';
import { SeededRandom } from '../seeded-random.js';
import type { Flow } from '../workload/flow-list.js';
import { dlb } from './dlb.js';
import { Glb, type GlbOptions, glb } from './glb.js';
import type { LoadBalancer, SchemeContext } from './scheme.js';
import { LeafTrial, leafSpineTopology, openPair, runFlows, simulate } from './scheme-trial.fixture.js';

const US = 1e6;
const IDLE = { start() {}, timer() {}, completed() {}, isDone: false };
const DOWN = 0;

const trial = (changes: Partial<GlbOptions> = {}) =>
  new LeafTrial(4, (context) => new Glb(context, { ...glb.defaults, ...changes }));

/** A heartbeat comes by an uplink: the band plus one of the spine's link to the other leaf, or `DOWN`. */
function hear(leaf: LeafTrial, place: number, quality: number): void {
  const packet = leaf.packet(0, PacketKind.scheme);
  const own = 8;
  leaf.simulation.packets.words[(packet << ROW) + Word.scheme] = own + 9 * quality;
  expect(leaf.scheme.received!(leaf.node, packet, leaf.uplinks[place]!)).toBe(false);
}

/** The uplinks that new flows take. */
function taken(leaf: LeafTrial, time: number): number[] {
  const places = leaf.pairs(100).map((qp) => leaf.ask(qp, time));
  return [...new Set(places)].sort();
}

/** What share of what a leaf sends goes by a spine that has half the rate to the other leaf. */
function shareOfSlow(scheme: (context: SchemeContext) => LoadBalancer): number {
  const rate = (leaf: number, spine: number) => 100 / (1 + leaf * spine);
  const simulation = simulate(leafSpineTopology({ leaves: 2, spines: 2, hosts: 8, rate }), scheme);
  const random = new SeededRandom(3);
  const flows: Flow[] = Array.from({ length: 750 }, (_, index) => ({
    source: index % 8,
    destination: 8 + Math.floor(random.next() * 8),
    octets: 20_000,
    start: Math.floor(random.next() * 2000) * US,
  }));
  expect(runFlows(simulation, flows).every((time) => time > 0)).toBe(true);
  const [fast, slow] = simulation.forwarding.portsOf(simulation.forwarding.groupOf(16, 8)) as [number, number];
  const { sentOctets } = simulation.ports;
  return sentOctets[slow]! / (sentOctets[fast]! + sentOctets[slow]!);
}

describe('GLB', () => {
  it('puts less on a way that is slower beyond the spine, which DLB does not see', () => {
    expect(shareOfSlow((context) => dlb.create(context, dlb.defaults))).toBeGreaterThan(0.45);
    expect(shareOfSlow((context) => new Glb(context))).toBeLessThan(0.42);
  });

  it('is worth less the rarer the heartbeats, and nothing when they are rarer than flows are long', () => {
    const share = (heartbeat: number) =>
      shareOfSlow((context) => new Glb(context, { ...glb.defaults, heartbeat, onChange: false }));
    expect(share(10)).toBeLessThan(0.42);
    expect(share(20_000)).toBeGreaterThan(0.45);
  });

  it('takes the better of the worse of both links, or of their mean', () => {
    const heard = (combination: string, remoteWeight: number) => {
      const leaf = trial({ combination, remoteWeight });
      for (const [place, quality] of [8, 4, 6, 1].entries()) hear(leaf, place, quality);
      // Uplink 0 is in band 3 here: it has sent four times in a microsecond what it can.
      leaf.depart(0, 50_000);
      return taken(leaf, US);
    };
    expect(heard('minimum', 50)).toEqual([2]);
    expect(heard('weighted', 50)).toEqual([2]);
    expect(heard('weighted', 100)).toEqual([0]);
    expect(heard('weighted', 0)).toEqual([1, 2, 3]);
  });

  it('trusts nothing that is three heartbeats old', () => {
    const takenAt = (time: number) => {
      const leaf = trial({ heartbeat: 100 });
      for (const place of [0, 1, 2, 3]) hear(leaf, place, place === 1 ? 8 : 1);
      return taken(leaf, time);
    };
    expect(takenAt(300 * US)).toEqual([1]);
    expect(takenAt(300 * US + 1)).toEqual([0, 1, 2, 3]);
  });

  it('counts each leaf for itself', () => {
    const leaf = trial();
    for (const place of [0, 1, 2, 3]) hear(leaf, place, place === 3 ? 8 : 1);
    expect(leaf.uplinks.map((port) => leaf.scheme.remoteBand(port, 1))).toEqual([0, 0, 0, 7]);
    expect(leaf.uplinks.map((port) => leaf.scheme.remoteBand(port, 0))).toEqual([7, 7, 7, 7]);
  });

  it.each([true, false])(
    'uses the same uplinks whether it hears of a link that went or routing does first (%s)',
    (heartbeatFirst) => {
      const leaf = trial();
      const { forwarding } = leaf.simulation;
      for (const place of [0, 1, 2, 3]) hear(leaf, place, 8);
      const withdraw = () =>
        forwarding.set(
          leaf.node,
          forwarding.prefixOf[2]!,
          [0, 1, 3].map((place) => leaf.uplinks[place]!),
          [],
        );
      const ask = () => {
        const group = forwarding.groupOf(leaf.node, 2);
        const places = leaf.pairs(100).map((qp) => {
          const packet = leaf.packet(qp);
          return leaf.uplinks.indexOf(leaf.scheme.choose(leaf.node, packet, group));
        });
        return [...new Set(places)].sort();
      };
      const steps = [() => hear(leaf, 2, DOWN), withdraw];
      if (!heartbeatFirst) steps.reverse();
      for (const step of steps) {
        step();
        expect(ask()).toEqual([0, 1, 3]);
      }
    },
  );

  it('tells of a link that went at once, and of all again when there is none better', () => {
    const { simulation, scheme, uplinks } = settled();
    const spine = 6;
    const link = simulation.forwarding.portsOf(simulation.forwarding.groupOf(spine, 2))[0]!;
    for (const end of [link, link ^ 1]) simulation.ports.up[end] = 0;
    simulation.forwarding.refresh();
    scheme.linkChanged(link);
    simulation.proceed(IDLE, 54 * US);
    expect(uplinks.map((port) => scheme.remoteBand(port, 1))).toEqual([-1, 7, 7, 7]);
    const group = simulation.forwarding.groupOf(4, 2);
    const chosen = Array.from({ length: 50 }, (_, number) => openPair(simulation, 0, 2, number)).map((qp) => {
      const packet = simulation.packets.allocate();
      simulation.packets.words.fill(0, packet << ROW, (packet + 1) << ROW);
      simulation.packets.words[(packet << ROW) + Word.queuePair] = qp;
      simulation.packets.words[(packet << ROW) + Word.destination] = 2;
      return uplinks.indexOf(scheme.choose(4, packet, group));
    });
    expect([...new Set(chosen)].sort()).toEqual([1, 2, 3]);
  });

  /** Two leaves and four spines whose heartbeats have been heard once. */
  function settled() {
    const simulation = simulate(
      leafSpineTopology({ leaves: 2, spines: 4, hosts: 2 }),
      (context) => new Glb(context, { ...glb.defaults, heartbeat: 50, check: 1000 }),
    );
    simulation.proceed(IDLE, 50 * US);
    const uplinks = simulation.forwarding.portsOf(simulation.forwarding.groupOf(4, 2));
    return { simulation, scheme: simulation.scheme as Glb, uplinks };
  }

  it('has room for 64 leaves in a heartbeat', () => {
    const simulation: FabricSimulation = simulate(
      leafSpineTopology({ leaves: 64, spines: 2, hosts: 1 }),
      (context) => new Glb(context, { ...glb.defaults, heartbeat: 50 }),
    );
    const { forwarding, ports } = simulation;
    const down = [0, 9, 10, 39, 63];
    for (const leaf of down) {
      const link = forwarding.portsOf(forwarding.groupOf(64 + 64, leaf))[0]!;
      for (const end of [link, link ^ 1]) ports.up[end] = 0;
    }
    simulation.proceed(IDLE, 100 * US);
    const [first, second] = forwarding.portsOf(forwarding.groupOf(64 + 1, 5)) as [number, number];
    const bands = (port: number) =>
      Array.from({ length: 64 }, (_, leaf) => (simulation.scheme as Glb).remoteBand(port, leaf));
    expect(bands(first)).toEqual(Array.from({ length: 64 }, (_, leaf) => (down.includes(leaf) ? -1 : 7)));
    expect(bands(second)).toEqual(new Array(64).fill(7));
  });

  it('refuses what GLB cannot do', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    const refused = (of: typeof topology, changes: Partial<GlbOptions> = {}) =>
      glb.refuses!(of, { ...glb.defaults, ...changes });
    expect(refused(topology)).toBeUndefined();
    expect(refused(leafSpineTopology({ leaves: 64, spines: 1, hosts: 1 }))).toBeUndefined();
    expect(refused(leafSpineTopology({ leaves: 65, spines: 1, hosts: 1 }))).toContain('65 leaves');
    expect(refused({ ...topology, tiers: [0, 0, 1, 2] })).toContain('5 stages');
    expect(refused({ ...topology, links: [...topology.links, topology.links.at(-1)!] })).toContain('parallel links');
    expect(refused(topology, { combination: 'product' })).toContain('combination product');
    expect(refused(topology, { mode: 'none' })).toContain('mode none');
  });
});
