import { describe, expect, it } from 'vitest';
import { PacketKind } from '../network/packets.js';
import { Drill, type DrillOptions, drill } from './drill.js';
import { ecmp } from './ecmp.js';
import { LeafTrial, leafSpineTopology, runFlows, simulate } from './scheme-trial.fixture.js';

function trial(options: Partial<DrillOptions> = {}, spines = 8): LeafTrial<Drill> {
  const leaf = new LeafTrial(spines, (context) => new Drill(context, { ...drill.defaults, ...options }));
  leaf.pairs(8);
  return leaf;
}

describe('DRILL', () => {
  it('takes the shortest queue there is when it draws as many as there are', () => {
    const leaf = trial({ samples: 8, memory: 0 });
    for (let place = 0; place < 8; place++) leaf.queue(place, 10_000 + ((place * 5) % 8) * 1000);
    for (let packet = 0; packet < 20; packet++) expect(leaf.ask(0, packet)).toBe(0);
    leaf.queue(0, 50_000);
    expect(leaf.ask(0, 30)).toBe(5);
  });

  it('finds the shortest queue by its memory, and stays until it is not the shortest', () => {
    const leaf = trial();
    for (let place = 0; place < 8; place++) leaf.queue(place, place === 5 ? 0 : 100_000);
    let found = 0;
    while (leaf.ask(0, found) !== 5) found++;
    for (let packet = 0; packet < 200; packet++) expect(leaf.ask(packet % 8, 1000 + packet)).toBe(5);
    leaf.queue(5, 200_000);
    expect(leaf.ask(0, 2000)).not.toBe(5);
  });

  it('without memory finds it as often as two draws of eight do', () => {
    const leaf = trial({ memory: 0 });
    for (let place = 0; place < 8; place++) leaf.queue(place, place === 5 ? 0 : 100_000);
    let hits = 0;
    for (let packet = 0; packet < 4000; packet++) if (leaf.ask(0, packet) === 5) hits++;
    // 1/4 of 4,000, give or take four standard deviations.
    expect(Math.abs(hits - 1000)).toBeLessThan(110);
  });

  it('draws each port as often as any other, and none twice', () => {
    const leaf = trial({ memory: 0 });
    const counts = new Array<number>(8).fill(0);
    for (let packet = 0; packet < 8000; packet++) {
      const place = leaf.ask(0, packet);
      counts[place] = counts[place]! + 1;
    }
    expect(counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(24.3);
    const both = trial({ samples: 2, memory: 0 }, 2);
    both.queue(0, 1000);
    for (let packet = 0; packet < 100; packet++) expect(both.ask(0, packet)).toBe(1);
  });

  it('does not remember a port that went down', () => {
    const leaf = trial({ memory: 2 }, 4);
    for (const place of [1, 2, 3]) leaf.queue(place, 5000);
    while (leaf.ask(0, 0) !== 0) leaf.ask(0, 0);
    leaf.fail(0);
    for (let packet = 0; packet < 50; packet++) expect(leaf.ask(0, packet)).not.toBe(0);
  });

  it('hashes answers', () => {
    const leaf = trial();
    const plain = new LeafTrial(8, (context) => ecmp.create(context, ecmp.defaults));
    plain.pairs(8);
    for (let qp = 0; qp < 8; qp++) expect(leaf.ask(qp, 1, PacketKind.ack)).toBe(plain.ask(qp, 1, PacketKind.ack));
  });

  it('reorders: go-back-N sends again', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 4, hosts: 8 });
    const simulation = simulate(topology, (context) => drill.create(context, drill.defaults));
    const flows = Array.from({ length: 8 }, (_, host) => ({
      source: host,
      destination: 8 + host,
      octets: 100_000,
      start: host * 1000,
    }));
    runFlows(simulation, flows, 2e9);
    expect(simulation.hosts.outOfOrder).toBeGreaterThan(0);
    expect(simulation.hosts.resent).toBeGreaterThan(0);
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    expect(drill.refuses!(topology, drill.defaults)).toBeUndefined();
    expect(drill.refuses!(topology, { samples: 0, memory: 1 })).toContain('samples 0');
    expect(drill.refuses!(topology, { samples: 1.5, memory: 1 })).toContain('samples 1.5');
    expect(drill.refuses!(topology, { samples: 2, memory: 17 })).toContain('memory 17');
  });
});
