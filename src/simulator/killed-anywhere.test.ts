/**
 * A whole router killed at any time of a life with failures, and started again: the kernels of all end as if nothing had been. The
 * forwarding table by itself is held to that at every operation (core/fib/killed-anywhere.test.ts); here moments come from seeds.
 */
import { describe, expect, it } from 'vitest';
import { kernelPicture } from '../core/fib/kernel-picture.fixture.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import { leafSpine, numbers } from './leaf-spine.fixture.js';
import { SeededRandom } from './seeded-random.js';
import type { VirtualFabric } from './virtual-fabric.js';

const COLOURS = numbers(3);
const ROUTERS = ['leaf1', 'leaf2', 'spine1', 'spine2', 'spine3'];
/** Milliseconds. */
const LIFE = 20_000;
const LONGEST_AWAY = 3000;
/** Until sessions are up again, hold timers are over and leftovers are swept. */
const SETTLING = 60_000;

/** What happens, and when. */
const EVENTS: readonly (readonly [at: number, what: (fabric: VirtualFabric) => void])[] = [
  [500, (fabric) => fabric.fail('leaf2', 'spine1')],
  [3000, (fabric) => fabric.fail('spine2', 'leaf1')],
  [5000, (fabric) => fabric.heal('leaf2', 'spine1')],
  [8000, (fabric) => fabric.remove('leaf2', 'spine3')],
  [9000, (fabric) => fabric.restore('leaf2', 'spine3')],
  [10_000, (fabric) => fabric.heal('spine2', 'leaf1')],
  [12_000, (fabric) => fabric.fail('spine1', 'leaf2')],
  [12_500, (fabric) => fabric.heal('spine1', 'leaf2')],
  [14_000, (fabric) => fabric.fail('leaf1', 'spine3')],
];

interface Kill {
  readonly victim: string;
  readonly at: number;
  /** Of the operations that it is about to write then, so many are still done. */
  readonly last: number;
  readonly away: number;
}

function killOf(seed: number): Kill {
  const random = new SeededRandom(seed);
  const below = (limit: number) => Math.floor(random.next() * limit);
  const [near] = EVENTS[below(EVENTS.length)]!;
  // Every other one in the middle of what an event sets off.
  const at = seed % 2 === 0 ? below(LIFE) : near + below(20);
  return { victim: ROUTERS[below(ROUTERS.length)]!, at, last: below(4), away: 10 + below(LONGEST_AWAY) };
}

async function lived(kill?: Kill): Promise<object> {
  const configs = new Map<string, SpeakerConfig>();
  const fabric = await leafSpine({
    uplinks: COLOURS.map((spine) => ({ spine, leafEnd: { colour: spine } })),
    prefixes: COLOURS.flatMap((colour) => numbers(4).map((n) => ({ prefix: `fc00:1:${colour}:${n}::/64`, colour }))),
  });
  for (const name of ROUTERS) configs.set(name, fabric.node(name).speaker!.config);
  const { clock } = fabric;
  const start = clock.now();
  for (const [at, what] of EVENTS) clock.schedule(start + at, () => what(fabric));
  if (kill) clock.schedule(start + kill.at, () => killSoon(fabric, kill, configs.get(kill.victim)!));
  await clock.runUntil(start + LIFE + SETTLING);
  const pictures = ROUTERS.map(async (name) => [name, await kernelPicture(fabric.node(name).tables)] as const);
  const result = Object.fromEntries(await Promise.all(pictures));
  await fabric.stop();
  return result;
}

/** After the last of its operations, or a moment later if it has none to write. */
function killSoon(fabric: VirtualFabric, { victim, last, away }: Kill, config: SpeakerConfig): void {
  const node = fabric.node(victim);
  const { clock } = fabric;
  const apply = node.tables.apply.bind(node.tables);
  let left = last;
  let killed = false;
  const die = () => {
    if (killed) return;
    killed = true;
    node.tables.apply = apply;
    node.kill();
    clock.schedule(clock.now() + away, () => void node.start(config));
  };
  node.tables.apply = (operations) => {
    const done = apply(operations.slice(0, left));
    left -= operations.length;
    if (left <= 0) die();
    return done;
  };
  clock.schedule(clock.now() + 50, die);
}

describe('a router killed at any time', () => {
  it.each(numbers(5).map((n) => [10 * n - 9, 10 * n]))(
    'ends as one that never was (seeds %d to %d)',
    async (from, to) => {
      const undisturbed = await lived();
      for (let seed = from; seed <= to; seed++) {
        const kill = killOf(seed);
        expect(await lived(kill), `seed ${seed}: ${JSON.stringify(kill)}`).toEqual(undisturbed);
      }
    },
  );
});
