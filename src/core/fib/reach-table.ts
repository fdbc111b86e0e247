/**
 * What other programs' routes and our interfaces reach, by longest match: the Reachability of Linux and of the simulator, each of
 * which fills it with what it hears. A route counts while one of its next hops is on an interface that is up.
 *
 * A default route resolves nothing: it leads everywhere, so a next hop that is gone would look as good as one that is there, and
 * traffic would follow it out of the fabric. FRR and BIRD take it only when told to as well.
 */
import { type Address, equalBytes } from '../net/address.js';
import type { Prefix } from '../net/prefix.js';
import type { LinkEvent, LinkState } from '../ports/links.js';
import type { Reach, Reachability, Resolution } from '../ports/reachability.js';
import { octetsKey } from './forwarding-objects.js';
import { PrefixMatch } from './prefix-match.js';

export interface RouteHop {
  readonly interfaceIndex: number;
  /** Absent when the destination is on the link. */
  readonly gateway?: Address;
}

export interface ForeignRoute {
  readonly prefix: Prefix;
  readonly metric: number;
  /** None when the route drops. */
  readonly hops: readonly RouteHop[];
  /** Id of the kernel's next-hop object that it names. */
  readonly object?: number;
}

export class ReachTable implements Reachability {
  private routes = new PrefixMatch<ForeignRoute>();
  private readonly links = new Map<number, LinkState>();
  private readonly listeners = new Set<() => void>();
  private own: ReadonlySet<string> | undefined;
  private telling = false;

  /** `later` runs what it is given once, soon: changes until then are told together. */
  constructor(private readonly later: (work: () => void) => void) {}

  resolve(address: Address): Resolution | undefined {
    const route = this.routes.match(address, (one) => one.prefix.length > 0 && this.counts(one));
    const hops = route?.hops.filter((hop) => this.isUp(hop)) ?? [];
    if (!route || hops.length === 0) return undefined;
    const onLink = hops.every(({ gateway }) => gateway === undefined);
    return { onLink, cost: onLink ? 0 : route.metric, reaches: hops.map((hop) => this.reach(hop, address)) };
  }

  isOwn(address: Address): boolean {
    this.own ??= new Set(
      [...this.links.values()].flatMap(({ addresses }) => addresses.map((one) => octetsKey(one.address))),
    );
    return this.own.has(octetsKey(address));
  }

  onlyByDefault(address: Address): boolean {
    const route = this.routes.match(address, (one) => this.counts(one));
    return route !== undefined && route.prefix.length === 0 && route.hops.length > 0;
  }

  watch(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  linkEvent(event: LinkEvent): void {
    if (event.kind === 'link') this.links.set(event.link.index, event.link);
    else this.links.delete(event.index);
    this.own = undefined;
    this.changed();
  }

  /** A route was put in the place of what had its prefix and metric, or beside it: next hops of one prefix and metric are one route. */
  put(route: ForeignRoute, replace: boolean): void {
    const known = replace ? undefined : this.routes.get(route.prefix, route.metric);
    const more = route.hops.filter((hop) => !known?.hops.some((other) => sameHop(hop, other)));
    this.routes.set(route.prefix, route.metric, known ? { ...route, hops: [...known.hops, ...more] } : route);
    this.changed();
  }

  /** Takes the next hops of `route` away. */
  remove({ prefix, metric, hops }: ForeignRoute): void {
    const known = this.routes.get(prefix, metric);
    if (!known) return;
    this.keep(known, (hop) => !hops.some((other) => sameHop(hop, other)));
  }

  /** Takes away the next hops for which `goes` is true. */
  removeHops(goes: (route: ForeignRoute, hop: RouteHop) => boolean): void {
    for (const route of [...this.routes.values()]) {
      if (route.hops.some((hop) => goes(route, hop))) this.keep(route, (hop) => !goes(route, hop));
    }
  }

  /** What follows is all there is. */
  clear(): void {
    this.routes = new PrefixMatch();
    this.changed();
  }

  private keep(route: ForeignRoute, stays: (hop: RouteHop) => boolean): void {
    const { prefix, metric } = route;
    const hops = route.hops.filter(stays);
    if (hops.length === 0) this.routes.delete(prefix, metric);
    else this.routes.set(prefix, metric, { ...route, hops });
    this.changed();
  }

  /** A route that drops counts: it ends the search. */
  private counts({ hops }: ForeignRoute): boolean {
    return hops.length === 0 || hops.some((hop) => this.isUp(hop));
  }

  private isUp({ interfaceIndex }: RouteHop): boolean {
    const link = this.links.get(interfaceIndex);
    return link?.adminUp === true && link.carrier;
  }

  private reach({ interfaceIndex, gateway }: RouteHop, address: Address): Reach {
    const { name } = this.links.get(interfaceIndex)!;
    return { interfaceIndex, interfaceName: name, gateway: gateway ?? address };
  }

  private changed(): void {
    if (this.telling) return;
    this.telling = true;
    this.later(() => {
      this.telling = false;
      for (const listener of [...this.listeners]) listener();
    });
  }
}

function sameHop(a: RouteHop, b: RouteHop): boolean {
  if (a.interfaceIndex !== b.interfaceIndex) return false;
  return a.gateway && b.gateway ? equalBytes(a.gateway, b.gateway) : a.gateway === b.gateway;
}
