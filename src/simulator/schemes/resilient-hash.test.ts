import { describe, expect, it } from 'vitest';
import { ResilientHash, resilientHash } from './resilient-hash.js';
import { LeafTrial, leafSpineTopology } from './scheme-trial.fixture.js';

const FLOWS = 2000;

function trial(spines = 8) {
  const leaf = new LeafTrial(spines, (context) => new ResilientHash(context, resilientHash.defaults));
  const pairs = leaf.pairs(FLOWS);
  return { leaf, places: () => pairs.map((qp) => leaf.ask(qp, 0)) };
}

const movedBetween = (one: readonly number[], other: readonly number[]) =>
  one.filter((place, index) => place !== other[index]);

describe('resilient hashing', () => {
  it('spreads flows evenly: chi-square over 8 ports is below its 0.1 % limit', () => {
    const { places } = trial();
    const counts = new Array<number>(8).fill(0);
    for (const place of places()) counts[place] = counts[place]! + 1;
    expect(counts.reduce((sum, count) => sum + (count - FLOWS / 8) ** 2 / (FLOWS / 8), 0)).toBeLessThan(24.3);
  });

  it('moves the flows of a port that goes down and no others, to all the rest, and back', () => {
    const { leaf, places } = trial();
    const before = places();
    leaf.fail(3);
    const during = places();
    expect(movedBetween(before, during).every((place) => place === 3)).toBe(true);
    expect(during).not.toContain(3);
    const takers = new Set(during.filter((_, index) => before[index] === 3));
    expect(takers.size).toBe(7);
    leaf.repair(3);
    expect(places()).toEqual(before);
  });

  it('moves only what it has to when a second one goes down, and is as before when both are up, in either order', () => {
    for (const back of [
      [1, 6],
      [6, 1],
    ] as const) {
      const { leaf, places } = trial();
      const before = places();
      leaf.fail(1);
      const one = places();
      leaf.fail(6);
      const two = places();
      expect(new Set(movedBetween(one, two))).toEqual(new Set([6]));
      for (const place of back) leaf.repair(place);
      expect(places()).toEqual(before);
    }
  });

  it('knows of ports that are down before the first packet comes', () => {
    const { leaf, places } = trial(2);
    leaf.fail(0);
    expect(new Set(places())).toEqual(new Set([1]));
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    expect(resilientHash.refuses!(topology, resilientHash.defaults)).toBeUndefined();
    expect(resilientHash.refuses!(topology, { buckets: 500 })).toContain('buckets 500');
  });
});
