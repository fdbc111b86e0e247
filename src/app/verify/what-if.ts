/** Two predictions side by side: which prefixes move where, what the links carry before and after, and what is cut off. */
import { type CutOff, linkLoads } from './link-loads.js';
import { fallbackOf, type ModelPrefix, type ModelRoute, type Prediction, preferredOf } from './model.js';

export interface Move {
  readonly router: string;
  readonly prefix: ModelPrefix;
  /** Interfaces. */
  readonly before: Ways;
  readonly after: Ways;
}

export interface Ways {
  readonly preferred: readonly string[];
  readonly fallback: readonly string[];
}

export interface LoadChange {
  readonly link: string;
  readonly from: string;
  readonly to: string;
  readonly before: number;
  readonly after: number;
}

export interface WhatIf {
  readonly before: Prediction;
  readonly after: Prediction;
  /** Names of the links that fail. */
  readonly failed: readonly string[];
  /** Routes whose preferred paths change. */
  readonly moves: readonly Move[];
  /** Routes that keep their preferred paths and lose some behind them. */
  readonly thinned: readonly Move[];
  readonly loads: readonly LoadChange[];
  readonly cutOff: readonly CutOff[];
}

export function whatIf(before: Prediction, after: Prediction): WhatIf {
  const changed = changes(before, after);
  const moved = ({ before: was, after: is }: Move) => was.preferred.join() !== is.preferred.join();
  const [old, now] = [linkLoads(before), linkLoads(after)];
  return {
    before,
    after,
    failed: after.links.filter(({ up }) => !up).map(({ name }) => name),
    moves: changed.filter(moved),
    thinned: changed.filter((one) => !moved(one)),
    loads: now.links.map(({ load, ...at }, index) => ({ ...at, before: old.links[index]?.load ?? 0, after: load })),
    cutOff: now.cutOff,
  };
}

function changes(before: Prediction, after: Prediction): Move[] {
  return [...after.routes].flatMap(([router, routes]) =>
    [...routes.values()].flatMap((route) => {
      const was = waysOf(before.routes.get(router)!.get(route.prefix.text)!);
      const is = waysOf(route);
      const same = was.preferred.join() === is.preferred.join() && was.fallback.join() === is.fallback.join();
      return same ? [] : [{ router, prefix: route.prefix, before: was, after: is }];
    }),
  );
}

function waysOf(route: ModelRoute): Ways {
  return { preferred: preferredOf(route), fallback: fallbackOf(route) };
}
