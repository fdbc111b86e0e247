import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../seeded-random.js';
import { type Buckets, rebalance } from './rebalance.js';

const LIMITS = { tolerance: 20, moves: 8 };

function buckets(places: readonly number[], octets: readonly number[], weights: readonly number[]): Buckets {
  return { places: Int32Array.from(places), octets: Float64Array.from(octets), weights };
}

function loadsOf({ places, octets, weights }: Buckets): number[] {
  const loads = weights.map(() => 0);
  for (const [bucket, place] of places.entries()) loads[place] = loads[place]! + octets[bucket]!;
  return loads;
}

const heaviest = (of: Buckets) => Math.max(...loadsOf(of).map((load, place) => load / of.weights[place]!));

describe('rebalance', () => {
  it('moves the largest bucket that does not overshoot', () => {
    const of = buckets([0, 0, 0, 1], [60, 25, 35, 40], [1, 1]);
    expect(rebalance(of, { ...LIMITS, moves: 1 })).toBe(1);
    // Half the difference is 40.
    expect([...of.places]).toEqual([0, 0, 1, 1]);
  });

  it('never makes the largest load larger, whatever it is given', () => {
    const random = new SeededRandom(11);
    let moved = 0;
    for (let round = 0; round < 300; round++) {
      const ports = 2 + Math.floor(random.next() * 6);
      const places = Array.from({ length: 64 }, () => Math.floor(random.next() * ports));
      const octets = places.map(() => (random.next() < 0.3 ? 0 : Math.floor(random.next() ** 4 * 1e6)));
      const weights = Array.from({ length: ports }, () => (random.next() < 0.5 ? 1 : 4));
      const of = buckets(places, octets, weights);
      const before = heaviest(of);
      moved += rebalance(of, { tolerance: 5, moves: 1 + Math.floor(random.next() * 20) });
      expect(heaviest(of)).toBeLessThanOrEqual(before * (1 + 1e-12));
    }
    expect(moved).toBeGreaterThan(300);
  });

  it('does nothing inside the tolerance, and nothing a second time', () => {
    expect(rebalance(buckets([0, 0, 1, 1], [60, 58, 50, 50], [1, 1]), LIMITS)).toBe(0);
    const of = buckets([0, 0, 0, 0, 1, 1, 1, 1], [10, 10, 10, 10, 1, 1, 1, 1], [1, 1]);
    expect(rebalance(of, LIMITS)).toBeGreaterThan(0);
    expect(rebalance(of, LIMITS)).toBe(0);
  });

  it('leaves a bucket that is larger than the due of a port where it is, scan after scan', () => {
    const of = buckets([0, 1, 2, 3], [1000, 1, 1, 1], [1, 1, 1, 1]);
    for (let scan = 0; scan < 10; scan++) expect(rebalance(of, LIMITS)).toBe(0);
  });

  it('moves what is beside it', () => {
    const of = buckets([0, 0, 0, 1, 1], [1000, 10, 10, 4, 4], [1, 1]);
    expect(rebalance(of, LIMITS)).toBe(2);
    expect([...of.places]).toEqual([0, 1, 1, 1, 1]);
  });

  it('turns to the next port when the worst has nothing to give', () => {
    const of = buckets([0, 1, 1, 2], [1000, 30, 30, 2], [1, 1, 1]);
    expect(rebalance(of, { ...LIMITS, moves: 1 })).toBe(0);
    const finer = buckets([0, 1, 1, 1, 2], [1000, 20, 20, 20, 2], [1, 1, 1]);
    expect(rebalance(finer, { ...LIMITS, moves: 1 })).toBe(1);
    expect([...finer.places]).toEqual([0, 2, 1, 1, 2]);
  });

  it('holds load against weight', () => {
    expect(rebalance(buckets([0, 0, 1, 1], [20, 20, 80, 80], [1, 4]), LIMITS)).toBe(0);
    const of = buckets([0, 0, 0, 0, 1, 1], [50, 25, 25, 25, 25, 25], [1, 4]);
    expect(rebalance(of, { ...LIMITS, moves: 16 })).toBeGreaterThan(0);
    // Another 25 would leave the first port with less for its weight than the second.
    expect(loadsOf(of)).toEqual([50, 125]);
  });

  it('does nothing without traffic, and sends nothing to a port that is down', () => {
    expect(rebalance(buckets([0, 0, 1, 1], [0, 0, 0, 0], [1, 1]), LIMITS)).toBe(0);
    const of = buckets([0, 0, 0, 0, 1], [10, 10, 10, 10, 1], [1, 1, 0]);
    rebalance(of, LIMITS);
    expect(loadsOf(of)[2]).toBe(0);
  });
});
