/** A packet from any leaf to any prefix that it must reach arrives at the prefix's leaf, whichever of equal ways it takes. */
import { type Expectation, routesOf } from '../expectation.js';
import { prefixOf } from '../prefix-of.js';
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';
import { nextRouters } from '../walk.js';

/** Leaf, spine, leaf; a router more is a detour that nobody plans. */
const MOST_HOPS = 3;

export function blackholes(bed: Testbed, expected: Expectation): Violation[] {
  const found: Violation[] = [];
  for (const { name, role } of bed.running) {
    if (role !== 'leaf') continue;
    for (const { prefix, paths } of routesOf(expected, name)) {
      if (!paths.some(({ use }) => use !== 'hidden')) continue;
      const lost = lostWay(bed, [name], { destination: prefixOf(prefix.text).address, leaf: prefix.leaf });
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
  bed: Testbed,
  way: readonly string[],
  target: { readonly destination: Uint8Array; readonly leaf: string },
): readonly string[] | undefined {
  const here = way.at(-1)!;
  if (here === target.leaf) return undefined;
  const nexts = way.length > MOST_HOPS ? [] : nextRouters(bed, here, target.destination);
  if (nexts.length === 0) return way;
  for (const next of nexts) {
    const lost = next === undefined ? [...way, '?'] : lostWay(bed, [...way, next], target);
    if (lost) return lost;
  }
  return undefined;
}
