import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import type { Flow } from '../workload/flow-list.js';
import { Conga, type CongaOptions, conga } from './conga.js';
import { LeafTrial, leafSpineTopology, runFlows, simulate } from './scheme-trial.fixture.js';

const US = 1e6;
/** Numbers of the two leaves of a trial. */
const HERE = 0;
const THERE = 1;

const trial = (changes: Partial<CongaOptions> = {}, spines = 4) =>
  new LeafTrial(spines, (context) => new Conga(context, { ...conga.defaults, ...changes }));

/** Flows of 20 kB from all hosts of leaf 0 to those of leaf 1 and, one in ten, back, as at `load` (Gb/s in all). */
function traffic(hosts: number, load: number, duration: number): Flow[] {
  const random = new SeededRandom(3);
  const octets = 20_000;
  const count = Math.floor((load * 1e9 * duration) / 1e12 / (octets * 8));
  const any = () => Math.floor(random.next() * hosts);
  return Array.from({ length: count }, (_, index) => {
    const [source, destination] = [any(), hosts + any()];
    const start = Math.floor(random.next() * duration);
    if (index % 10 === 0) return { source: destination, destination: source, octets, start };
    return { source, destination, octets, start };
  });
}

describe('CONGA', () => {
  it.each(['ns3', 'paper'])('puts a third on a way with half the rate at its far end (%s)', (profile) => {
    const topology = leafSpineTopology({
      leaves: 2,
      spines: 2,
      hosts: 8,
      rate: (leaf, spine) => 100 / (1 + leaf * spine),
    });
    const simulation = simulate(topology, (context) => new Conga(context, { ...conga.defaults, profile }));
    const times = runFlows(simulation, traffic(8, 130, 3e9));
    expect(times.every((time) => time > 0)).toBe(true);
    const [fast, slow] = simulation.forwarding.portsOf(simulation.forwarding.groupOf(16, 8)) as [number, number];
    const { sentOctets } = simulation.ports;
    const share = sentOctets[slow]! / (sentOctets[fast]! + sentOctets[slow]!);
    expect(share).toBeGreaterThan(0.28);
    expect(share).toBeLessThan(0.4);
  });

  it('takes the uplink that is least congested where it is worst, here or beyond', () => {
    const leaf = trial({ profile: 'paper' });
    const pairs = leaf.pairs(200);
    leaf.depart(0, 1.5e6);
    leaf.scheme.toLeaf.set(HERE, THERE, 1, 5);
    leaf.scheme.toLeaf.set(HERE, THERE, 3, 2);
    leaf.depart(3, 1e5);
    expect(new Set(pairs.map((qp) => leaf.ask(qp, 0)))).toEqual(new Set([2]));
    leaf.scheme.toLeaf.set(HERE, THERE, 2, 7);
    const again = leaf.pairs(300).slice(200);
    expect(new Set(again.map((qp) => leaf.ask(qp, 1)))).toEqual(new Set([3]));
  });

  it.each([
    ['paper', 10_000],
    ['ns3', 500],
  ])('forgets what is not renewed (%s: after %d us)', (profile, age) => {
    const leaf = trial({ profile });
    leaf.scheme.toLeaf.set(HERE, THERE, 0, 6);
    leaf.simulation.events.now = age * US;
    expect(leaf.scheme.toLeaf.metric(HERE, THERE, 0)).toBe(6);
    leaf.simulation.events.now = age * US + 1;
    expect(leaf.scheme.toLeaf.metric(HERE, THERE, 0)).toBe(0);
  });

  it.each(['paper', 'ns3'])(
    'draws among equals evenly: chi-square of 8,000 flowlets is below its 0.1 % limit (%s)',
    (profile) => {
      const leaf = trial({ profile });
      const counts = [0, 0, 0, 0];
      for (const qp of leaf.pairs(8000)) counts[leaf.ask(qp, 0)]!++;
      expect(counts.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0)).toBeLessThan(16.3);
    },
  );

  it('stays where it was among equals, as in the paper; the ns-3 models draw again', () => {
    const taken = (profile: string) => {
      const leaf = trial({ profile });
      const [qp] = leaf.pairs(1) as [number];
      return new Set(Array.from({ length: 50 }, (_, flowlet) => leaf.ask(qp, flowlet * 501 * US))).size;
    };
    expect(taken('paper')).toBe(1);
    expect(taken('ns3')).toBe(4);
  });

  it('keeps a flowlet on its uplink whatever happens, until it goes down', () => {
    const leaf = trial();
    const [qp] = leaf.pairs(1) as [number];
    const first = leaf.ask(qp, 0);
    leaf.scheme.toLeaf.set(HERE, THERE, first, 7);
    for (let time = 0; time < 1000; time += 99) expect(leaf.ask(qp, time * US)).toBe(first);
    leaf.fail(first);
    expect(leaf.ask(qp, 1000 * US)).not.toBe(first);
  });

  it('tells the other leaf of the ways that data came by, on data alone in the ns-3 profile', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 4 });
    const learned = (profile: string, back: boolean) => {
      const simulation = simulate(topology, (context) => new Conga(context, { ...conga.defaults, profile }));
      const flow = (source: number, destination: number) => ({ source, destination, octets: 4e6, start: 0 });
      const flows = [0, 1, 2, 3].map((host) => flow(host, 4 + host));
      runFlows(simulation, back ? [...flows, flow(4, 0)] : flows, 0.3e9);
      const { toLeaf } = simulation.scheme as Conga;
      return toLeaf.any(HERE, THERE, () => 0) >= 0;
    };
    expect([learned('ns3', true), learned('ns3', false), learned('paper', false)]).toEqual([true, false, true]);
  });

  it('refuses a fabric of three tiers and options that cannot be', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    expect(conga.refuses!(topology, conga.defaults)).toBeUndefined();
    expect(conga.refuses!({ ...topology, tiers: [0, 0, 1, 2] }, conga.defaults)).toContain('3 tiers');
    expect(conga.refuses!(topology, { ...conga.defaults, profile: 'mine' })).toContain('profile mine');
    expect(conga.refuses!(topology, { ...conga.defaults, bits: 0 })).toContain('bits 0');
    expect(conga.refuses!(topology, { ...conga.defaults, flowlets: 3 })).toContain('flowlets 3');
  });
});
