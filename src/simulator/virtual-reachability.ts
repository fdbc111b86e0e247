/** What a simulated node reaches: the subnets of its interfaces' addresses, and the static routes that a test gives it. */
import { type ForeignRoute, ReachTable } from '../core/fib/reach-table.js';
import { isLinkLocal } from '../core/net/address.js';
import { masked } from '../core/net/prefix.js';
import type { Clock } from '../core/ports/clock.js';
import type { LinkEvent, LinkState } from '../core/ports/links.js';
import type { VirtualLinks } from './virtual-links.js';

export class VirtualReachability extends ReachTable {
  /** Routes to subnets, by interface. */
  private readonly subnets = new Map<number, readonly ForeignRoute[]>();

  constructor(clock: Clock, links: VirtualLinks) {
    super((work) => clock.yield(work));
    for (const { state } of links.all()) this.follow({ kind: 'link', link: state });
    links.watch((event) => this.follow(event));
  }

  private follow(event: LinkEvent): void {
    this.linkEvent(event);
    const index = event.kind === 'link' ? event.link.index : event.index;
    for (const route of this.subnets.get(index) ?? []) this.remove(route);
    const routes = event.kind === 'link' ? subnetsOf(event.link) : [];
    this.subnets.set(index, routes);
    for (const route of routes) this.put(route, false);
  }
}

function subnetsOf({ index, addresses }: LinkState): ForeignRoute[] {
  const hops = [{ interfaceIndex: index }];
  return addresses
    .filter(({ address, tentative }) => !tentative && !isLinkLocal(address))
    .map(({ address, prefixLength: length }) => ({
      prefix: { address: masked(address, length), length },
      metric: 0,
      hops,
    }));
}
