/** Which links are drawn. All, as long as one can tell them apart; of more, those that say something. Pure. */
import type { PageLink } from '../../edge/control/page/shapes.js';
import type { Model } from '../model.js';

/** More lines than this are a grey cloud. */
const MOST_DRAWN = 300;
const MOST_BROKEN = 200;
const BUSIEST = 40;

export interface DrawnLinks {
  readonly links: readonly PageLink[];
  /** So many are not drawn. */
  readonly left: number;
}

export function drawnLinks({ fabric, links: states }: Model, node: string, ways: ReadonlySet<string>): DrawnLinks {
  const all = fabric?.links ?? [];
  if (all.length <= MOST_DRAWN) return { links: all, left: 0 };
  const chosen = new Set(ways);
  for (const { name, a, b } of all) if (a.node === node || b.node === node) chosen.add(name);
  let broken = 0;
  for (const { name } of all) {
    const state = states.get(name)?.state ?? 'up';
    if (state !== 'up' && broken++ < MOST_BROKEN) chosen.add(name);
  }
  for (const name of busiest(states)) chosen.add(name);
  const links = all.filter(({ name }) => chosen.has(name));
  return { links, left: all.length - links.length };
}

function busiest(states: Model['links']): string[] {
  const loads = [...states.values()].map(({ name, forth, back }) => ({ name, load: Math.max(forth ?? 0, back ?? 0) }));
  return loads
    .filter(({ load }) => load > 0)
    .sort((one, two) => two.load - one.load)
    .slice(0, BUSIEST)
    .map(({ name }) => name);
}
