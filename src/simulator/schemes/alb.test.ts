import { describe, expect, it } from 'vitest';
import { Alb, type AlbOptions, alb } from './alb.js';
import { LeafTrial, leafSpineTopology } from './scheme-trial.fixture.js';

const MICROSECOND = 1e6;
const { interval, window } = alb.defaults;

function trial(options: Partial<AlbOptions> = {}, spines = 2): LeafTrial<Alb> {
  return new LeafTrial(spines, (context) => new Alb(context, { ...alb.defaults, ...options }));
}

/** Sends a packet of each pair at a microsecond, so many times; where they went. */
function send(leaf: LeafTrial<Alb>, pairs: readonly number[], microsecond: number, times = 1): number[] {
  let places: number[] = [];
  for (let time = 0; time < times; time++) places = pairs.map((qp) => leaf.ask(qp, microsecond * MICROSECOND + time));
  return places;
}

const count = (places: readonly number[], place: number) => places.filter((one) => one === place).length;

/** Pairs of which the table has three of four on the first port. */
function uneven(leaf: LeafTrial<Alb>): number[] {
  const pairs = leaf.pairs(200);
  const places = send(leaf, pairs, 1);
  const onFirst = pairs.filter((_, index) => places[index] === 0).slice(0, 45);
  const onSecond = pairs.filter((_, index) => places[index] === 1).slice(0, 15);
  return [...onFirst, ...onSecond];
}

describe('ALB', () => {
  it('moves buckets at a scan by what the window before it carried, to within the tolerance', () => {
    const leaf = trial({ moves: 64 });
    const pairs = uneven(leaf);
    const before = send(leaf, pairs, interval - 1);
    expect([count(before, 0), count(before, 1)]).toEqual([45, 15]);
    const after = send(leaf, pairs, interval + 1);
    expect(count(after, 0)).toBeGreaterThanOrEqual(30);
    expect(count(after, 0)).toBeLessThanOrEqual(36);
    // Each flow that moved, moved once; what is balanced stays.
    expect(after.every((place, index) => place === before[index] || before[index] === 0)).toBe(true);
    send(leaf, pairs, 2 * interval - 1);
    expect(send(leaf, pairs, 2 * interval + 1)).toEqual(after);
  });

  it('does not count what came before the window', () => {
    const leaf = trial();
    const pairs = uneven(leaf);
    const before = send(leaf, pairs, interval - window - 1, 10);
    expect(send(leaf, pairs, interval + 1)).toEqual(before);
    expect(leaf.scheme.counters()).toEqual({ scans: 1, moves: 0 });
  });

  it('moves so many buckets a scan and no more', () => {
    const leaf = trial({ moves: 3 });
    const pairs = uneven(leaf);
    const before = send(leaf, pairs, interval - 1);
    send(leaf, pairs, interval + 1);
    expect(leaf.scheme.counters()).toEqual({ scans: 1, moves: 3 });
    const after = send(leaf, pairs, interval + 2);
    expect(after.filter((place, index) => place !== before[index]).length).toBeGreaterThanOrEqual(3);
  });

  it('gives the buckets of a port that went down away at once, and one that came up buckets at the next scan', () => {
    const leaf = trial({ moves: 512 }, 4);
    const pairs = leaf.pairs(400);
    const before = send(leaf, pairs, 1);
    leaf.fail(2);
    const during = send(leaf, pairs, 2);
    expect(count(during, 2)).toBe(0);
    expect(during.every((place, index) => place === before[index] || before[index] === 2)).toBe(true);
    leaf.repair(2);
    expect(count(send(leaf, pairs, interval - 1), 2)).toBe(0);
    const after = count(send(leaf, pairs, interval + 1), 2);
    expect(after).toBeGreaterThan(60);
    expect(after).toBeLessThanOrEqual(101);
  });

  it('does nothing for a group without traffic, however many intervals go by', () => {
    const leaf = trial();
    const pairs = uneven(leaf);
    const before = send(leaf, pairs, 2);
    expect(send(leaf, pairs, 50 * interval + 1)).toEqual(before);
    expect(leaf.scheme.counters().moves).toBe(0);
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    const refuses = (options: Partial<AlbOptions>) => alb.refuses!(topology, { ...alb.defaults, ...options });
    expect(refuses({})).toBeUndefined();
    for (const [key, value] of Object.entries({ buckets: 7, interval: 0, window: 301, tolerance: 0, moves: 0 }))
      expect(refuses({ [key]: value })).toContain(`${key} ${value}`);
  });
});
