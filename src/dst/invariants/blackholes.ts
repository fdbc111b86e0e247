/** A packet from any leaf to any prefix that it must reach arrives at the prefix's leaf, whichever of equal ways it takes. */
import type { Prefix } from '../../core/net/prefix.js';
import { type Expectation, routesOf } from '../expectation.js';
import { isFiveStages } from '../five-stage-plan.js';
import type { Intent } from '../intent.js';
import { prefixOf } from '../prefix-of.js';
import type { Violation } from '../violation.js';
import type { NextRouters } from '../walk.js';

/** Leaf, spine, leaf; a router more is a detour that nobody plans. Over superspines there are two more, and a detour of two. */
const MOST_HOPS = { three: 3, five: 7 };

export function blackholes({ plan, running }: Intent, expected: Expectation, next: NextRouters): Violation[] {
  const found: Violation[] = [];
  const most = isFiveStages(plan) ? MOST_HOPS.five : MOST_HOPS.three;
  for (const { name, role } of running) {
    if (role !== 'leaf') continue;
    for (const { prefix, paths } of routesOf(expected, name)) {
      if (!paths.some(({ use }) => use !== 'hidden')) continue;
      const lost = lostWay([name], { destination: prefixOf(prefix.text), leaf: prefix.leaf, most, next });
      if (lost)
        found.push({
          invariant: 'no-blackhole',
          place: `${name} ${prefix.text}`,
          detail: `lost on the way ${lost.join(' ')}`,
        });
    }
  }
  return found;
}

function lostWay(
  way: readonly string[],
  target: { readonly destination: Prefix; readonly leaf: string; readonly most: number; readonly next: NextRouters },
): readonly string[] | undefined {
  const here = way.at(-1)!;
  if (here === target.leaf) return undefined;
  const nexts = way.length > target.most ? [] : target.next(here, target.destination);
  if (nexts.length === 0) return way;
  for (const next of nexts) {
    const lost = next === undefined ? [...way, '?'] : lostWay([...way, next], target);
    if (lost) return lost;
  }
  return undefined;
}
