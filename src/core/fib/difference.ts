/**
 * What is wanted against what the kernel has: the records of the FIB and a dump, and the differences between them as values, what is
 * foreign and in the way among them. The belief that the records hold of the kernel is not asked whether something is there,
 * only why it is not: written a moment ago, refused, or lost without our knowing.
 *
 *   next hops   by id: interface and gateway
 *   groups      by id: members and weights
 *   routes      by prefix and metric: the group they use
 */
import { equalBytes } from '../net/address.js';
import type { Prefix } from '../net/prefix.js';
import type { ForeignObject, GroupMember, KernelSnapshot, NextHopId, RouteInTheWay } from '../ports/kernel-tables.js';
import type { ForwardingClasses } from './classes.js';
import { type Group, type NextHop, prefixKey, TIER_METRICS, TIERS, type Tier } from './forwarding-objects.js';
import { sameMembers, wantedMembers } from './group-values.js';
import type { Groups } from './groups.js';
import { type NextHops, placeOf } from './next-hops.js';
import { ROUTE_PROTOCOL } from './ownership.js';
import { ADOPTED, MOVING, type PrefixNumber, type PrefixRecords } from './prefix-records.js';
import type { Routes } from './routes.js';
import type { FibNextHop } from './types.js';

/**
 * Lost: `missing`, `other` (it leads elsewhere, or its members or weights are others), `leftover` (ours, and not wanted).
 * On its way: `waiting`, `link-down`, `kept` (from before a restart, until the sweep). `refused` by the kernel, see `error`.
 * Foreign: `foreign-in-the-way` of ours, `foreign-beside` ours, `foreign-number` (our protocol number), `foreign-id` (of our range).
 */
export type DifferenceCause =
  | 'missing'
  | 'other'
  | 'leftover'
  | 'waiting'
  | 'link-down'
  | 'kept'
  | 'refused'
  | 'foreign-in-the-way'
  | 'foreign-beside'
  | 'foreign-number'
  | 'foreign-id';

export interface Difference {
  readonly object: 'route' | 'group' | 'next-hop';
  /** Of a route. */
  readonly prefix?: Prefix;
  readonly metric?: number;
  /** Of a group or next hop that is in the kernel, or was to be. */
  readonly id?: NextHopId;
  readonly cause: DifferenceCause;
  /** Where it is to lead; absent when it is not to be there. */
  readonly wanted?: readonly FibNextHop[];
  /** Where it leads; absent when it is not there. */
  readonly kernel?: readonly FibNextHop[];
  readonly foreign?: ForeignObject;
  /** The kernel's words. */
  readonly error?: string;
}

export interface FibPicture {
  readonly records: PrefixRecords;
  readonly nextHops: NextHops;
  readonly groups: Groups;
  readonly routes: Routes;
  readonly classes: ForwardingClasses;
  /** What was found at start and is not wanted stays. */
  isAdopting(): boolean;
  /** The object is about to be deleted. */
  isDoomed(id: NextHopId): boolean;
}

/** Routes and objects that were written since the dump was asked for: by `routeMark`, and by id. */
export type Touched = ReadonlySet<string | NextHopId>;

/** One of the two routes of a prefix. */
interface ComparedRoute {
  readonly number: PrefixNumber;
  readonly prefix: Prefix;
  readonly key: string;
  readonly tier: Tier;
}

/** Steps between pauses. */
const STRIDE = 500;

export function routeMark(key: string, metric: number): string {
  return `${metric}|${key}`;
}

export class Comparison {
  /** How many are in the kernel as they are wanted. */
  readonly same = { routes: 0, groups: 0, nextHops: 0 };
  private readonly kernelNextHops;
  private readonly kernelGroups;
  private readonly inTheWay = new Map<string, RouteInTheWay>();
  private steps = 0;

  constructor(
    private readonly picture: FibPicture,
    private readonly snapshot: KernelSnapshot,
    private readonly touched: Touched,
  ) {
    this.kernelNextHops = new Map(snapshot.nextHops.map((nextHop) => [nextHop.id, nextHop]));
    this.kernelGroups = new Map(snapshot.groups.map((group) => [group.id, group]));
    for (const foreign of snapshot.foreign)
      if (foreign.kind === 'route') this.inTheWay.set(routeMark(prefixKey(foreign.prefix), foreign.metric), foreign);
  }

  /** `undefined` is a pause: a good moment to let others have a turn. */
  *run(): Generator<Difference | undefined> {
    yield* this.compareNextHops();
    yield* this.compareGroups();
    yield* this.compareRoutes();
    yield* this.foreign();
  }

  private *compareNextHops(): Generator<Difference | undefined> {
    for (const nextHop of this.picture.nextHops.all()) {
      if (this.isTimeToPause()) yield undefined;
      const found = nextHop.sets.size > 0 ? this.wantedNextHop(nextHop) : undefined;
      if (found) yield found;
    }
    for (const { id } of this.snapshot.nextHops) {
      const known = this.picture.nextHops.byNumber(id);
      if (known && known.sets.size > 0) continue;
      yield { object: 'next-hop', id, kernel: this.hopsOf(id), cause: this.leftoverCause(id, known !== undefined) };
    }
  }

  private wantedNextHop(nextHop: NextHop): Difference | undefined {
    const { nextHops } = this.picture;
    const { id, error } = nextHop;
    const { interfaceIndex, gateway } = placeOf(nextHop);
    const found = this.kernelNextHops.get(id);
    if (found?.interfaceIndex === interfaceIndex && equalBytes(found.gateway, gateway)) {
      this.same.nextHops++;
      return undefined;
    }
    if (id === 0 && nextHops.isLinkDown(nextHop.interfaceIndex)) return undefined;
    const pending = id === 0 || nextHops.isWaiting(nextHop) || this.touched.has(id);
    const cause = id === 0 && error ? 'refused' : pending ? 'waiting' : found ? 'other' : 'missing';
    return {
      object: 'next-hop',
      ...(id === 0 ? {} : { id }),
      cause,
      wanted: [{ interfaceIndex, gateway }],
      ...(found && { kernel: this.hopsOf(id) }),
      ...(cause === 'refused' && { error: error! }),
    };
  }

  private *compareGroups(): Generator<Difference | undefined> {
    const wanted = new Set<NextHopId>();
    for (const { groups } of this.picture.classes.all()) {
      for (const group of groups) {
        if (!group) continue;
        if (this.isTimeToPause()) yield undefined;
        wanted.add(group.id);
        const found = this.wantedGroup(group);
        if (found) yield found;
      }
    }
    for (const { id } of this.snapshot.groups) {
      if (wanted.has(id)) continue;
      const known = this.picture.groups.byNumber(id);
      const cause = known?.adopted ? 'kept' : this.leftoverCause(id, known !== undefined);
      yield { object: 'group', id, kernel: this.hopsOf(id), cause };
    }
  }

  private wantedGroup(group: Group): Difference | undefined {
    const { id, error } = group;
    const found = this.kernelGroups.get(id);
    const members = wantedMembers(group.set, group.shares);
    if (found && sameMembers(members, found.members)) {
      this.same.groups++;
      return undefined;
    }
    const why = this.groupCause(group, members, found !== undefined);
    if (why === 'link-down') return undefined;
    const words = error ?? group.set.members.find((member) => member.error)?.error;
    return {
      object: 'group',
      ...(id === 0 ? {} : { id }),
      cause: why,
      wanted: this.wantedHops(group),
      ...(found && { kernel: this.hopsOf(id) }),
      ...(why === 'refused' && words !== undefined && { error: words }),
    };
  }

  private groupCause(group: Group, members: readonly GroupMember[], isThere: boolean): DifferenceCause {
    const { id, error } = group;
    if (error !== undefined) return 'refused';
    if (id === 0) return this.absentGroupCause(group);
    const believed = sameMembers(group.installed, members);
    if (!believed || this.picture.groups.isWaiting(group) || this.touched.has(id)) return 'waiting';
    return isThere ? 'other' : 'missing';
  }

  private absentGroupCause({ error, set: { members } }: Group): DifferenceCause {
    const { nextHops } = this.picture;
    if (members.every(({ interfaceIndex }) => nextHops.isLinkDown(interfaceIndex))) return 'link-down';
    return error !== undefined || members.some((member) => member.error !== undefined) ? 'refused' : 'waiting';
  }

  private *compareRoutes(): Generator<Difference | undefined> {
    const seen = new Map<string, NextHopId>();
    for (const { prefix, metric, nextHop } of this.snapshot.routes) {
      if (this.isTimeToPause()) yield undefined;
      seen.set(routeMark(prefixKey(prefix), metric), nextHop);
    }
    const { records } = this.picture;
    for (const number of records.all()) {
      const prefix = records.prefixOf(number);
      const key = prefixKey(prefix);
      for (const tier of TIERS) {
        const kernel = seen.get(routeMark(key, TIER_METRICS[tier])) ?? 0;
        const found = this.route({ number, prefix, key, tier }, kernel);
        if (found) yield found;
      }
      if (this.isTimeToPause()) yield undefined;
    }
    for (const { prefix, metric, nextHop } of this.snapshot.routes) {
      if (this.isTimeToPause()) yield undefined;
      if (records.find(prefix) !== undefined) continue;
      const cause = this.touched.has(routeMark(prefixKey(prefix), metric)) ? 'waiting' : 'leftover';
      yield { object: 'route', prefix, metric, kernel: this.hopsOf(nextHop), cause };
    }
  }

  /** `seen` is the group of the route in the kernel, 0 when there is none. */
  private route(route: ComparedRoute, seen: NextHopId): Difference | undefined {
    const { number, prefix, tier, key } = route;
    const group = this.picture.records.classOf(number)?.groups[tier];
    const metric = TIER_METRICS[tier];
    const foreign = group && this.takeForeign(key, metric);
    const about = { object: 'route', prefix, metric } as const;
    const kernel = seen === 0 ? {} : { kernel: this.hopsOf(seen) };
    if (!group) return seen === 0 ? undefined : { ...about, ...kernel, cause: this.unwantedCause(route) };
    const wanted = this.wantedHops(group);
    if (group.id !== 0 && seen === group.id) {
      this.same.routes++;
      return foreign && { ...about, ...kernel, wanted, foreign, cause: 'foreign-beside' };
    }
    if (foreign && seen === 0) return { ...about, wanted, foreign, cause: 'foreign-in-the-way' };
    const cause = this.routeCause(route, group, seen !== 0);
    const error =
      this.picture.records.errors.get(number) ?? group.error ?? group.set.members.find((member) => member.error)?.error;
    const words = cause === 'refused' && error !== undefined ? { error } : {};
    return { ...about, ...kernel, wanted, cause, ...words };
  }

  private routeCause(route: ComparedRoute, group: Group, isThere: boolean): DifferenceCause {
    const { records } = this.picture;
    const isBelieved = group.id !== 0 && records.installed(route.number, route.tier) === group.id;
    if (records.errors.has(route.number) && !isBelieved) return 'refused';
    if (group.id === 0) return this.absentGroupCause(group);
    if (!isBelieved || this.isWaiting(route)) return 'waiting';
    return isThere ? 'other' : 'missing';
  }

  private unwantedCause(route: ComparedRoute): DifferenceCause {
    const { records, groups } = this.picture;
    if (records.has(route.number, ADOPTED)) return 'kept';
    const isBelieved = groups.isAlive(records.installed(route.number, route.tier));
    return isBelieved || this.isWaiting(route) ? 'waiting' : 'leftover';
  }

  private isWaiting({ number, key, tier }: ComparedRoute): boolean {
    const { records, routes } = this.picture;
    if (routes.isWaiting(number) || records.has(number, MOVING)) return true;
    return this.touched.has(routeMark(key, TIER_METRICS[tier]));
  }

  private *foreign(): Generator<Difference | undefined> {
    for (const foreign of this.snapshot.foreign) {
      if (this.isTimeToPause()) yield undefined;
      if (foreign.kind !== 'route') {
        yield { object: foreign.kind, id: foreign.id, foreign, cause: 'foreign-id' };
        continue;
      }
      const { prefix, metric, protocol } = foreign;
      if (protocol === ROUTE_PROTOCOL && this.takeForeign(prefixKey(prefix), metric))
        yield { object: 'route', prefix, metric, foreign, cause: 'foreign-number' };
    }
  }

  /** Each is told of once. */
  private takeForeign(key: string, metric: number): RouteInTheWay | undefined {
    if (this.inTheWay.size === 0) return undefined;
    const mark = routeMark(key, metric);
    const found = this.inTheWay.get(mark);
    this.inTheWay.delete(mark);
    return found;
  }

  private leftoverCause(id: NextHopId, isKnown: boolean): DifferenceCause {
    if (this.picture.isAdopting()) return 'kept';
    return isKnown || this.picture.isDoomed(id) || this.touched.has(id) ? 'waiting' : 'leftover';
  }

  /** Where an object or group of the kernel leads. */
  private hopsOf(id: NextHopId): FibNextHop[] {
    const members = this.kernelGroups.get(id)?.members ?? [{ id, weight: 1 }];
    const isEven = members.every(({ weight }) => weight === 1);
    return members.flatMap((member) => {
      const nextHop = this.kernelNextHops.get(member.id);
      if (!nextHop) return [];
      const { interfaceIndex, gateway } = nextHop;
      return [{ interfaceIndex, gateway, ...(isEven ? {} : { weight: member.weight }) }];
    });
  }

  private wantedHops({ set: { members, weights }, shares = weights }: Group): FibNextHop[] {
    return members.map((member, place) => {
      const { interfaceIndex, gateway } = placeOf(member);
      return { interfaceIndex, gateway, ...(shares && { weight: shares[place] ?? 1 }) };
    });
  }

  private isTimeToPause(): boolean {
    return ++this.steps % STRIDE === 0;
  }
}
