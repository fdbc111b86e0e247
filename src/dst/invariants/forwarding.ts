/** The kernel of every router has, for every prefix that it must reach, the uplink that it must prefer and the rest behind it; and no others. */
import { fallbackOf, type ModelRoute, preferredOf } from '../../app/verify/model.js';
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { type Expectation, routesOf } from '../expectation.js';
import { prefixOf } from '../prefix-of.js';
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';
import { kernelView, routeText } from './kernel-view.js';

export async function forwarding(bed: Testbed, expected: Expectation): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { name } of bed.running) {
    const node = bed.node(name);
    const { routes } = await kernelView(node);
    const nameOf = (hop: string) => node.links.byIndex(Number(hop.split('%')[1]))?.name ?? hop;
    const must = new Map(routesOf(expected, name).flatMap(wantedRoutes));
    for (const key of new Set([...must.keys(), ...routes.keys()])) {
      const { text, ways } = must.get(key) ?? { text: key, ways: [] };
      const has = (routes.get(key) ?? []).map(nameOf).sort().join(', ');
      const wanted = [...ways].sort().join(', ');
      if (has === wanted) continue;
      const detail = `leads to ${has || 'nothing'}, must to ${wanted || 'nothing'}`;
      found.push({ invariant: 'forwarding', place: `${name} ${text}`, detail });
    }
  }
  return found;
}

interface WantedRoute {
  readonly text: string;
  /** Interfaces. */
  readonly ways: readonly string[];
}

function wantedRoutes(route: ModelRoute): (readonly [string, WantedRoute])[] {
  const tiers = [
    [PRIMARY_METRIC, preferredOf(route)],
    [FALLBACK_METRIC, fallbackOf(route)],
  ] as const;
  const { text } = route.prefix;
  return tiers.flatMap(([metric, ways]) =>
    ways.length === 0 ? [] : [[routeText(prefixOf(text), metric), { text: `${text} ${metric}`, ways }] as const],
  );
}
