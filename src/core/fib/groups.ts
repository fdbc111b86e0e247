/**
 * The next-hop groups: a forwarding class owns one per tier. What balances load is resilient where the kernel can: fallback groups, and
 * primary ones of several members. A primary group of one member is plain, because Linux takes longer over the death of a
 * resilient one, up to 24 ms in which packets are lost (docs/fib-performance.md).
 *
 * Linux lets members be replaced in place but neither the kind of a group nor its number of buckets ("Can not replace a nexthop group
 * with one of a different type", measured on 6.18). A set grows from one member to several, or shrinks, exactly on the failure that
 * must be fast, so the group then keeps its kind, and is exchanged later for one of the kind that suits it now.
 */
import type { GroupMember, KernelGroup, NextHopId } from '../ports/kernel-tables.js';
import {
  type Batch,
  BatchBuilder,
  type ForwardingClass,
  failureText,
  type Group,
  type GroupKind,
  type MemberSet,
  type NextHop,
  NO_MEMBERS,
  type Tier,
} from './forwarding-objects.js';
import {
  EqualMembers,
  emptyGroup,
  groupWrite,
  hand,
  hasMember,
  sameIds,
  sameKind,
  sameMembers,
  wantedMembers,
} from './group-values.js';
import type { MemberSets } from './member-sets.js';
import { GROUP_IDS, IdRange } from './ownership.js';

export interface GroupsHooks {
  /** The group has a new id: the routes of its class must be written. */
  created(owner: ForwardingClass): void;
  /** Another program has the id. */
  isForeign(id: NextHopId): boolean;
}

export class Groups {
  private readonly byId = new Map<NextHopId, Group>();
  private readonly dirty = new Set<Group>();
  private readonly failed = new Set<Group>();
  private readonly unowned = new Set<Group>();
  /** Groups of a kind that does not suit their members any more: those that were the way round a failure, ... */
  private readonly misfits = new Set<Group>();
  /** ... and those whose members gave way to one that was none of them: nothing failed. */
  private readonly replacedByOne = new Set<Group>();
  /** Of groups that were exchanged: what some routes may use still. */
  private readonly predecessors = new Map<Group, Group>();
  private readonly ids = new IdRange(GROUP_IDS, (id) => this.byId.has(id) || this.hooks.isForeign(id));
  /** Routes whose group lives. */
  private routes = 0;
  private replaced = 0;

  constructor(
    /** How groups that balance load are made. */
    private readonly balancing: GroupKind,
    private readonly sets: MemberSets,
    private readonly hooks: GroupsHooks,
  ) {}

  get installedCount(): number {
    return this.byId.size;
  }

  get routeCount(): number {
    return this.routes;
  }

  /** Groups whose members were replaced in place. */
  get replacements(): number {
    return this.replaced;
  }

  /** Some are to be exchanged when there is time. */
  get hasMisfits(): boolean {
    return this.misfits.size > 0;
  }

  get hasFailures(): boolean {
    return this.failed.size > 0;
  }

  byNumber(id: NextHopId): Group | undefined {
    return this.byId.get(id);
  }

  isWaiting(group: Group): boolean {
    return this.dirty.has(group);
  }

  isAlive(id: NextHopId): boolean {
    return this.byId.has(id);
  }

  /** Moves the count of a route from one group to another; 0 and dead ones count nothing. */
  routeMoved(from: NextHopId, to: NextHopId): void {
    this.count(from, -1);
    this.count(to, 1);
  }

  /**
   * A group for a class, which makes itself its owner. Where an unclaimed one with these members, found at start, has the id
   * `existing`, that one is taken, so that its routes need no write; shares that load balancing gave it are corrected in place. One of
   * another kind, of an earlier heddle or configuration, is not: the routes go over to a new one, and it goes after them.
   */
  obtain(set: MemberSet, tier: Tier, existing: NextHopId): Group {
    const found = this.byId.get(existing);
    const fits = found?.adopted && sameKind(found.kind, this.kindFor(tier, set));
    const group = fits && sameIds(found.installed, wantedMembers(set)) ? found : emptyGroup(0, tier);
    group.adopted = false;
    group.tier = tier;
    this.unowned.delete(group);
    this.retarget(group, set);
    return group;
  }

  retarget(group: Group, set: MemberSet): void {
    if (group.set !== set) group.shares = undefined;
    this.sets.change(group, set);
    this.dirty.add(group);
  }

  /** Shares in place of the weights, one per member that is in the kernel; false when those are others by now. */
  reweigh(id: NextHopId, shares: readonly number[]): boolean {
    const group = this.byId.get(id);
    const present = group?.set.members.filter((member) => member.id !== 0) ?? [];
    if (!group?.owner || shares.length !== present.length) return false;
    group.shares = group.set.members.map((member) => shares[present.indexOf(member)] ?? 1);
    this.dirty.add(group);
    return true;
  }

  /** The group stays in the kernel until no route uses it. */
  release(group: Group): void {
    this.retarget(group, NO_MEMBERS);
    group.owner = undefined;
    this.dirty.delete(group);
    this.failed.delete(group);
    this.misfits.delete(group);
    this.replacedByOne.delete(group);
    this.predecessors.delete(group);
    if (group.id !== 0) this.unowned.add(group);
  }

  /** Not at once: a failure may heal soon, and is to be one write. */
  exchangeMisfits(): void {
    this.exchange(this.misfits);
  }

  /** To be done as soon as nothing else is to be written; false when there is nothing. */
  exchangeReplaced(): boolean {
    const some = this.replacedByOne.size > 0;
    this.exchange(this.replacedByOne);
    return some;
  }

  /** One of several members balances load only once it is of the kind for that. */
  isMisfit(group: Group): boolean {
    return this.misfits.has(group);
  }

  nextHopChanged(nextHop: NextHop): void {
    for (const group of usersOf(nextHop)) {
      group.shares = undefined;
      this.dirty.add(group);
    }
  }

  /**
   * What can take over from a next hop at once: a member of a set behind it, or beside it, that is in the kernel over another link.
   * An object keeps its address family for life.
   */
  standInFor(failed: NextHop): NextHop | undefined {
    const canTakeOver = (other: NextHop) =>
      other.id !== 0 &&
      !other.standIn &&
      other.interfaceIndex !== failed.interfaceIndex &&
      other.gateway.length === failed.gateway.length;
    for (const group of usersOf(failed)) {
      const behind = group.owner?.groups[0] === group ? (group.owner.groups[1]?.set.members ?? []) : [];
      const found = [...behind, ...group.set.members].find(canTakeOver);
      if (found) return found;
    }
    return undefined;
  }

  /** The kernel took a next hop out of all groups; the result is the ids of the groups that died of it. */
  nextHopLost(id: NextHopId): NextHopId[] {
    const dead: NextHopId[] = [];
    // Most groups have one of a few sets.
    const rest = new Map<readonly GroupMember[], readonly GroupMember[]>();
    for (const group of [...this.byId.values()]) {
      const { installed } = group;
      const left = rest.get(installed) ?? installed.filter((member) => member.id !== id);
      rest.set(installed, left);
      if (left.length === installed.length) continue;
      group.installed = left;
      if (left.length > 0) this.touch(group);
      else dead.push(this.forget(group));
    }
    return dead;
  }

  /** The kernel no longer has the group; true when it was one of these. */
  deleted(id: NextHopId): boolean {
    const group = this.byId.get(id);
    if (group) this.forget(group);
    return group !== undefined;
  }

  /** Makes the picture equal to a dump. Groups not known are kept until no route uses them; at start, until the sweep. */
  reconcile(listed: readonly KernelGroup[], adopting: boolean): void {
    const ids = new Map(listed.map((group) => [group.id, group]));
    for (const group of [...this.byId.values()]) {
      const seen = ids.get(group.id);
      if (!seen) this.forget(group);
      else if (!sameMembers(group.installed, seen.members)) {
        group.installed = seen.members;
        this.touch(group);
      }
    }
    for (const seen of listed) if (!this.byId.has(seen.id)) this.addFound(seen, adopting);
  }

  sweep(): void {
    for (const group of this.unowned) group.adopted = false;
  }

  retryFailures(): void {
    for (const group of this.failed) this.dirty.add(group);
    this.failed.clear();
  }

  writes(): Batch | undefined {
    if (this.dirty.size === 0) return undefined;
    const batch = new BatchBuilder();
    const equal = new EqualMembers();
    for (const group of this.dirty) {
      const members = equal.of(group);
      const before = group.installed;
      if (group.owner && !sameMembers(members, before)) this.write(group, members, batch);
      this.lead(this.predecessors.get(group), members, batch);
      this.judgeKind(group, before);
    }
    this.dirty.clear();
    return batch.finish();
  }

  removals(): Batch | undefined {
    if (this.unowned.size === 0) return undefined;
    const batch = new BatchBuilder();
    for (const group of this.unowned) {
      if (group.adopted || group.routes > 0) continue;
      this.remove(group, batch);
    }
    return batch.finish();
  }

  isMember(id: NextHopId): boolean {
    for (const group of this.byId.values()) if (hasMember(group, id)) return true;
    return false;
  }

  /**
   * Makes new groups in the place of those whose kind does not suit them; the routes follow one by one, and what they used goes after
   * the last of them.
   */
  private exchange(misfits: Set<Group>): void {
    for (const group of misfits) {
      if (group.id === 0 || !group.owner) continue;
      const old = emptyGroup(group.id, group.tier);
      hand(group, old);
      this.byId.set(old.id, old);
      this.unowned.add(old);
      this.predecessors.set(group, old);
      this.dirty.add(group);
    }
    misfits.clear();
  }

  private write(group: Group, members: readonly GroupMember[], batch: BatchBuilder): void {
    group.error = undefined;
    this.failed.delete(group);
    if (members.length === 0) this.remove(group, batch);
    else if (group.id === 0) this.create(group, members, batch);
    else this.replace(group, members, batch);
  }

  private create(group: Group, members: readonly GroupMember[], batch: BatchBuilder): void {
    const id = this.ids.next();
    const predecessor = this.predecessors.get(group);
    group.id = id;
    group.kind = this.kindFor(group.tier, group.set);
    group.installed = members;
    this.byId.set(id, group);
    if (group.owner) this.hooks.created(group.owner);
    batch.add(groupWrite(group, members, false), (failure) => {
      if (group.id !== id) return;
      this.forget(group);
      if (predecessor && predecessor.id !== 0 && group.owner) this.takeBack(group, predecessor);
      else this.failWith(group, failureText(failure));
    });
  }

  /** No group of the other kind could be made: the one that is there goes on. */
  private takeBack(group: Group, predecessor: Group): void {
    this.unowned.delete(predecessor);
    this.predecessors.delete(group);
    hand(predecessor, group);
    this.byId.set(group.id, group);
    if (sameMembers(group.installed, wantedMembers(group.set, group.shares))) this.dirty.delete(group);
  }

  /** A failure in the middle of an exchange does not wait for the routes that have not gone over. */
  private lead(predecessor: Group | undefined, members: readonly GroupMember[], batch: BatchBuilder): void {
    if (!predecessor || predecessor.id === 0 || members.length === 0) return;
    if (!sameMembers(members, predecessor.installed)) this.replace(predecessor, members, batch);
  }

  private replace(group: Group, members: readonly GroupMember[], batch: BatchBuilder): void {
    const { id, installed } = group;
    group.installed = members;
    this.replaced++;
    batch.add(groupWrite(group, members, true), (failure) => {
      if (group.id !== id) return;
      group.installed = installed;
      this.failWith(group, failureText(failure));
    });
  }

  /** Deletes the group in the kernel, with the routes that still use it. */
  private remove(group: Group, batch: BatchBuilder): void {
    const { id } = group;
    this.forget(group);
    this.dirty.delete(group);
    batch.add({ kind: 'delete-next-hop', id }, () => {});
  }

  private failWith(group: Group, error: string): void {
    if (!group.owner) return;
    group.error = error;
    this.dirty.delete(group);
    this.failed.add(group);
  }

  private forget(group: Group): NextHopId {
    const { id } = group;
    this.byId.delete(id);
    this.unowned.delete(group);
    this.routes -= group.routes;
    group.routes = 0;
    group.id = 0;
    group.installed = [];
    this.touch(group);
    return id;
  }

  private touch(group: Group): void {
    if (group.owner) this.dirty.add(group);
  }

  private addFound(found: KernelGroup, adopting: boolean): void {
    const group = emptyGroup(found.id, 0);
    group.kind = found.resilient;
    group.installed = found.members;
    group.adopted = adopting;
    this.ids.found(found.id);
    this.byId.set(found.id, group);
    this.unowned.add(group);
  }

  private count(id: NextHopId, change: 1 | -1): void {
    const group = this.byId.get(id);
    if (!group) return;
    group.routes += change;
    this.routes += change;
  }

  private kindFor(tier: Tier, { members }: MemberSet): GroupKind {
    return tier === 0 && members.length === 1 ? undefined : this.balancing;
  }

  /** `before` are the members that it had. */
  private judgeKind(group: Group, before: readonly GroupMember[]): void {
    this.misfits.delete(group);
    this.replacedByOne.delete(group);
    const { id, kind, owner, installed } = group;
    if (id === 0 || !owner || sameKind(kind, this.kindFor(group.tier, group.set))) return;
    const isLeft = installed.some((member) => before.some((other) => other.id === member.id));
    if (isLeft || installed.length > 1) this.misfits.add(group);
    else this.replacedByOne.add(group);
  }
}

function* usersOf({ sets }: NextHop): Generator<Group> {
  for (const { groups } of sets) yield* groups;
}
