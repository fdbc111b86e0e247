/** The kernel of every router has, for every prefix that it must reach, the uplink that it must prefer and the rest behind it; and no others. */
import { fallbackOf, preferredOf } from '../../app/verify/model.js';
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { type Expectation, routesOf } from '../expectation.js';
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';
import { kernelView } from './kernel-view.js';

export async function forwarding(bed: Testbed, expected: Expectation): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { name } of bed.running) {
    const node = bed.node(name);
    const { routes } = await kernelView(node);
    const nameOf = (hop: string) => node.links.byIndex(Number(hop.split('%')[1]))?.name ?? hop;
    const must = new Map<string, readonly string[]>();
    for (const route of routesOf(expected, name)) {
      const [preferred, fallback] = [preferredOf(route), fallbackOf(route)];
      if (preferred.length > 0) must.set(`${route.prefix.text} ${PRIMARY_METRIC}`, preferred);
      if (fallback.length > 0) must.set(`${route.prefix.text} ${FALLBACK_METRIC}`, fallback);
    }
    for (const key of new Set([...must.keys(), ...routes.keys()])) {
      const has = (routes.get(key) ?? []).map(nameOf).sort().join(', ');
      const wanted = [...(must.get(key) ?? [])].sort().join(', ');
      if (has !== wanted)
        found.push({
          invariant: 'forwarding',
          place: `${name} ${key}`,
          detail: `leads to ${has || 'nothing'}, must to ${wanted || 'nothing'}`,
        });
    }
  }
  return found;
}
