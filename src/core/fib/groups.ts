/**
 * The next-hop groups: a forwarding class owns one per tier. All groups are resilient where the kernel can, one-member
 * ones too: Linux lets members be replaced in place but neither the type of a group nor its number of buckets
 * ("Can not replace a nexthop group with one of a different type", measured on 6.18), and a set grows from one
 * member to several exactly on the failure that must be fast.
 */
import type { GroupMember, KernelGroup, NextHopId, ResilientParameters } from '../ports/kernel-tables.js';
import {
  type Batch,
  BatchBuilder,
  type ForwardingClass,
  failureText,
  type Group,
  type MemberSet,
  type NextHop,
} from './forwarding-objects.js';
import { GROUP_IDS, IdRange } from './ownership.js';

export interface GroupsHooks {
  /** The group has a new id: the routes of its class must be written. */
  created(owner: ForwardingClass): void;
  /** `groups` of the next hop changed. */
  usersChanged(nextHop: NextHop): void;
  /** Another program has the id. */
  isForeign(id: NextHopId): boolean;
}

export class Groups {
  private readonly byId = new Map<NextHopId, Group>();
  private readonly dirty = new Set<Group>();
  private readonly failed = new Set<Group>();
  private readonly unowned = new Set<Group>();
  private readonly ids = new IdRange(GROUP_IDS, (id) => this.byId.has(id) || this.hooks.isForeign(id));
  /** Routes whose group lives. */
  private routes = 0;
  private replaced = 0;

  constructor(
    private readonly resilient: ResilientParameters | undefined,
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
   * `existing`, that one is taken, so that its routes need no write; shares that load balancing gave it are corrected in place.
   */
  obtain(set: MemberSet, existing: NextHopId): Group {
    const found = this.byId.get(existing);
    const group = found?.adopted && sameIds(found.installed, wantedMembers(set)) ? found : emptyGroup(0);
    group.adopted = false;
    this.unowned.delete(group);
    this.retarget(group, set);
    return group;
  }

  retarget(group: Group, { members, weights }: MemberSet): void {
    const before = group.members;
    if (!sameSet(group, { members, weights })) group.shares = undefined;
    group.members = members;
    group.weights = weights;
    for (const nextHop of before) if (!members.includes(nextHop)) nextHop.groups.delete(group);
    for (const nextHop of members) nextHop.groups.add(group);
    for (const nextHop of [...before, ...members]) this.hooks.usersChanged(nextHop);
    this.dirty.add(group);
  }

  /** Shares in place of the weights, one per member that is in the kernel; false when those are others by now. */
  reweigh(id: NextHopId, shares: readonly number[]): boolean {
    const group = this.byId.get(id);
    const present = group?.members.filter((member) => member.id !== 0) ?? [];
    if (!group?.owner || shares.length !== present.length) return false;
    group.shares = group.members.map((member) => shares[present.indexOf(member)] ?? 1);
    this.dirty.add(group);
    return true;
  }

  /** The group stays in the kernel until no route uses it. */
  release(group: Group): void {
    this.retarget(group, { members: [], weights: undefined });
    group.owner = undefined;
    this.dirty.delete(group);
    this.failed.delete(group);
    if (group.id !== 0) this.unowned.add(group);
  }

  nextHopChanged(nextHop: NextHop): void {
    for (const group of nextHop.groups) {
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
    for (const group of failed.groups) {
      const behind = group.owner?.groups[0] === group ? (group.owner.groups[1]?.members ?? []) : [];
      const found = [...behind, ...group.members].find(canTakeOver);
      if (found) return found;
    }
    return undefined;
  }

  /** The kernel took a next hop out of all groups; the result is the ids of the groups that died of it. */
  nextHopLost(id: NextHopId): NextHopId[] {
    const dead: NextHopId[] = [];
    for (const group of [...this.byId.values()]) {
      if (!hasMember(group, id)) continue;
      group.installed = group.installed.filter((member) => member.id !== id);
      if (group.installed.length > 0) this.touch(group);
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
    const batch = new BatchBuilder();
    for (const group of this.dirty) {
      const members = wantedMembers(group);
      if (group.owner && !sameMembers(members, group.installed)) this.write(group, members, batch);
    }
    this.dirty.clear();
    return batch.finish();
  }

  removals(): Batch | undefined {
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

  private write(group: Group, members: readonly GroupMember[], batch: BatchBuilder): void {
    group.error = undefined;
    this.failed.delete(group);
    if (members.length === 0) this.remove(group, batch);
    else if (group.id === 0) this.create(group, members, batch);
    else this.replace(group, members, batch);
  }

  private create(group: Group, members: readonly GroupMember[], batch: BatchBuilder): void {
    const id = this.ids.next();
    group.id = id;
    group.installed = members;
    this.byId.set(id, group);
    if (group.owner) this.hooks.created(group.owner);
    batch.add({ kind: 'set-group', id, members, ...this.type(), replace: false }, (failure) => {
      if (group.id !== id) return;
      this.forget(group);
      this.failWith(group, failureText(failure));
    });
  }

  private replace(group: Group, members: readonly GroupMember[], batch: BatchBuilder): void {
    const { id, installed } = group;
    group.installed = members;
    this.replaced++;
    batch.add({ kind: 'set-group', id, members, ...this.type(), replace: true }, (failure) => {
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
    const group = emptyGroup(found.id);
    group.installed = found.members;
    group.adopted = adopting && sameType(found.resilient, this.resilient);
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

  private type(): { resilient?: ResilientParameters } {
    return this.resilient ? { resilient: this.resilient } : {};
  }
}

function emptyGroup(id: NextHopId): Group {
  const nothing = { members: [], weights: undefined, shares: undefined, installed: [], routes: 0, owner: undefined };
  return { id, ...nothing, adopted: false, error: undefined };
}

/** The members that are in the kernel, as its group is to have them. */
export function wantedMembers({
  members,
  weights,
  shares = weights,
}: MemberSet & Partial<Pick<Group, 'shares'>>): GroupMember[] {
  const wanted: GroupMember[] = [];
  for (const [place, { id }] of members.entries()) if (id !== 0) wanted.push({ id, weight: shares?.[place] ?? 1 });
  return wanted;
}

function sameSet(a: MemberSet, b: MemberSet): boolean {
  return (
    a.members.length === b.members.length &&
    a.members.every((member, place) => member === b.members[place] && a.weights?.[place] === b.weights?.[place])
  );
}

function hasMember(group: Group, id: NextHopId): boolean {
  return group.installed.some((member) => member.id === id);
}

function sameIds(a: readonly GroupMember[], b: readonly GroupMember[]): boolean {
  return a.length === b.length && a.every(({ id }) => b.some((member) => member.id === id));
}

export function sameMembers(a: readonly GroupMember[], b: readonly GroupMember[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ id, weight }) => b.some((member) => member.id === id && member.weight === weight))
  );
}

function sameType(a: ResilientParameters | undefined, b: ResilientParameters | undefined): boolean {
  return a?.buckets === b?.buckets && a?.idleTimer === b?.idleTimer && a?.unbalancedTimer === b?.unbalancedTimer;
}
