/**
 * What other programs' routes reach, over rtnetlink: the main table, followed. Our own routes are filtered out before they cost anything.
 *
 * The kernel takes routes away in silence (measured on 6.18): IPv4 ones when an interface is set down or an address deleted, for
 * which the table is dumped again; and those that name a next-hop object when that is deleted, or its interface loses carrier.
 */
import { ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import { ReachTable } from '../../core/fib/reach-table.js';
import type { Address } from '../../core/net/address.js';
import type { LinkEvent, LinkState, Links } from '../../core/ports/links.js';
import type { Reachability, Resolution } from '../../core/ports/reachability.js';
import { TABLE_MAIN } from './fib-messages.js';
import { FollowedTable } from './followed-table.js';
import { objectId, parseForeignRoute, ROUTE_HEADER } from './route-messages.js';
import { routesOfOthers } from './rtnetlink/event-filter.js';
import { FLAG, GROUP, MESSAGE, type NetlinkMessage } from './rtnetlink/message.js';
import { RouteNetlink } from './rtnetlink/route-netlink.js';

export class LinuxReachability implements Reachability {
  private readonly netlink = new RouteNetlink();
  private readonly table = new ReachTable((work) => setImmediate(work));
  private readonly links = new Map<number, LinkState>();
  private readonly followed = new FollowedTable({
    read: () => this.netlink.dump(MESSAGE.getRoute, new Uint8Array(ROUTE_HEADER)),
    replace: (messages) => this.replace(messages),
    change: (message) => this.change(message),
  });
  private unwatch = (): void => {};

  private constructor() {
    this.netlink.subscribe(
      [GROUP.ipv4Route, GROUP.ipv6Route, GROUP.nextHop],
      (event) => this.followed.receive(event),
      routesOfOthers({ protocol: ROUTE_PROTOCOL, table: TABLE_MAIN }),
    );
  }

  /** Resolves when all routes are known. Rejects with a plain error when the kernel or a package says no. */
  static async open(links: Links): Promise<LinuxReachability> {
    const reachability = new LinuxReachability();
    try {
      reachability.unwatch = links.watch((event) => reachability.linkEvent(event));
      for (const link of await links.list()) reachability.linkEvent({ kind: 'link', link });
      await reachability.followed.read();
      return reachability;
    } catch (error) {
      reachability.close();
      throw error;
    }
  }

  resolve(address: Address): Resolution | undefined {
    return this.table.resolve(address);
  }

  isOwn(address: Address): boolean {
    return this.table.isOwn(address);
  }

  onlyByDefault(address: Address): boolean {
    return this.table.onlyByDefault(address);
  }

  watch(changed: () => void): () => void {
    return this.table.watch(changed);
  }

  close(): void {
    this.followed.close();
    this.unwatch();
    this.netlink.close();
  }

  private linkEvent(event: LinkEvent): void {
    const before = this.links.get(event.kind === 'link' ? event.link.index : event.index);
    if (event.kind === 'link') this.links.set(event.link.index, event.link);
    else this.links.delete(event.index);
    this.table.linkEvent(event);
    if (!before) return;
    if (takesRoutes(before, event)) this.followed.readAgain();
    else if (event.kind === 'link' && before.carrier && !event.link.carrier)
      this.table.removeHops(
        ({ object }, { interfaceIndex }) => object !== undefined && interfaceIndex === before.index,
      );
  }

  private change({ type, flags, payload }: NetlinkMessage): void {
    if (type === MESSAGE.deleteNextHop) return this.objectDeleted(objectId(payload));
    const route = parseForeignRoute(payload);
    if (!route) return;
    if (type === MESSAGE.deleteRoute) this.table.remove(route);
    else this.table.put(route, (flags & FLAG.replace) !== 0);
  }

  private objectDeleted(id: number | undefined): void {
    this.table.removeHops(({ object }) => object !== undefined && object === id);
  }

  private replace(messages: readonly NetlinkMessage[]): void {
    this.table.clear();
    for (const { payload } of messages) {
      const route = parseForeignRoute(payload);
      if (route) this.table.put(route, false);
    }
  }
}

/** What the kernel does not say that it did to routes over the interface. */
function takesRoutes(before: LinkState, event: LinkEvent): boolean {
  if (event.kind === 'link-deleted') return true;
  const { adminUp, addresses } = event.link;
  return (before.adminUp && !adminUp) || addresses.length < before.addresses.length;
}
