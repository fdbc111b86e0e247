/** What `show fib` tells of one prefix. */
import type { AsNumber } from '../net/as-number.js';
import type { Prefix } from '../net/prefix.js';
import type { NextHopId } from '../ports/kernel-tables.js';
import { type Group, TIER_METRICS, type Tier } from './forwarding-objects.js';
import type { NextHops } from './next-hops.js';
import type { PrefixNumber, PrefixRecords } from './prefix-records.js';
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
export function viewOf(prefix: PrefixNumber, records: PrefixRecords, nextHops: NextHops): FibEntryView | undefined {
  const forwardingClass = records.classOf(prefix);
  if (!forwardingClass) return undefined;
  const { spec, groups } = forwardingClass;
  const [primary, fallback] = groups;
  const error = records.errors.get(prefix);
  const route = (tier: Tier, group: Group) =>
    routeView({ tier, group, installed: records.installed(prefix, tier), error }, nextHops);
  return {
    prefix: records.prefixOf(prefix),
    origin: spec.origin,
    ...(spec.colour === undefined ? {} : { colour: spec.colour }),
    primary: route(0, primary),
    ...(fallback ? { fallback: route(1, fallback) } : {}),
  };
}

interface RouteState {
  readonly tier: Tier;
  readonly group: Group;
  /** The group of the route in the kernel. */
  readonly installed: NextHopId;
  readonly error: string | undefined;
}

function routeView(route: RouteState, nextHops: NextHops): FibRouteView {
  const { tier, group } = route;
  const installed = group.id !== 0 && route.installed === group.id;
  const refused = route.error ?? group.error ?? group.set.members.find(({ error }) => error)?.error;
  const down = group.set.members.every(({ interfaceIndex }) => nextHops.isLinkDown(interfaceIndex));
  const state = installed ? 'installed' : refused ? 'failed' : 'pending';
  const error = installed ? undefined : (refused ?? (down ? 'link down' : undefined));
  return {
    metric: TIER_METRICS[tier],
    nextHops: group.set.members.map(({ interfaceIndex, gateway }, place) => {
      const weight = group.set.weights?.[place];
      return weight === undefined ? { interfaceIndex, gateway } : { interfaceIndex, gateway, weight };
    }),
    ...(group.id === 0 ? {} : { group: group.id }),
    state,
    ...(error === undefined ? {} : { error }),
  };
}
