/**
 * The load balancer of a whole simulated router: after its preferred uplink has failed, a leaf spreads bursty flows over the three
 * links behind it, each of which takes less than all of it.
 */
import { describe, expect, it } from 'vitest';
import type { BalancingConfig, BalancingMode } from '../core/dlb/load-balancer.js';
import { parseAddress } from '../core/net/address.js';
import { leafSpine, numbers } from './leaf-spine.fixture.js';
import { SeededRandom } from './seeded-random.js';
import type { VirtualFabric } from './virtual-fabric.js';
import { type FlowShape, VirtualTraffic } from './virtual-traffic.js';

const CONFIG: BalancingConfig = {
  mode: 'flowlet',
  interval: 100,
  quality: { minimum: 20, maximum: 80, loadWeight: 50, smoothing: 0.3, queueReference: 0.02 },
  flowlet: { qualityDelta: 2, persistence: 2, settle: 2, gain: 0.6 },
  adaptive: { tolerance: 20, moves: 8, scanInterval: 1000 },
};
const DESTINATION = parseAddress('fc00:1:1:1::10')!;
const BEHIND = ['up2', 'up3', 'up4'];
/** Octets a second: 10 Mbit/s. */
const CAPACITY = 1_250_000;
const FLOWS = 16;
const BUCKETS = 128;

/** The links behind the failed one take so much. */
async function fabricOf(mode: BalancingMode, capacities = BEHIND.map(() => CAPACITY)): Promise<VirtualFabric> {
  const fabric = await leafSpine({
    uplinks: numbers(4).map((spine) => ({ spine, leafEnd: { colour: spine } })),
    prefixes: [{ prefix: 'fc00:1:1:1::/64', colour: 1 }],
    changes: { fib: { buckets: BUCKETS, idleTimer: 0.02 }, balancing: { ...CONFIG, mode } },
  });
  for (const [place, name] of BEHIND.entries())
    fabric.node('leaf2').links.byName(name)!.queue.limit = capacities[place]!;
  fabric.fail('leaf2', 'spine1');
  await run(fabric, 1);
  return fabric;
}

const run = (fabric: VirtualFabric, seconds: number) => fabric.clock.runUntil(fabric.clock.now() + seconds * 1000);

/** Flows that offer that part of what the three links take together. */
function flows(hashes: readonly number[], { load = 0.75, burst = 40, pause = 80 } = {}): FlowShape[] {
  const duty = pause > 0 ? burst / (burst + pause) : 1;
  const rate = (load * BEHIND.length * CAPACITY) / 1000 / hashes.length / duty;
  return hashes.map((hash) => ({ from: 'host2', to: DESTINATION, hash, rate, burst, pause }));
}

const scattered = (random: SeededRandom) => numbers(FLOWS).map(() => Math.floor(random.next() * 65_536));

function queues(fabric: VirtualFabric) {
  return BEHIND.map((name) => fabric.node('leaf2').links.byName(name)!.queue);
}

/** Largest over mean of what the links were given since. */
async function imbalanceOver(fabric: VirtualFabric, seconds: number): Promise<number> {
  const given = () => queues(fabric).map(({ sent, dropped, backlog }) => sent + dropped + backlog);
  const before = given();
  await run(fabric, seconds);
  const parts = given().map((octets, place) => octets - before[place]!);
  return Math.max(...parts) / (parts.reduce((sum, part) => sum + part, 0) / parts.length);
}

function groupOf(fabric: VirtualFabric) {
  const [group] = fabric.node('leaf2').speaker!.balancer!.groups();
  return group!;
}

async function outcome(mode: BalancingMode, seed: number) {
  const fabric = await fabricOf(mode);
  const random = new SeededRandom(seed);
  const traffic = new VirtualTraffic(fabric, flows(scattered(random)), random);
  const imbalance = await imbalanceOver(fabric, 6);
  traffic.stop();
  const { moves, members } = groupOf(fabric);
  return { imbalance, goodput: traffic.delivered / traffic.offered, moves, shares: members.map(({ share }) => share) };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('load balancing in a simulated fabric', () => {
  it('spreads bursty flows more evenly than their hash, and more of them arrive', async () => {
    const seeds = numbers(3);
    const hashed = await Promise.all(seeds.map((seed) => outcome('off', seed)));
    const balanced = await Promise.all(seeds.map((seed) => outcome('flowlet', seed)));
    expect(mean(hashed.map(({ imbalance }) => imbalance))).toBeGreaterThan(1.2);
    expect(mean(balanced.map(({ imbalance }) => imbalance - 1))).toBeLessThan(
      mean(hashed.map(({ imbalance }) => imbalance - 1)) / 2,
    );
    expect(mean(balanced.map(({ goodput }) => goodput))).toBeGreaterThan(mean(hashed.map(({ goodput }) => goodput)));
    for (const { moves } of hashed) expect(moves).toBe(0);
  });

  it('does the same again from the same seed', async () => {
    expect(await outcome('flowlet', 7)).toEqual(await outcome('flowlet', 7));
  });

  it('makes no move while the load is even, light or heavy', async () => {
    for (const load of [0.3, 0.9]) {
      const fabric = await fabricOf('flowlet');
      // One flow in each of 126 buckets: as many on each link, or as good as that.
      const traffic = new VirtualTraffic(fabric, flows(numbers(126), { load, pause: 0 }), new SeededRandom(1));
      const imbalance = await imbalanceOver(fabric, 5);
      traffic.stop();
      expect(imbalance).toBeLessThan(1.05);
      expect(groupOf(fabric).moves).toBe(0);
    }
  });

  it('gives a slower link less, and stays there', async () => {
    const fabric = await fabricOf('flowlet', [CAPACITY, CAPACITY, CAPACITY / 4]);
    const random = new SeededRandom(5);
    const traffic = new VirtualTraffic(fabric, flows(numbers(126), { load: 0.6, burst: 30, pause: 60 }), random);
    await run(fabric, 6);
    const settled = groupOf(fabric).moves;
    await run(fabric, 6);
    traffic.stop();
    const { members, moves } = groupOf(fabric);
    const shares = new Map(
      members.map(({ interfaceIndex, share }) => [fabric.node('leaf2').links.byIndex(interfaceIndex)!.name, share]),
    );
    expect(shares.get('up4')).toBeLessThan(shares.get('up2')! / 2);
    expect(moves - settled).toBeLessThan(settled);
  });

  it('goes back to equal shares when nothing is sent any more', async () => {
    const fabric = await fabricOf('flowlet');
    const random = new SeededRandom(2);
    const traffic = new VirtualTraffic(fabric, flows(scattered(random)), random);
    await run(fabric, 3);
    expect(groupOf(fabric).moves).toBeGreaterThan(0);
    traffic.stop();
    await run(fabric, 10);
    expect(Math.max(...groupOf(fabric).members.map(({ share }) => share))).toBeLessThanOrEqual(43);
  });

  it('assigned-flow keeps every flow where its hash put it, in plain groups', async () => {
    const fabric = await fabricOf('assigned-flow');
    const random = new SeededRandom(1);
    const traffic = new VirtualTraffic(fabric, flows(scattered(random)), random);
    await run(fabric, 3);
    traffic.stop();
    expect(groupOf(fabric).moves).toBe(0);
    const { groups } = await fabric.node('leaf2').tables.dump('next-hops');
    expect(groups.every(({ resilient }) => resilient === undefined)).toBe(true);
  });

  it('adaptive moves buckets at scans until the load is inside its tolerance, and then no more', async () => {
    // Three quarters of the flows are in buckets of the first member.
    const crowded = numbers(96).map((n) => (n <= 72 ? n % 42 : 42 + (n % 84)));
    const shape = flows(crowded, { load: 0.6, burst: 30, pause: 60 });
    const imbalanceOf = async (mode: BalancingMode) => {
      const fabric = await fabricOf(mode);
      const traffic = new VirtualTraffic(fabric, shape, new SeededRandom(4));
      await run(fabric, 3.5);
      const { moves } = groupOf(fabric);
      const imbalance = await imbalanceOver(fabric, 4);
      traffic.stop();
      return { imbalance, before: moves, moves: groupOf(fabric).moves };
    };
    const hashed = await imbalanceOf('off');
    const balanced = await imbalanceOf('adaptive');
    expect(hashed.imbalance).toBeGreaterThan(2);
    expect(balanced.imbalance).toBeLessThan(1 + CONFIG.adaptive.tolerance / 100);
    expect(balanced.before).toBeGreaterThan(0);
    expect(balanced.moves).toBe(balanced.before);
  });
});
