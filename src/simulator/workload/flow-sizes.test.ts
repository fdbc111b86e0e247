import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { FLOW_SIZES, fixedSize, meanSize, sizeAt } from './flow-sizes.js';

describe('flow sizes', () => {
  it.each([
    ['alistorage2019', 40.9e3],
    ['solarrpc2022', 39.4e3],
    ['fbhdp2015', 123.8e3],
    ['googlerpc2008', 3110],
    ['websearch', 1.711e6],
    ['datamining', 7.49e6],
  ])('%s has the published mean', (name, published) => {
    const sizes = FLOW_SIZES.find((one) => one.name === name)!;
    expect(Math.abs(meanSize(sizes) / published - 1)).toBeLessThan(0.005);
  });

  it.each(FLOW_SIZES.map((sizes) => [sizes.name, sizes] as const))('%s is a distribution', (_, { points }) => {
    expect(points[0]![1]).toBe(0);
    expect(points.at(-1)![1]).toBe(1);
    for (let at = 1; at < points.length; at++) {
      expect(points[at]![0]).toBeGreaterThanOrEqual(points[at - 1]![0]);
      expect(points[at]![1]).toBeGreaterThan(points[at - 1]![1]);
    }
  });

  it('are drawn as the points say', () => {
    const [ali] = FLOW_SIZES;
    const random = new SeededRandom(3);
    const drawn = Array.from({ length: 40_000 }, () => sizeAt(ali!, random.next()));
    const share = (octets: number) => drawn.filter((size) => size <= octets).length / drawn.length;
    expect(share(4000)).toBeCloseTo(0.2293, 1.7);
    expect(share(32000)).toBeCloseTo(0.9047, 1.7);
    const mean = drawn.reduce((sum, size) => sum + size, 0) / drawn.length;
    expect(Math.abs(mean / meanSize(ali!) - 1)).toBeLessThan(0.05);
    expect(sizeAt(ali!, 0)).toBe(1);
    expect(sizeAt(ali!, 0.999999999)).toBeLessThanOrEqual(2_000_000);
  });

  it('may be all the same', () => {
    expect(meanSize(fixedSize(1000))).toBe(1000);
    expect(sizeAt(fixedSize(1000), 0.7)).toBe(1000);
  });
});
