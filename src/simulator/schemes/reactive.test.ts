import { describe, expect, it } from 'vitest';
import { Dlb, dlb } from './dlb.js';
import { type ReactiveOptions, reactive } from './reactive.js';
import type { SchemeContext } from './scheme.js';
import { LeafTrial, leafSpineTopology } from './scheme-trial.fixture.js';

const PACKET = 1048;
/** Packets of line rate at 100 Gb/s, picoseconds. */
const GAP = PACKET * 80;

const withOptions = (options: Partial<ReactiveOptions>) => (context: SchemeContext) =>
  reactive.create(context, { ...reactive.defaults, ...options }) as Dlb;

/**
 * Two flows at three quarters of line rate each, without gaps: what each port carries is what they send to it, and what it cannot carry waits. Where the
 * second flow is, packet by packet, after both have come to one port.
 */
function collision(leaf: LeafTrial<Dlb>, packets: number): { first: number[]; second: number[] } {
  const pairs = leaf.pairs(40);
  const place = leaf.ask(pairs[0]!, 1);
  const other = pairs.slice(1).find((qp) => leaf.ask(qp, 1) === place)!;
  const waiting = leaf.uplinks.map(() => 0);
  const first: number[] = [];
  const second: number[] = [];
  const step = GAP / 0.75;
  for (let packet = 1; packet <= packets; packet++) {
    const time = 1e6 + packet * step;
    for (const [qp, places] of [
      [pairs[0]!, first],
      [other, second],
    ] as const) {
      const taken = leaf.ask(qp, time);
      places.push(taken);
      waiting[taken] = waiting[taken]! + PACKET;
    }
    for (const [at, octets] of waiting.entries()) {
      const leaves = Math.min(octets, PACKET / 0.75);
      leaf.depart(at, leaves);
      waiting[at] = octets - leaves;
      leaf.queue(at, waiting[at]!);
    }
  }
  return { first, second };
}

describe('reactive path rebalancing', () => {
  it('parts two flows without gaps that collide, which flowlet mode never does', () => {
    const never = collision(new LeafTrial(4, (context) => new Dlb(context, dlb.defaults)), 20_000);
    expect(new Set([...never.first, ...never.second]).size).toBe(1);
    const leaf = new LeafTrial(4, withOptions({}));
    const { first, second } = collision(leaf, 20_000);
    const apart = first.findIndex((place, packet) => place !== second[packet]);
    // 3 of 256 draws move one: once both could gain, 1,000 packets are twelve times the mean.
    expect(apart).toBeGreaterThan(0);
    expect(apart).toBeLessThan(3000);
    expect(first.slice(-10_000).every((place) => place === first.at(-1))).toBe(true);
    expect(second.slice(-10_000).every((place) => place === second.at(-1))).toBe(true);
    expect(first.at(-1)).not.toBe(second.at(-1));
    expect(leaf.scheme.counters().reassigned).toBeLessThanOrEqual(3);
  });

  it('moves nothing for a difference that is too small', () => {
    const leaf = new LeafTrial(4, withOptions({ rateWeightage: 100, probThreshold: 256 }));
    leaf.pairs(1);
    const place = leaf.ask(0, 1e6);
    for (let packet = 1; packet < 2000; packet++) {
      leaf.simulation.events.now = 1e6 + packet * GAP;
      // 65 per cent is band 2, and five below the best.
      leaf.depart(place, 0.65 * PACKET);
      expect(leaf.ask(0, 1e6 + packet * GAP)).toBe(place);
    }
    expect(leaf.scheme.counters().reassigned).toBe(0);
  });

  it('moves at once when every draw does', () => {
    const leaf = new LeafTrial(4, withOptions({ rateWeightage: 100, probThreshold: 256 }));
    leaf.pairs(1);
    const place = leaf.ask(0, 1e6);
    let packet = 1;
    for (; packet < 2000 && leaf.ask(0, 1e6 + packet * GAP) === place; packet++) leaf.depart(place, PACKET);
    expect(packet * GAP).toBeLessThan(10e6);
    expect(leaf.scheme.counters()).toMatchObject({ reassigned: 1 });
  });

  it('is flowlet mode when the difference is 0 or no draw moves', () => {
    for (const options of [{ qualityDelta: 0 }, { probThreshold: 0 }]) {
      const { first, second } = collision(new LeafTrial(4, withOptions(options)), 2000);
      expect(new Set([...first, ...second]).size).toBe(1);
    }
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    const refuses = (options: Partial<ReactiveOptions>) =>
      reactive.refuses!(topology, { ...reactive.defaults, ...options });
    expect(refuses({})).toBeUndefined();
    expect(refuses({ qualityDelta: 8 })).toContain('qualityDelta 8');
    expect(refuses({ probThreshold: 300 })).toContain('probThreshold 300');
    expect(refuses({ probRange: 0 })).toContain('probRange 0');
    expect(refuses({ inactivity: -1 })).toContain('inactivity -1');
  });
});
