import { describe, expect, it } from 'vitest';
import { LOCAL } from '../../../test/harness/peer-stage.js';
import { PeerWire, type WireOptions } from '../../../test/harness/peer-wire.js';
import type { PeerConfig } from './types.js';

const SEEDS = 2000;
const A: PeerConfig = { ...LOCAL, localAs: 65001, identifier: 1 };
const B: PeerConfig = { ...LOCAL, localAs: 65002, identifier: 2 };

interface Fabric {
  readonly name: string;
  readonly a?: Partial<PeerConfig>;
  readonly b?: Partial<PeerConfig>;
  readonly options: Omit<WireOptions, 'seed'>;
  /** Milliseconds between the two starts, at most. */
  readonly stagger: number;
  /** The later end refuses connections until it starts. */
  readonly late?: boolean;
  /** Retries that one end may need. */
  readonly retries: number;
  /** Milliseconds by which every session is up. */
  readonly within: number;
}

const SAME_INSTANT: Fabric = {
  name: 'the same instant',
  options: { maxDelay: 20 },
  stagger: 0,
  retries: 0,
  within: 1500,
};

const FABRICS: readonly Fabric[] = [
  SAME_INSTANT,
  { name: 'a slow wire', options: { maxDelay: 300 }, stagger: 0, retries: 0, within: 4000 },
  { name: 'starts a little apart', options: { maxDelay: 20 }, stagger: 60, retries: 0, within: 1500 },
  {
    name: 'equal identifiers',
    a: { identifier: 7 },
    b: { identifier: 7 },
    options: { maxDelay: 20 },
    stagger: 20,
    retries: 0,
    within: 1500,
  },
  {
    name: 'one end waits for the other',
    a: { connectDelay: 300 },
    options: { maxDelay: 20 },
    stagger: 20,
    retries: 1,
    within: 1500,
  },
  { name: 'one end listens late', options: { maxDelay: 20 }, stagger: 800, late: true, retries: 1, within: 2500 },
  { name: 'lost first packets', options: { maxDelay: 20, loss: 0.3 }, stagger: 20, retries: 8, within: 60_000 },
];

function run(fabric: Fabric, seed: number): PeerWire {
  const wire = new PeerWire({ ...A, ...fabric.a }, { ...B, ...fabric.b }, { ...fabric.options, seed });
  const later = wire.draw(fabric.stagger);
  if (fabric.late) wire.b.listensFrom = later;
  wire.start(wire.a);
  wire.start(wire.b, later);
  wire.run(fabric.within);
  return wire;
}

/** What is wrong after a run, in words; empty when nothing is. */
function complaints({ a, b }: PeerWire, retries: number): string[] {
  const left = [...a.streams.values()].filter((stream) => !stream.closed);
  const far = [...b.streams.values()].filter((stream) => !stream.closed);
  const wrong: Record<string, boolean> = {
    'not established': a.summary.state !== 'established' || b.summary.state !== 'established',
    'went down again': a.count('established') !== 1 || b.count('established') !== 1,
    'not one connection': left.length !== 1 || far.length !== 1 || left[0]!.far !== far[0],
    'more retries': [a, b].some((node) => node.count('open-connection') > 1 + retries || node.retries > retries),
  };
  return Object.keys(wrong).filter((complaint) => wrong[complaint]);
}

describe('two peers that start together', () => {
  it.each(FABRICS)('get up on one connection: $name', (fabric) => {
    const failed: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      for (const complaint of complaints(run(fabric, seed), fabric.retries)) failed.push(`seed ${seed}: ${complaint}`);
    }
    expect(failed).toEqual([]);
  });

  it('seldom need even the first retry when a first packet is lost', () => {
    let retries = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { a, b } = run({ ...SAME_INSTANT, options: { maxDelay: 20, loss: 0.05 }, within: 5000 }, seed);
      retries += Math.max(a.retries, b.retries) > 0 ? 1 : 0;
    }
    expect(retries).toBeLessThan(SEEDS * 0.02);
  });
});
