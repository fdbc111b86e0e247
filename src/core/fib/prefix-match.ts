/** Routes by prefix and metric, with longest-prefix match: for what other programs' routes reach. */
import type { Address } from '../net/address.js';
import { masked, type Prefix } from '../net/prefix.js';
import { octetsKey, prefixKey } from './forwarding-objects.js';

export class PrefixMatch<Route> {
  private readonly routes = new Map<string, Map<number, Route>>();
  /** Prefixes of each length, per octets of address; lengths are few. */
  private readonly lengths = new Map<number, number[]>([
    [4, new Array<number>(33).fill(0)],
    [16, new Array<number>(129).fill(0)],
  ]);

  get(prefix: Prefix, metric: number): Route | undefined {
    return this.routes.get(prefixKey(prefix))?.get(metric);
  }

  set(prefix: Prefix, metric: number, route: Route): void {
    const key = prefixKey(prefix);
    const metrics = this.routes.get(key);
    if (metrics) metrics.set(metric, route);
    else {
      this.routes.set(key, new Map([[metric, route]]));
      this.count(prefix, 1);
    }
  }

  delete(prefix: Prefix, metric: number): void {
    const key = prefixKey(prefix);
    const metrics = this.routes.get(key);
    if (!metrics?.delete(metric) || metrics.size > 0) return;
    this.routes.delete(key);
    this.count(prefix, -1);
  }

  *values(): Iterable<Route> {
    for (const metrics of this.routes.values()) yield* metrics.values();
  }

  /** The route of the longest prefix that covers `address`, of those the one with the lowest metric, among the acceptable ones. */
  match(address: Address, accepts?: (route: Route) => boolean): Route | undefined {
    const lengths = this.lengths.get(address.length) ?? [];
    for (let length = lengths.length - 1; length >= 0; length--) {
      if (!lengths[length]) continue;
      const metrics = this.routes.get(octetsKey(masked(address, length)) + String.fromCharCode(length));
      const found = metrics && lowest(metrics, accepts);
      if (found) return found;
    }
    return undefined;
  }

  private count(prefix: Prefix, change: 1 | -1): void {
    const lengths = this.lengths.get(prefix.address.length);
    if (lengths) lengths[prefix.length] = (lengths[prefix.length] ?? 0) + change;
  }
}

function lowest<Route>(metrics: Map<number, Route>, accepts?: (route: Route) => boolean): Route | undefined {
  let least: number | undefined;
  for (const [metric, route] of metrics)
    if ((least === undefined || metric < least) && (!accepts || accepts(route))) least = metric;
  return least === undefined ? undefined : metrics.get(least);
}
