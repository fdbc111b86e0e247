/**
 * Whether a leaf forwards as it should: every prefix of another leaf has the uplink of its colour at metric 20, and behind it, at metric
 * 30, a group of all other uplinks, or in session mode the one of its backup colour. Read from the forwarding tables, which is where it counts.
 */

import { FALLBACK_METRIC, PRIMARY_METRIC } from '../core/fib/types.js';
import { formatPrefix } from '../core/net/prefix.js';
import type { VirtualNode } from '../simulator/virtual-node.js';
import {
  type ClosSize,
  colourOf,
  fallbackColoursOf,
  leafName,
  leafNumber,
  numbers,
  prefixOf,
  spineName,
} from './clos-shape.js';

export interface Checked {
  readonly prefixes: number;
  /** The first few that are wrong, in words. */
  readonly wrong: readonly string[];
}

const MOST_WRONG = 10;

/** Of `most` leaves at most, evenly over the fabric. */
export async function checkLeaves(node: (name: string) => VirtualNode, size: ClosSize, most: number): Promise<Checked> {
  const all = numbers(size.pods).flatMap((pod) => numbers(size.leaves).map((leaf) => ({ pod, leaf })));
  const step = Math.max(1, Math.ceil(all.length / most));
  let prefixes = 0;
  const wrong: string[] = [];
  for (let at = 0; at < all.length; at += step) {
    const { pod, leaf } = all[at]!;
    const found = await checkLeaf(node(leafName(pod, leaf)), size, pod, leaf);
    prefixes += found.prefixes;
    wrong.push(...found.wrong.slice(0, MOST_WRONG - wrong.length));
  }
  return { prefixes, wrong };
}

async function checkLeaf(node: VirtualNode, size: ClosSize, pod: number, leaf: number): Promise<Checked> {
  const own = leafNumber(size, pod, leaf);
  const routes = await routesOf(node);
  const wrong: string[] = [];
  let prefixes = 0;
  for (let number = 0; number < size.pods * size.leaves; number++) {
    if (number === own) continue;
    for (const place of numbers(size.prefixesPerLeaf)) {
      prefixes++;
      const colour = colourOf(size, number, place);
      const wanted = {
        [PRIMARY_METRIC]: spineName(pod, colour),
        [FALLBACK_METRIC]: fallbackColoursOf(size, colour)
          .map((other) => spineName(pod, other))
          .sort()
          .join(' '),
      };
      const prefix = formatPrefix(prefixOf(number, place));
      for (const [metric, members] of Object.entries(wanted)) {
        const found = routes.get(`${prefix} ${metric}`) ?? 'no route';
        if (found !== members) wrong.push(`${node.name}: ${prefix} metric ${metric}: ${found}, expected ${members}`);
      }
    }
  }
  return { prefixes, wrong };
}

/** Uplinks by prefix and metric. */
async function routesOf(node: VirtualNode): Promise<Map<string, string>> {
  const { nextHops, groups, routes } = await node.tables.dump('everything');
  const nameOf = new Map(
    nextHops.map(({ id, interfaceIndex }) => [id, node.links.byIndex(interfaceIndex)?.name ?? '']),
  );
  const membersOf = new Map(
    groups.map(({ id, members }) => [
      id,
      members
        .map((member) => nameOf.get(member.id) ?? '')
        .sort()
        .join(' '),
    ]),
  );
  return new Map(
    routes.map(({ prefix, metric, nextHop }) => [
      `${formatPrefix(prefix)} ${metric}`,
      membersOf.get(nextHop) ?? nameOf.get(nextHop) ?? '',
    ]),
  );
}
