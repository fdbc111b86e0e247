/**
 * Kernel tables in memory, for tests, replay and simulation. They do what Linux does, inconvenient parts included: a link
 * that goes down takes its next-hop objects along, and groups left empty, and their routes, all in silence; a group keeps its type and buckets for life; nothing is overwritten unless asked.
 */
import type { Address } from '../net/address.js';
import type { Prefix } from '../net/prefix.js';
import type {
  DumpScope,
  ForeignNextHop,
  GroupMember,
  KernelEvent,
  KernelFailure,
  KernelGroup,
  KernelNextHop,
  KernelOperation,
  KernelRoute,
  KernelSnapshot,
  KernelTables,
  NextHopId,
  RouteInTheWay,
} from '../ports/kernel-tables.js';
import { MemoryRoutes } from './memory-routes.js';
import { ROUTE_PROTOCOL } from './ownership.js';
import { FALLBACK_METRIC, type FibNextHop, PRIMARY_METRIC } from './types.js';

export interface MemoryTablesOptions {
  /** False imitates a kernel without resilient groups; default true. */
  readonly resilientGroups?: boolean;
}

export interface WeightedNextHop extends FibNextHop {
  readonly weight: number;
}

type Refusal = Pick<KernelFailure, 'code' | 'message'>;

/** `RTPROT_STATIC`: routes of an administrator. */
const STATIC = 4;

type SetNextHop = Extract<KernelOperation, { kind: 'set-next-hop' }>;
type SetGroup = Extract<KernelOperation, { kind: 'set-group' }>;
type SetRoute = Extract<KernelOperation, { kind: 'set-route' }>;

export class MemoryKernelTables implements KernelTables {
  readonly resilientGroups: boolean;
  /** While it stays the same, so does what `lookup` and `dump` say. */
  changes = 0;
  private readonly nextHops = new Map<NextHopId, KernelNextHop>();
  private readonly groups = new Map<NextHopId, KernelGroup>();
  private readonly foreignNextHops = new Map<NextHopId, ForeignNextHop>();
  private readonly routes = new MemoryRoutes();
  private readonly downLinks = new Set<number>();
  private readonly listeners = new Set<(event: KernelEvent) => void>();
  private refuse: ((operation: KernelOperation) => Refusal | undefined) | undefined;
  private hear: ((operation: KernelOperation) => void) | undefined;

  constructor({ resilientGroups = true }: MemoryTablesOptions = {}) {
    this.resilientGroups = resilientGroups;
  }

  async apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]> {
    const failures: KernelFailure[] = [];
    this.changes++;
    for (const operation of operations) {
      this.hear?.(operation);
      const refusal = this.refuse?.(operation) ?? this.applyOne(operation);
      if (refusal) failures.push({ operation, ...refusal });
    }
    return failures;
  }

  async dump(scope: DumpScope): Promise<KernelSnapshot> {
    const routes: KernelRoute[] = [];
    const foreign: RouteInTheWay[] = [];
    for (const route of scope === 'next-hops' ? [] : this.routes.values()) {
      const { prefix, metric, nextHop, foreign: protocol } = route;
      if (protocol === undefined) routes.push({ prefix, metric, nextHop });
      else if (protocol === ROUTE_PROTOCOL || (scope === 'with-foreign' && isOurMetric(metric)))
        foreign.push({ kind: 'route', prefix, metric, protocol, interfaces: [] });
    }
    return {
      nextHops: [...this.nextHops.values()],
      groups: [...this.groups.values()],
      routes,
      foreign: [...this.foreignNextHops.values(), ...foreign],
    };
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.listeners.clear();
  }

  /** Where a packet to `address` goes now: longest prefix, lowest metric. Empty when there is no route of ours. */
  lookup(address: Address): readonly WeightedNextHop[] {
    const route = this.routes.match(address);
    if (!route || route.foreign !== undefined) return [];
    return this.membersOf(route.nextHop).flatMap(({ id, weight }) => {
      const nextHop = this.nextHops.get(id);
      return nextHop ? [{ interfaceIndex: nextHop.interfaceIndex, gateway: nextHop.gateway, weight }] : [];
    });
  }

  /** The group that decides where a packet to `address` goes now. */
  groupFor(address: Address): KernelGroup | undefined {
    return this.groups.get(this.routes.match(address)?.nextHop ?? 0);
  }

  nextHop(id: NextHopId): KernelNextHop | undefined {
    return this.nextHops.get(id);
  }

  /** Carrier, as the kernel sees it. Links are up until told otherwise. */
  setLink(interfaceIndex: number, up: boolean): void {
    this.changes++;
    if (up) {
      this.downLinks.delete(interfaceIndex);
      return;
    }
    this.downLinks.add(interfaceIndex);
    for (const { id, interfaceIndex: index } of [...this.nextHops.values()]) {
      if (index === interfaceIndex) this.removeObject(id);
    }
  }

  /** From now on asks `refuse` before each operation; `undefined` from it lets the operation through. */
  injectFailures(refuse: ((operation: KernelOperation) => Refusal | undefined) | undefined): void {
    this.refuse = refuse;
  }

  /** The operations applied from now on are put into the array returned. */
  recordOperations(): KernelOperation[] {
    const applied: KernelOperation[] = [];
    this.hearOperations((operation) => applied.push(operation));
    return applied;
  }

  /** Tells of the operations applied from now on. */
  hearOperations(hear: (operation: KernelOperation) => void): void {
    this.hear = hear;
  }

  /** Another program adds a route (with an on-link next hop) where none is. */
  addForeignRoute(prefix: Prefix, metric: number, protocol = STATIC): void {
    this.changes++;
    this.routes.set({ prefix, metric, nextHop: 0, foreign: protocol });
  }

  /** Another program makes an object that takes an id. */
  addForeignNextHop(id: NextHopId): void {
    this.changes++;
    this.foreignNextHops.set(id, { kind: 'next-hop', id, protocol: STATIC });
  }

  deleteForeignNextHop(id: NextHopId): void {
    this.changes++;
    this.foreignNextHops.delete(id);
  }

  /** Another program puts a route of its own in the place of whatever is there. */
  replaceRouteOutside(prefix: Prefix, metric: number): void {
    const route = this.routes.get(prefix, metric);
    this.addForeignRoute(prefix, metric);
    if (route) this.emit({ kind: 'route-replaced', prefix, metric, nextHop: 0 });
  }

  deleteForeignRoute(prefix: Prefix, metric: number): void {
    if (!this.hasForeignRoute(prefix, metric)) return;
    this.changes++;
    this.routes.delete(prefix, metric);
    if (isOurMetric(metric)) this.emit({ kind: 'foreign-route-gone', prefix, metric });
  }

  hasForeignRoute(prefix: Prefix, metric: number): boolean {
    return this.routes.get(prefix, metric)?.foreign !== undefined;
  }

  /** Another program deletes a route of ours. */
  deleteRouteOutside(prefix: Prefix, metric: number): void {
    const route = this.routes.get(prefix, metric);
    if (!route || route.foreign !== undefined) return;
    this.changes++;
    this.routes.delete(prefix, metric);
    this.emit({ kind: 'route-deleted', prefix, metric, nextHop: route.nextHop });
  }

  /** Another program deletes a next-hop object or group of ours. */
  deleteNextHopOutside(id: NextHopId): void {
    if (!this.exists(id)) return;
    this.changes++;
    this.removeObject(id);
    this.emit({ kind: 'next-hop-deleted', id });
  }

  /** Another program points a next-hop object of ours somewhere else: told as the routes that use it through a group. */
  changeNextHopOutside(nextHop: KernelNextHop): void {
    if (!this.nextHops.has(nextHop.id)) return;
    this.changes++;
    this.nextHops.set(nextHop.id, nextHop);
    for (const { id, members } of this.groups.values()) {
      if (!members.some((member) => member.id === nextHop.id)) continue;
      for (const { prefix, metric } of this.routes.usersOf(id))
        this.emit({ kind: 'route-replaced', prefix, metric, nextHop: id });
    }
  }

  /** Tells the listeners that events were lost. */
  loseEvents(): void {
    this.emit({ kind: 'overrun' });
  }

  private applyOne(operation: KernelOperation): Refusal | undefined {
    switch (operation.kind) {
      case 'set-next-hop':
        return this.setNextHop(operation);
      case 'set-group':
        return this.setGroup(operation);
      case 'delete-next-hop':
        this.removeObject(operation.id);
        return undefined;
      case 'set-route':
        return this.setRoute(operation);
      case 'delete-route': {
        const route = this.routes.get(operation.prefix, operation.metric);
        if (route && route.foreign === undefined) this.routes.delete(operation.prefix, operation.metric);
        return undefined;
      }
    }
  }

  private setNextHop({ id, interfaceIndex, gateway, replace }: SetNextHop): Refusal | undefined {
    if (replace && !this.nextHops.has(id)) return this.exists(id) ? invalid('Not a nexthop') : MISSING;
    if (!replace && this.exists(id)) return EXISTS;
    if (this.downLinks.has(interfaceIndex)) {
      return { code: 'ENETDOWN', message: 'Carrier for nexthop device is down' };
    }
    this.nextHops.set(id, { id, interfaceIndex, gateway });
    return undefined;
  }

  private setGroup({ id, members, resilient, replace }: SetGroup): Refusal | undefined {
    const existing = this.groups.get(id);
    if (members.length === 0 || !members.every((member) => this.nextHops.has(member.id))) {
      return invalid('Invalid nexthop id');
    }
    if (this.nextHops.has(id)) return replace ? invalid('Can not replace a nexthop with a nexthop group') : EXISTS;
    if (existing && !replace) return EXISTS;
    if (!existing && replace) return MISSING;
    if (existing && !existing.resilient !== !resilient) {
      return invalid('Can not replace a nexthop group with one of a different type');
    }
    if (this.hasIpv4Gateway(members) && this.hasIpv6Route(id)) return NO_IPV4_GATEWAY;
    if (existing?.resilient && existing.resilient.buckets !== resilient?.buckets) {
      return invalid('Can not change number of buckets of a resilient nexthop group');
    }
    this.groups.set(id, resilient ? { id, members, resilient } : { id, members });
    return undefined;
  }

  private setRoute({ prefix, metric, nextHop, replace }: SetRoute): Refusal | undefined {
    if (!this.exists(nextHop)) return invalid('Nexthop id does not exist');
    if (prefix.address.length === 16 && this.hasIpv4Gateway(this.membersOf(nextHop))) return NO_IPV4_GATEWAY;
    const existing = this.routes.get(prefix, metric);
    if (existing && !replace) return EXISTS;
    if (!existing && replace) return MISSING;
    this.routes.set({ prefix, metric, nextHop, foreign: undefined });
    return undefined;
  }

  /** With the routes that use it, and a next hop with what it is a member of: groups have no groups in them. */
  private removeObject(id: NextHopId): void {
    if (this.nextHops.delete(id)) this.removeMember(id);
    this.groups.delete(id);
    for (const { prefix, metric } of this.routes.usersOf(id)) this.routes.delete(prefix, metric);
  }

  /** Groups that are left empty go. */
  private removeMember(id: NextHopId): void {
    // Most groups have one of a few sets.
    const rest = new Map<readonly GroupMember[], readonly GroupMember[]>();
    for (const group of this.groups.values()) {
      const members = rest.get(group.members) ?? group.members.filter((member) => member.id !== id);
      rest.set(group.members, members);
      if (members.length === group.members.length) continue;
      if (members.length > 0) this.groups.set(group.id, { ...group, members });
      else this.removeObject(group.id);
    }
  }

  private membersOf(id: NextHopId): readonly GroupMember[] {
    return this.groups.get(id)?.members ?? [{ id, weight: 1 }];
  }

  private hasIpv4Gateway(members: readonly GroupMember[]): boolean {
    return members.some(({ id }) => this.nextHops.get(id)?.gateway.length === 4);
  }

  private hasIpv6Route(id: NextHopId): boolean {
    return this.routes.hasIpv6User(id);
  }

  private exists(id: NextHopId): boolean {
    return this.nextHops.has(id) || this.groups.has(id) || this.foreignNextHops.has(id);
  }

  private emit(event: KernelEvent): void {
    for (const listener of [...this.listeners]) listener(event);
  }
}

function isOurMetric(metric: number): boolean {
  return metric === PRIMARY_METRIC || metric === FALLBACK_METRIC;
}

const EXISTS: Refusal = { code: 'EEXIST', message: 'file already exists' };
const NO_IPV4_GATEWAY = invalid('IPv6 routes can not use an IPv4 nexthop');
const MISSING: Refusal = { code: 'ENOENT', message: 'no such file or directory' };

function invalid(message: string): Refusal {
  return { code: 'EINVAL', message };
}
