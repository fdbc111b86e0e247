import { describe, expect, it } from 'vitest';
import type { Topology } from '../network/topology.js';
import { SeededRandom } from '../seeded-random.js';
import { clos } from '../topology/clos.js';
import { incast, poissonFlows, randomPermutation, stridePermutation } from './arrivals.js';
import { FLOW_SIZES, fixedSize, meanSize } from './flow-sizes.js';

/** 2:1, as the fabric of ConWeave's runs. */
const FABRIC: Topology = clos({
  leaves: 4,
  spines: 4,
  hostsPerLeaf: 8,
  parallelLinks: 1,
  hostRate: 100e9,
  uplinkRate: 100e9,
  delay: 1e6,
});
const random = (seed: number) => {
  const drawn = new SeededRandom(seed);
  return () => drawn.next();
};
const BULK = { octets: 1_000_000, start: 0 };

describe('Poisson arrivals', () => {
  const settings = { sizes: FLOW_SIZES[0]!, load: 0.5, duration: 20e9 };
  const flows = poissonFlows(FABRIC, settings, random(1));

  it('put the load on the core: in a fabric of 2:1 half of it on the links of hosts', () => {
    const octets = flows.reduce((sum, flow) => sum + flow.octets, 0);
    const offered = 32 * 100e9 * 0.02 * 0.25;
    expect(Math.abs((octets * 8) / offered - 1)).toBeLessThan(0.05);
  });

  it('come as often as the mean size says, at random distances', () => {
    const expected = (32 * 100e9 * 0.25 * 0.02) / (8 * meanSize(FLOW_SIZES[0]!));
    expect(Math.abs(flows.length / expected - 1)).toBeLessThan(0.03);
    const own = flows.filter(({ source }) => source === 3).map(({ start }) => start);
    const gaps = own.slice(1).map((start, index) => start - own[index]!);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    // Exponential: the deviation is the mean.
    expect(deviation / mean).toBeGreaterThan(0.85);
    expect(deviation / mean).toBeLessThan(1.15);
  });

  it('go from each host to each other, in order of time, the same from the same seed', () => {
    expect(flows.every(({ source, destination }) => source !== destination)).toBe(true);
    expect(new Set(flows.map(({ source, destination }) => source * 32 + destination)).size).toBe(32 * 31);
    expect(flows.every((flow, index) => index === 0 || flow.start >= flows[index - 1]!.start)).toBe(true);
    expect(poissonFlows(FABRIC, settings, random(1))).toEqual(flows);
    expect(poissonFlows(FABRIC, settings, random(2))).not.toEqual(flows);
  });

  it('are refused where hosts cannot send so much', () => {
    const shape = { leaves: 2, spines: 4, hostsPerLeaf: 2, parallelLinks: 1, delay: 1e6 };
    const wide = clos({ ...shape, hostRate: 100e9, uplinkRate: 100e9 });
    expect(() => poissonFlows(wide, { ...settings, load: 0.6 }, random(1))).toThrow(
      'a load of 0.6 in a fabric oversubscribed 0.5:1 is 1.2 of what hosts can send',
    );
    expect(() => poissonFlows(wide, { ...settings, load: 0 }, random(1))).toThrow('a load of 0: ');
    expect(() => poissonFlows(wide, { sizes: fixedSize(1), load: 0.1, duration: 0 }, random(1))).toThrow(
      'arrivals for 0 ps',
    );
  });
});

describe('a permutation', () => {
  it('drawn at random has each host once at either end, and none that sends to itself', () => {
    for (const seed of [1, 2, 3]) {
      const flows = randomPermutation(FABRIC, BULK, random(seed));
      expect(new Set(flows.map(({ source }) => source)).size).toBe(32);
      expect(new Set(flows.map(({ destination }) => destination)).size).toBe(32);
      expect(flows.every(({ source, destination }) => source !== destination)).toBe(true);
    }
  });

  it('by a stride crosses the spines', () => {
    const flows = stridePermutation(FABRIC, 8, BULK);
    expect(flows.every(({ source, destination }) => source >> 3 !== destination >> 3)).toBe(true);
    expect(() => stridePermutation(FABRIC, 32, BULK)).toThrow('a stride of 32 among 32 hosts: 1 to 31');
  });
});

describe('an incast', () => {
  it('has all senders at once', () => {
    const flows = incast(FABRIC, 0, { senders: [8, 16, 24], ...BULK });
    expect(flows.map(({ source, destination }) => [source, destination])).toEqual([
      [8, 0],
      [16, 0],
      [24, 0],
    ]);
  });

  it('is refused without senders, with hosts that are not there, and to a sender', () => {
    expect(() => incast(FABRIC, 0, { senders: [], ...BULK })).toThrow('needs a sender');
    expect(() => incast(FABRIC, 0, { senders: [32], ...BULK })).toThrow('host 32 of 32');
    expect(() => incast(FABRIC, 3, { senders: [3], ...BULK })).toThrow('host4 is sender and receiver');
  });
});
