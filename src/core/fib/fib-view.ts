/** What `show fib` tells of one prefix. */
import type { AsNumber } from '../net/as-number.js';
import type { Prefix } from '../net/prefix.js';
import type { NextHopId } from '../ports/kernel-tables.js';
import { type FibPrefix, type Group, TIER_METRICS, type Tier } from './forwarding-objects.js';
import type { NextHops } from './next-hops.js';
import type { FibNextHop } from './types.js';

/**
 * `installed`: the kernel has the route and its group; `failed`: the kernel refused something of it, see `error`;
 * `pending`: not in the kernel, because it is not written yet or its links are down.
 */
export type FibState = 'installed' | 'pending' | 'failed';

export interface FibRouteView {
  readonly metric: number;
  readonly nextHops: readonly FibNextHop[];
  /** Id of the kernel's group; absent when there is none. */
  readonly group?: NextHopId;
  readonly state: FibState;
  /** The kernel's words, or `link down`. */
  readonly error?: string;
}

export interface FibEntryView {
  readonly prefix: Prefix;
  readonly origin: AsNumber;
  readonly colour?: number;
  readonly primary: FibRouteView;
  readonly fallback?: FibRouteView;
}

/** `undefined` for a prefix that is on its way out. */
export function viewOf(prefix: FibPrefix, nextHops: NextHops): FibEntryView | undefined {
  const { forwardingClass } = prefix;
  if (!forwardingClass) return undefined;
  const { spec, groups } = forwardingClass;
  const [primary, fallback] = groups;
  return {
    prefix: prefix.prefix,
    origin: spec.origin,
    ...(spec.colour === undefined ? {} : { colour: spec.colour }),
    primary: routeView(prefix, 0, primary, nextHops),
    ...(fallback ? { fallback: routeView(prefix, 1, fallback, nextHops) } : {}),
  };
}

function routeView(prefix: FibPrefix, tier: Tier, group: Group, nextHops: NextHops): FibRouteView {
  const installed = group.id !== 0 && prefix.installed[tier] === group.id;
  const refused = prefix.error ?? group.error ?? group.members.find(({ error }) => error)?.error;
  const down = group.members.every(({ interfaceIndex }) => nextHops.isLinkDown(interfaceIndex));
  const state = installed ? 'installed' : refused ? 'failed' : 'pending';
  const error = installed ? undefined : (refused ?? (down ? 'link down' : undefined));
  return {
    metric: TIER_METRICS[tier],
    nextHops: group.members.map(({ interfaceIndex, gateway }, place) => {
      const weight = group.weights?.[place];
      return weight === undefined ? { interfaceIndex, gateway } : { interfaceIndex, gateway, weight };
    }),
    ...(group.id === 0 ? {} : { group: group.id }),
    state,
    ...(error === undefined ? {} : { error }),
  };
}
