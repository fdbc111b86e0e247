import { describe, expect, it } from 'vitest';
import { PacketKind } from '../network/packets.js';
import { ecmp } from './ecmp.js';
import { LetFlow, letflow } from './letflow.js';
import { LeafTrial, leafSpineTopology, runFlows, simulate } from './scheme-trial.fixture.js';

const GAP = 100e6;

const trial = (spines = 8) => new LeafTrial(spines, (context) => new LetFlow(context, letflow.defaults));

describe('LetFlow', () => {
  it('keeps a flowlet on its port, and may take another after a longer gap', () => {
    const leaf = trial();
    const [qp] = leaf.pairs(1) as [number];
    let time = 1e9;
    const first = leaf.ask(qp, time);
    for (let packet = 0; packet < 500; packet++) {
      time += GAP;
      expect(leaf.ask(qp, time)).toBe(first);
    }
    const taken = new Set<number>();
    for (let flowlet = 0; flowlet < 100; flowlet++) {
      time += GAP + 1;
      taken.add(leaf.ask(qp, time));
    }
    expect(taken.size).toBe(8);
    expect(leaf.scheme.counters().flowlets).toBe(101);
  });

  it('draws evenly: chi-square of 8,000 flowlets over 8 ports is below its 0.1 % limit', () => {
    const leaf = trial();
    const [qp] = leaf.pairs(1) as [number];
    const counts = new Array<number>(8).fill(0);
    for (let flowlet = 1; flowlet <= 8000; flowlet++) {
      const place = leaf.ask(qp, flowlet * (GAP + 1));
      counts[place] = counts[place]! + 1;
    }
    expect(counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(24.3);
  });

  it('hashes answers, as ECMP does', () => {
    const leaf = trial();
    const plain = new LeafTrial(8, (context) => ecmp.create(context, ecmp.defaults));
    const pairs = leaf.pairs(32);
    plain.pairs(32);
    for (const kind of [PacketKind.ack, PacketKind.nack, PacketKind.cnp])
      for (const qp of pairs) {
        const expected = plain.ask(qp, 0, kind);
        for (const time of [1, 2, 5]) expect(leaf.ask(qp, time * 3 * GAP, kind)).toBe(expected);
      }
  });

  it('leaves a port that went down at once', () => {
    const leaf = trial(4);
    const [qp] = leaf.pairs(1) as [number];
    const first = leaf.ask(qp, 1e9);
    leaf.fail(first);
    const second = leaf.ask(qp, 1e9 + 1);
    expect(second).not.toBe(first);
    leaf.repair(first);
    expect(leaf.ask(qp, 1e9 + 2)).toBe(second);
  });

  it('moves nothing of flows that NICs pace: no gap is that long', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 4, hosts: 4 });
    const simulation = simulate(topology, (context) => letflow.create(context, letflow.defaults));
    const flows = Array.from({ length: 4 }, (_, host) => ({
      source: host,
      destination: 4 + host,
      octets: 1e6,
      start: 0,
    }));
    expect(runFlows(simulation, flows).every((time) => time > 0)).toBe(true);
    expect(simulation.scheme.counters!()).toEqual({ flowlets: 4, moves: 0 });
    expect(simulation.hosts.outOfOrder).toBe(0);
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    expect(letflow.refuses!(topology, letflow.defaults)).toBeUndefined();
    expect(letflow.refuses!(topology, { gap: -1, flowlets: 64 })).toContain('gap -1');
    expect(letflow.refuses!(topology, { gap: 100, flowlets: 100 })).toContain('flowlets 100');
  });
});
