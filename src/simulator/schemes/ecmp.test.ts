import { describe, expect, it } from 'vitest';
import { PacketKind } from '../network/packets.js';
import { Ecmp, type EcmpOptions, ecmp } from './ecmp.js';
import { LeafTrial } from './scheme-trial.fixture.js';

const trial = (spines: number, options: Partial<EcmpOptions> = {}) =>
  new LeafTrial(spines, (context) => new Ecmp(context, { ...ecmp.defaults, ...options }));

/** Of flows that one switch sends to its first port, by which of four ports the next switch would send them. */
function nextPlaces(options: Partial<EcmpOptions>): Set<number> {
  const leaf = trial(4, options);
  const places = new Set<number>();
  for (const qp of leaf.pairs(400)) {
    const packet = leaf.packet(qp);
    if (leaf.scheme.hash(leaf.node, packet) % 4 === 0) places.add(leaf.scheme.hash(leaf.node + 1, packet) % 4);
    leaf.simulation.packets.release(packet);
  }
  return places;
}

describe('ECMP', () => {
  it('keeps each flow on its port', () => {
    const leaf = trial(8);
    for (const qp of leaf.pairs(50)) {
      const place = leaf.ask(qp, 0);
      for (const time of [1, 1e6, 1e12]) expect(leaf.ask(qp, time)).toBe(place);
    }
  });

  it('spreads flows evenly: chi-square of 8,000 flows over 8 ports is below its 0.1 % limit', () => {
    const leaf = trial(8);
    const counts = new Array<number>(8).fill(0);
    for (const qp of leaf.pairs(8000)) {
      const place = leaf.ask(qp, 0);
      counts[place] = counts[place]! + 1;
    }
    expect(counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(24.3);
  });

  it('does not polarise: a seed a switch makes the next switch spread what one sent to one port', () => {
    expect(nextPlaces({}).size).toBe(4);
    expect(nextPlaces({ equalSeeds: true })).toEqual(new Set([0]));
  });

  it('hashes the answers of a flow by themselves, the other way round', () => {
    const leaf = trial(8);
    const differ = leaf.pairs(64).filter((qp) => leaf.ask(qp, 0) !== leaf.ask(qp, 0, PacketKind.ack));
    expect(differ.length).toBeGreaterThan(40);
  });

  it('moves most flows when a port goes down, and has them back when it is up', () => {
    const leaf = trial(8);
    const pairs = leaf.pairs(2000);
    const before = pairs.map((qp) => leaf.ask(qp, 0));
    leaf.fail(3);
    const during = pairs.map((qp) => leaf.ask(qp, 0));
    expect(during).not.toContain(3);
    const moved = before.filter((place, index) => place !== during[index]).length;
    expect(moved / pairs.length).toBeGreaterThan(0.8);
    leaf.repair(3);
    expect(pairs.map((qp) => leaf.ask(qp, 0))).toEqual(before);
  });

  it('E-ECMP spreads queue pairs that share addresses and ports, where ECMP has them all on one port', () => {
    const onPorts = (queuePair: boolean): number => {
      const leaf = trial(8, { queuePair });
      const { queuePairs } = leaf.simulation;
      const pairs = leaf.pairs(64);
      for (const qp of pairs) queuePairs.portsWord[qp] = 0x12b7c000;
      return new Set(pairs.map((qp) => leaf.ask(qp, 0))).size;
    };
    expect(onPorts(false)).toBe(1);
    expect(onPorts(true)).toBe(8);
  });
});
