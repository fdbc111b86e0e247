/**
 * The kernel's forwarding tables over rtnetlink. What is asked for and what is reported is in core/ports/kernel-tables;
 * which messages carry it is in fib-messages.
 *
 * Events: what another program asked for that cost us an object or a route. The kernel filters them before they cost anything.
 */
import { GROUP_IDS, NEXT_HOP_IDS, ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import type {
  DumpScope,
  ForeignObject,
  KernelEvent,
  KernelFailure,
  KernelGroup,
  KernelNextHop,
  KernelOperation,
  KernelRoute,
  KernelSnapshot,
  KernelTables,
} from '../../core/ports/kernel-tables.js';
import {
  AF_INET,
  AF_INET6,
  blackholeRequest,
  isOurMetric,
  nextHopDumpHeader,
  parseAnyRoute,
  parseForeignNextHop,
  parseNextHop,
  parseRoute,
  requestOf,
  routeDumpHeader,
} from './fib-messages.js';
import { parseRouteInTheWay } from './route-messages.js';
import { lossesByOthers } from './rtnetlink/event-filter.js';
import { GROUP, MESSAGE, type NetlinkError, type NetlinkRequest } from './rtnetlink/message.js';
import { type NetlinkEvent, RouteNetlink } from './rtnetlink/route-netlink.js';

/** Answers to a deletion of what is not there. */
const ABSENT = new Set(['ENOENT', 'ESRCH', 'ENODEV']);

/** The probe takes the last ids of each range that nobody has. */
const LAST_NEXT_HOP = GROUP_IDS - 1;
const LAST_GROUP = GROUP_IDS + (GROUP_IDS - NEXT_HOP_IDS) - 1;
const PROBE_TRIES = 100;

type Listeners = Set<(event: KernelEvent) => void>;

export class LinuxKernelTables implements KernelTables {
  private constructor(
    private readonly netlink: RouteNetlink,
    private readonly listeners: Listeners,
    readonly resilientGroups: boolean,
  ) {}

  /** Rejects with a plain error when root or a kernel feature is missing. */
  static async open(): Promise<LinuxKernelTables> {
    // A socket belongs to the network namespace it is opened in: both are opened before anything is awaited.
    const netlink = new RouteNetlink();
    try {
      const listeners = watchLosses(netlink);
      return new LinuxKernelTables(netlink, listeners, await probeResilientGroups(netlink));
    } catch (error) {
      netlink.close();
      throw error;
    }
  }

  async apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]> {
    const failures = await this.netlink.request(operations.map(requestOf));
    return failures.flatMap(({ index, code, message }) => {
      const operation = operations[index]!;
      const deletes = operation.kind === 'delete-next-hop' || operation.kind === 'delete-route';
      return deletes && ABSENT.has(code) ? [] : [{ operation, code, message }];
    });
  }

  async dump(scope: DumpScope): Promise<KernelSnapshot> {
    const nextHops: KernelNextHop[] = [];
    const groups: KernelGroup[] = [];
    const foreign: ForeignObject[] = [];
    for (const { payload } of await this.netlink.dump(MESSAGE.getNextHop, nextHopDumpHeader())) {
      const object = parseNextHop(payload);
      const other = parseForeignNextHop(payload);
      if (other) foreign.push(other);
      else if (object && 'members' in object) groups.push(object);
      else if (object) nextHops.push(object);
    }
    if (scope === 'next-hops') return { nextHops, groups, routes: [], foreign };
    const routes: KernelRoute[] = [];
    for (const family of [AF_INET6, AF_INET]) {
      const header = routeDumpHeader(family, scope === 'everything' ? 'ours' : 'all');
      // Read as they come: what 100,000 routes take at once would hold up the event loop.
      const found = await this.netlink.dump(MESSAGE.getRoute, header, ({ payload }) => {
        return parseRoute(payload) ?? parseRouteInTheWay(payload);
      });
      for (const route of found) {
        if (!('kind' in route)) routes.push(route);
        else if (scope === 'with-foreign' || route.protocol === ROUTE_PROTOCOL) foreign.push(route);
      }
    }
    return { nextHops, groups, routes, foreign };
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.listeners.clear();
    this.netlink.close();
  }
}

/** Calls the listeners in the set that is returned for each loss of an object or route by the hand of others. */
function watchLosses(netlink: RouteNetlink): Listeners {
  const listeners: Listeners = new Set();
  netlink.subscribe(
    [GROUP.nextHop, GROUP.ipv4Route, GROUP.ipv6Route],
    (netlinkEvent) => {
      const event = eventOf(netlinkEvent);
      if (event) for (const listener of [...listeners]) listener(event);
    },
    lossesByOthers({ protocol: ROUTE_PROTOCOL, metrics: [PRIMARY_METRIC, FALLBACK_METRIC], port: netlink.port }),
  );
  return listeners;
}

function eventOf(event: NetlinkEvent): KernelEvent | undefined {
  if (event.kind === 'overrun') return event;
  const { type, payload } = event.message;
  if (type === MESSAGE.deleteRoute) {
    const route = parseRoute(payload);
    if (route) return { kind: 'route-deleted', ...route };
    const other = parseAnyRoute(payload);
    return other && isOurMetric(other.metric)
      ? { kind: 'foreign-route-gone', prefix: other.prefix, metric: other.metric }
      : undefined;
  }
  if (type === MESSAGE.newRoute) {
    const route = parseAnyRoute(payload);
    const nextHop = parseRoute(payload)?.nextHop ?? 0;
    return route && { kind: 'route-replaced', ...route, nextHop };
  }
  const object = type === MESSAGE.deleteNextHop ? parseNextHop(payload) : undefined;
  return object && { kind: 'next-hop-deleted', id: object.id };
}

/** Tries out a resilient group of one next hop that needs no link. Rejects when there are no next-hop objects at all. */
async function probeResilientGroups(netlink: RouteNetlink): Promise<boolean> {
  const member = await tryIds(netlink, LAST_NEXT_HOP, blackholeRequest);
  const { refused } = member;
  if (refused?.code === 'EPERM') {
    throw new Error('the kernel does not let this user change routes: heddle needs root (CAP_NET_ADMIN)');
  }
  if (refused?.code === 'ENETDOWN') {
    throw new Error('the loopback interface is down, and the kernel refuses next hops so: ip link set lo up');
  }
  if (refused) {
    throw new Error(`this kernel has no next-hop objects (Linux 5.3 has): ${refused.message} (${refused.code})`);
  }
  const resilient = { buckets: 4, idleTimer: 1, unbalancedTimer: 0 };
  const members = [{ id: member.id, weight: 1 }];
  const group = await tryIds(netlink, LAST_GROUP, (id) =>
    requestOf({ kind: 'set-group', id, members, resilient, replace: false }),
  );
  const made = group.refused ? [member.id] : [group.id, member.id];
  await netlink.request(made.map((id) => requestOf({ kind: 'delete-next-hop', id })));
  return group.refused === undefined;
}

/** Makes an object with the highest id from `last` down that is free. */
async function tryIds(
  netlink: RouteNetlink,
  last: number,
  request: (id: number) => NetlinkRequest,
): Promise<{ id: number; refused: NetlinkError | undefined }> {
  for (let id = last; ; id--) {
    const [refused] = await netlink.request([request(id)]);
    if (refused?.code !== 'EEXIST' || last - id === PROBE_TRIES) return { id, refused };
  }
}
