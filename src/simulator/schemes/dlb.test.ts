import { describe, expect, it } from 'vitest';
import { PacketKind } from '../network/packets.js';
import { Dlb, type DlbOptions, dlb } from './dlb.js';
import { ecmp } from './ecmp.js';
import { LeafTrial, leafSpineTopology, runFlows, simulate } from './scheme-trial.fixture.js';

const MICROSECOND = 1e6;
const T = 128 * MICROSECOND;
const LINE = 12_500;

function trial(options: Partial<DlbOptions>, spines = 4): LeafTrial<Dlb> {
  const leaf = new LeafTrial(spines, (context) => new Dlb(context, { ...dlb.defaults, ...options }));
  leaf.pairs(64);
  return leaf;
}

/** Makes an uplink bad, by load alone, in the microsecond before `time` (a whole one). */
function burden(leaf: LeafTrial<Dlb>, place: number, time: number, share = 1): void {
  for (let back = 20; back > 0; back--) {
    leaf.simulation.events.now = time - (back - 0.5) * MICROSECOND;
    leaf.depart(place, share * LINE);
  }
}

describe('flowlet mode', () => {
  it('does not look at an entry again before it was silent for the inactivity interval', () => {
    const leaf = trial({ rateWeightage: 100 });
    const first = leaf.ask(0, 1e9);
    burden(leaf, first, 1e9 + T);
    expect(leaf.ask(0, 1e9 + T)).toBe(first);
    burden(leaf, first, 1e9 + 2 * T);
    expect(leaf.ask(0, 1e9 + 2 * T + 1)).not.toBe(first);
    expect(leaf.scheme.counters()).toEqual({ flowlets: 2, moves: 1 });
  });

  it('stays on a port of the best band however often it looks', () => {
    const leaf = trial({});
    const first = leaf.ask(0, 1e9);
    for (let look = 1; look <= 200; look++) expect(leaf.ask(0, 1e9 + look * 2 * T)).toBe(first);
    expect(leaf.scheme.counters()).toEqual({ flowlets: 201, moves: 0 });
  });

  it('goes to the only port of the best band, and draws among several', () => {
    const leaf = trial({ rateWeightage: 100 });
    for (const place of [0, 1, 3]) burden(leaf, place, 1e9);
    for (let qp = 0; qp < 20; qp++) expect(leaf.ask(qp, 1e9)).toBe(2);
    const taken = new Set<number>();
    for (let qp = 20; qp < 60; qp++) taken.add(leaf.ask(qp, 2e9));
    expect([...taken].sort()).toEqual([0, 1, 2, 3]);
  });

  it('has flows that share an entry follow each other', () => {
    const leaf = trial({ flowsets: 2, rateWeightage: 100 });
    const byPlace = new Map<number, number[]>();
    for (let qp = 0; qp < 64; qp++) {
      const place = leaf.ask(qp, 1e9);
      byPlace.set(place, [...(byPlace.get(place) ?? []), qp]);
    }
    expect(byPlace.size).toBeLessThanOrEqual(2);
    const [[place, flows]] = [...byPlace] as [[number, number[]]];
    burden(leaf, place, 1e9 + 2 * T);
    const moved = leaf.ask(flows[0]!, 1e9 + 2 * T);
    expect(moved).not.toBe(place);
    for (const qp of flows.slice(1)) expect([place, moved]).toContain(leaf.ask(qp, 1e9 + 2 * T));
    expect(leaf.scheme.counters().moves).toBeLessThanOrEqual(2);
  });

  it('runs in herds as long as quality is not computed anew', () => {
    const sharesOfBest = [1_000_000, 62_500].map((samplingRate) => {
      const leaf = trial({ samplingRate, rateWeightage: 100, averaging: 0 });
      const interval = 1e12 / samplingRate;
      const start = 64 * 16 * MICROSECOND;
      leaf.simulation.events.now = start - interval / 2;
      for (const place of [0, 1, 2]) leaf.depart(place, (LINE * interval) / MICROSECOND);
      // A new flow each quarter of a microsecond, which sends at line rate for as long; all of it within 16 us.
      let herd = 0;
      for (let qp = 0; qp < 64; qp++) {
        const place = leaf.ask(qp, start + qp * 0.25 * MICROSECOND);
        leaf.depart(place, LINE / 4);
        if (place === 3) herd++;
      }
      return herd;
    });
    expect(sharesOfBest[1]).toBe(64);
    expect(sharesOfBest[0]).toBeLessThan(32);
  });

  it('leaves a port that went down with the next packet, and does not come back for its return', () => {
    const leaf = trial({});
    const first = leaf.ask(0, 1e9);
    leaf.fail(first);
    const second = leaf.ask(0, 1e9 + 1);
    expect(second).not.toBe(first);
    leaf.repair(first);
    for (let packet = 2; packet < 50; packet++) expect(leaf.ask(0, 1e9 + packet)).toBe(second);
  });

  it('hashes answers unless told otherwise', () => {
    const plain = new LeafTrial(4, (context) => ecmp.create(context, ecmp.defaults));
    plain.pairs(64);
    const leaf = trial({ rateWeightage: 100 });
    const all = trial({ rateWeightage: 100, answers: true });
    let differ = 0;
    for (let qp = 0; qp < 64; qp++) {
      const hashed = plain.ask(qp, 1e9, PacketKind.ack);
      expect(leaf.ask(qp, 1e9, PacketKind.ack)).toBe(hashed);
      if (all.ask(qp, 1e9, PacketKind.ack) !== hashed) differ++;
    }
    expect(differ).toBeGreaterThan(20);
  });
});

describe('assigned-flow mode', () => {
  it('never looks again, but for a port that is down', () => {
    const leaf = trial({ mode: 'assigned-flow', rateWeightage: 100 });
    const first = leaf.ask(0, 1e9);
    for (let look = 1; look < 50; look++) {
      const time = 1e9 + look * 10 * T;
      burden(leaf, first, time);
      expect(leaf.ask(0, time)).toBe(first);
    }
    leaf.fail(first);
    expect(leaf.ask(0, 2e12)).not.toBe(first);
  });
});

describe('per-packet mode', () => {
  it('spreads one queue pair over all ports that are equally good', () => {
    const leaf = trial({ mode: 'per-packet' });
    const counts = [0, 0, 0, 0];
    for (let packet = 0; packet < 4000; packet++) {
      const place = leaf.ask(0, 1e9 + packet);
      counts[place] = counts[place]! + 1;
    }
    expect(counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(16.3);
  });

  it('takes them one after the other when ties are in turn', () => {
    const leaf = trial({ mode: 'per-packet', ties: 'round-robin' });
    const places = Array.from({ length: 9 }, (_, packet) => leaf.ask(packet % 3, 1e9 + packet));
    for (let at = 0; at + 4 <= 9; at++) expect(new Set(places.slice(at, at + 4)).size).toBe(4);
  });

  it('passes worse ports by', () => {
    for (const ties of ['random', 'round-robin']) {
      const leaf = trial({ mode: 'per-packet', rateWeightage: 100, ties });
      burden(leaf, 1, 1e9, 0.5);
      for (let packet = 0; packet < 100; packet++) expect(leaf.ask(0, 1e9)).not.toBe(1);
    }
  });

  it('breaks go-back-N: packets overtake each other, and nearly all is sent more than once', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 8 });
    const flows = Array.from({ length: 8 }, (_, host) => ({
      source: host,
      destination: 8 + host,
      octets: 500_000,
      start: 0,
    }));
    const run = (mode: string) => {
      const simulation = simulate(topology, (context) => dlb.create(context, { ...dlb.defaults, mode }));
      const times = runFlows(simulation, flows, 5e9);
      return { resent: simulation.hosts.resent, slowest: Math.max(...times.map((time) => time || Infinity)) };
    };
    const flowlet = run('flowlet');
    const sprayed = run('per-packet');
    expect(flowlet.resent).toBe(0);
    expect(sprayed.resent).toBeGreaterThan(4000);
    expect(sprayed.slowest).toBeGreaterThan(1.5 * flowlet.slowest);
  });
});

describe('go-back-N that starts over again and again', () => {
  it('lets go of queue pairs that are done while they were to send again, and their numbers are used again', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 4, hosts: 8 });
    const options = { ...dlb.defaults, mode: 'per-packet' };
    const simulation = simulate(topology, (context) => dlb.create(context, options));
    const flows = Array.from({ length: 600 }, (_, index) => ({
      source: index % 16,
      destination: (index * 7 + 9) % 16,
      octets: 1000 * (1 + (index % 40)),
      start: index * 0.5e6,
    })).filter(({ source, destination }) => source !== destination);
    const times = runFlows(simulation, flows);
    expect(times.every((time) => time > 0)).toBe(true);
    expect(simulation.hosts.resent).toBeGreaterThan(1000);
    expect(simulation.queuePairs.size).toBeLessThan(flows.length / 2);
  });
});

describe('dlb', () => {
  it('does nothing for flows that are paced and start together: as good as hashing', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 4, hosts: 8 });
    const flows = Array.from({ length: 8 }, (_, host) => ({
      source: host,
      destination: 8 + host,
      octets: 2e6,
      start: 0,
    }));
    const simulation = simulate(topology, (context) => dlb.create(context, dlb.defaults));
    runFlows(simulation, flows);
    expect(simulation.scheme.counters!()).toEqual({ flowlets: 8, moves: 0 });
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    const refuses = (options: Partial<DlbOptions>) => dlb.refuses!(topology, { ...dlb.defaults, ...options });
    expect(refuses({})).toBeUndefined();
    expect(refuses({ mode: 'spray' })).toBe('mode spray: not one of flowlet, per-packet, assigned-flow');
    expect(refuses({ inactivity: -1 })).toContain('inactivity -1');
    expect(refuses({ flowsets: 1000 })).toContain('flowsets 1000');
    expect(refuses({ ties: 'none' })).toContain('ties none');
    expect(refuses({ minimum: 90 })).toContain('minimum 90');
  });
});
