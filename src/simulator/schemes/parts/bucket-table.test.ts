import { describe, expect, it } from 'vitest';
import { BucketTable } from './bucket-table.js';

/** A table of a group of ports 10, 11, ... with these weights, and the ports that are down. */
function tableOf(size: number, weights: readonly number[], down = new Set<number>()) {
  const ports = weights.map((_, place) => 10 + place);
  return { table: new BucketTable(size, ports, weights, (port) => !down.has(port)), down };
}

function countsOf({ places, ports }: BucketTable): number[] {
  const counts = ports.map(() => 0);
  for (const place of places) counts[place] = counts[place]! + 1;
  return counts;
}

describe('a bucket table', () => {
  it('shares its buckets out in proportion to the weights, all of them', () => {
    expect(countsOf(tableOf(64, [1, 1, 1, 1]).table)).toEqual([16, 16, 16, 16]);
    expect(countsOf(tableOf(64, [4, 2, 1, 1]).table)).toEqual([32, 16, 8, 8]);
    expect(countsOf(tableOf(8, [1, 1, 1]).table).sort()).toEqual([2, 3, 3]);
  });

  it('finds a bucket for any hash, and the port that the bucket is bound to', () => {
    const { table } = tableOf(16, [1, 1]);
    for (const hash of [0, 15, 16, -1, -17, 2 ** 31 - 1, -(2 ** 31)]) {
      const bucket = table.bucketOf(hash);
      expect(bucket).toBe(((hash % 16) + 16) % 16);
      expect(table.portOf(bucket)).toBe(10 + table.places[bucket]!);
    }
  });

  it('gives the buckets of a port that leaves to those with least for their weight, and moves no other', () => {
    const { table, down } = tableOf(64, [2, 1, 1]);
    const before = table.places.slice();
    down.add(10);
    table.leave(0);
    expect(countsOf(table)).toEqual([0, 32, 32]);
    const moved = [...table.places].flatMap((place, bucket) => (place === before[bucket] ? [] : [before[bucket]]));
    expect(new Set(moved)).toEqual(new Set([0]));
  });

  it('gives none of them to another port that is down', () => {
    const { table, down } = tableOf(16, [1, 1, 1, 1]);
    down.add(11).add(12);
    table.leave(1);
    table.leave(2);
    expect(countsOf(table)).toEqual([8, 0, 0, 8]);
  });

  it('leaves buckets where they are when no port is up at all', () => {
    const { table, down } = tableOf(16, [1, 1]);
    down.add(10).add(11);
    table.leave(0);
    table.leave(1);
    table.deal([1, 1]);
    expect(countsOf(table)).toEqual([8, 8]);
  });

  it('has a port back with the buckets that were its own, in whatever order ports went and came', () => {
    const { table, down } = tableOf(64, [3, 2, 1]);
    const before = [...table.places];
    for (const place of [2, 0]) {
      down.add(10 + place);
      table.leave(place);
    }
    expect(countsOf(table)).toEqual([0, 64, 0]);
    for (const place of [2, 0]) {
      down.delete(10 + place);
      table.comeHome(place);
    }
    expect([...table.places]).toEqual(before);
  });

  it('is without the ports that are down when it is made, and has them with their share when they come', () => {
    const { table, down } = tableOf(32, [1, 1], new Set([11]));
    expect(countsOf(table)).toEqual([32, 0]);
    down.clear();
    table.comeHome(1);
    expect(countsOf(table)).toEqual([16, 16]);
  });

  it('deals all buckets anew by other weights, to ports that are up only', () => {
    const { table, down } = tableOf(32, [1, 1, 2]);
    table.deal([1, 3, 0]);
    expect(countsOf(table)).toEqual([8, 24, 0]);
    down.add(11);
    table.deal([1, 3, 3]);
    expect(countsOf(table)).toEqual([8, 0, 24]);
  });
});
