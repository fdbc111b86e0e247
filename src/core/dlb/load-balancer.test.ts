/** The whole loop over a modelled group with bursty flows: nearer to even than the hash alone, and quiet where there is nothing to do. */
import { describe, expect, it } from 'vitest';
import type { LoadReading } from '../ports/load-meters.js';
import { type BalancingConfig, type BalancingMode, LoadBalancer } from './load-balancer.js';
import { GroupModel } from './resilient-group.fixture.js';

const CONFIG: BalancingConfig = {
  mode: 'flowlet',
  interval: 100,
  quality: { minimum: 20, maximum: 80, loadWeight: 50, smoothing: 0.3, queueReference: 0.02 },
  flowlet: { qualityDelta: 2, persistence: 2, settle: 2, gain: 0.6 },
  adaptive: { tolerance: 20, moves: 8, scanInterval: 1000 },
};
const GROUP = 7;
/** Octets a millisecond: 10 Mbit/s. */
const CAPACITY = 1250;
const FLOWS = 16;

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Three links at three quarters of what they carry together. */
function modelOf(seed: number, { burst = 40, pause = 80 } = {}): GroupModel {
  const rate = (0.75 * 3 * CAPACITY) / FLOWS / (burst / (burst + pause));
  return new GroupModel({
    buckets: 128,
    idleTime: 20,
    capacities: [CAPACITY, CAPACITY, CAPACITY],
    queueLimit: 50 * CAPACITY,
    flows: Array.from({ length: FLOWS }, () => ({ rate, burst, pause })),
    random: randomFrom(seed),
  });
}

interface Bench {
  readonly model: GroupModel;
  readonly balancer: LoadBalancer;
  readonly reweighed: (readonly number[])[];
  readonly messages: string[];
  /** Seconds. */
  run(seconds: number): Promise<void>;
  read: () => LoadReading;
}

function benchOf(model: GroupModel, config: Partial<BalancingConfig> = {}): Bench {
  const reweighed: (readonly number[])[] = [];
  const messages: string[] = [];
  const settings = { ...CONFIG, ...config };
  const bench: Bench = {
    model,
    reweighed,
    messages,
    read: () => model.reading(),
    balancer: new LoadBalancer({
      config: settings,
      buckets: 128,
      fib: {
        balancedGroups: () => [{ id: GROUP, members: model.members }],
        reweigh: (_, shares) => {
          reweighed.push(shares);
          model.reweigh(shares);
        },
      },
      meters: { read: async () => bench.read() },
      speedOf: () => 1e10,
      clock: { now: () => model.now, schedule: () => () => {}, yield: () => {} },
      log: { write: ({ message, level }) => void (level === 'error' && messages.push(message)) },
    }),
    run: async (seconds) => {
      for (let at = 0; at < seconds * 1000; at += settings.interval) {
        model.run(settings.interval);
        await bench.balancer.look();
      }
    },
  };
  return bench;
}

async function imbalances(mode: BalancingMode, seeds: number): Promise<{ imbalance: number; goodput: number }> {
  let imbalance = 0;
  let goodput = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const bench = benchOf(modelOf(seed), { mode });
    await bench.run(10);
    imbalance += bench.model.imbalance / seeds;
    goodput += bench.model.goodput / seeds;
  }
  return { imbalance, goodput };
}

describe('the load balancer', () => {
  it('spreads bursty flows far better than their hash, and more gets through', async () => {
    const hashed = await imbalances('off', 8);
    const balanced = await imbalances('flowlet', 8);
    expect(hashed.imbalance).toBeGreaterThan(1.2);
    expect(balanced.imbalance - 1).toBeLessThan((hashed.imbalance - 1) / 3);
    expect(balanced.goodput).toBeGreaterThan(hashed.goodput);
  });

  it('moves no flow that never pauses', async () => {
    const endless = () => modelOf(3, { burst: 1e9, pause: 1e-9 });
    const hashed = benchOf(endless(), { mode: 'off' });
    const balanced = benchOf(endless());
    for (const bench of [hashed, balanced]) await bench.run(5);
    expect(balanced.model.imbalance).toBeCloseTo(hashed.model.imbalance, 10);
  });

  it('only looks in the modes that move nothing', async () => {
    for (const mode of ['off', 'assigned-flow'] as const) {
      const bench = benchOf(modelOf(1), { mode });
      await bench.run(3);
      expect(bench.reweighed).toEqual([]);
      expect(Math.max(...bench.balancer.links().map(({ load }) => load))).toBeGreaterThan(50);
    }
  });

  it('shows links and groups as they are', async () => {
    const bench = benchOf(modelOf(1));
    await bench.run(5);
    const [group] = bench.balancer.groups();
    expect(group).toMatchObject({ id: GROUP, moves: bench.reweighed.length });
    expect(group!.members.map(({ share }) => share)).toEqual(bench.reweighed.at(-1));
    expect(bench.balancer.links().map(({ interfaceIndex, capacity }) => [interfaceIndex, capacity])).toEqual(
      [1, 2, 3].map((index) => [index, CAPACITY * 1000]),
    );
  });

  it('says once that the meters cannot be read, and goes on when they can', async () => {
    const bench = benchOf(modelOf(1));
    const { read } = bench;
    bench.read = () => {
      throw new Error('no buffer space');
    };
    await bench.run(1);
    expect(bench.messages).toEqual(['link loads cannot be read: no buffer space']);
    bench.read = read;
    await bench.run(1);
    expect(bench.balancer.links()).toHaveLength(3);
  });

  it('forgets a link that is gone', async () => {
    const bench = benchOf(modelOf(1));
    await bench.run(1);
    bench.read = () => ({ ...bench.model.reading(), links: bench.model.reading().links.slice(1) });
    await bench.run(0.1);
    expect(bench.balancer.links().map(({ interfaceIndex }) => interfaceIndex)).toEqual([2, 3]);
  });
});

describe('adaptive mode', () => {
  /** Packets of the three members; the second scan and those after it see the difference. */
  function counted(...packets: number[]) {
    const model = modelOf(1);
    const bench = benchOf(model, { mode: 'adaptive' });
    let scans = 0;
    bench.read = () => {
      scans++;
      const counts = new Map(model.members.map(({ id }, place) => [id, packets[place]! * scans]));
      return { links: model.reading().links, groups: [{ id: GROUP, packets: counts }] };
    };
    return bench;
  }

  it('shifts shares from the next hop that carries too much', async () => {
    const bench = counted(3000, 1000, 1000);
    await bench.run(4);
    const [first, second, third] = bench.reweighed[0]!;
    expect(first).toBeLessThan(second!);
    expect(first! + second! + third!).toBe(128);
    expect(bench.balancer.groups()[0]!.members[0]!.packetRate).toBeGreaterThan(0);
  });

  it('leaves a group inside the tolerance', async () => {
    const bench = counted(1100, 1000, 950);
    await bench.run(4);
    expect(bench.reweighed).toEqual([]);
  });

  it('takes nothing off what came since it moved shares itself', async () => {
    const bench = counted(3000, 1000, 1000);
    while (bench.reweighed.length === 0) await bench.run(0.1);
    let scans = 0;
    bench.read = () => {
      scans++;
      const counts = new Map(bench.model.members.map(({ id }) => [id, 2000 * scans]));
      return { links: [], groups: [{ id: GROUP, packets: counts }] };
    };
    await bench.run(4);
    expect(bench.reweighed).toHaveLength(1);
    const rates = bench.balancer.groups()[0]!.members.map(({ packetRate }) => packetRate);
    expect(new Set(rates).size).toBe(1);
  });

  it('counts from zero when the kernel does', async () => {
    const bench = counted(1000, 1000, 1000);
    await bench.run(3);
    const counts = new Map(bench.model.members.map(({ id }) => [id, 50]));
    bench.read = () => ({ links: [], groups: [{ id: GROUP, packets: counts }] });
    await bench.run(1);
    for (const { packetRate } of bench.balancer.groups()[0]!.members) expect(packetRate).toBeGreaterThanOrEqual(0);
  });
});
