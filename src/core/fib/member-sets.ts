/**
 * Sets of next hops as values: equal ones are one, and know which groups want them. A leaf has a class for each colour of each far leaf,
 * but only as many sets as two for each uplink: next hops know their sets and sets their groups, so that what is kept for a class does not
 * grow with the number of uplinks (with 32 of them a prefix took 2.7 kB, and takes 1.1 kB).
 */
import type { Group, MemberSet } from './forwarding-objects.js';
import type { NextHops } from './next-hops.js';
import type { FibNextHop } from './types.js';

/** Sets that are remembered although no group may want them: in a fabric, one or two for each uplink. */
const MOST_SETS = 1024;

export class MemberSets {
  /** Changes when a set may have been forgotten: those made until then are made anew. */
  version = 0;
  private readonly byKey = new Map<string, MemberSet>();
  private made = 0;

  constructor(private readonly nextHops: NextHops) {}

  /** Valid until `tidy`, and longer while a group wants it. */
  of(nextHops: readonly FibNextHop[]): MemberSet {
    const given = nextHops.map(({ interfaceIndex, gateway }) => this.nextHops.obtain(interfaceIndex, gateway));
    const ordered = given.every(({ serial }, place) => place === 0 || given[place - 1]!.serial < serial);
    const members = ordered ? given : [...new Set(given)].sort((a, b) => a.serial - b.serial);
    const isEven = nextHops.every(({ weight = 1 }) => weight === 1);
    const weights = isEven ? undefined : members.map((member) => nextHops[given.indexOf(member)]!.weight ?? 1);
    const serials = members.map(({ serial }) => serial).join(',');
    const key = weights ? `${serials}*${weights.join(',')}` : serials;
    const known = this.byKey.get(key);
    if (known) return known;
    const set: MemberSet = { number: this.made++, members, weights, groups: new Set() };
    this.byKey.set(key, set);
    return set;
  }

  /** The group wants `set` in the place of the one before. */
  change(group: Group, set: MemberSet): void {
    const before = group.set;
    if (before === set) return;
    group.set = set;
    this.enter(set, group);
    this.leave(before, group);
  }

  /** Forgets those that no group wants, when there are many; nobody may be about to want one that was made before. */
  tidy(): void {
    if (this.byKey.size > MOST_SETS) this.forgetUnused();
  }

  /** So that none is left with a next hop that goes. */
  forgetUnused(): void {
    this.version++;
    for (const [key, { groups }] of this.byKey) if (groups.size === 0) this.byKey.delete(key);
  }

  private enter(set: MemberSet, group: Group): void {
    if (set.members.length === 0) return;
    set.groups.add(group);
    if (set.groups.size > 1) return;
    for (const nextHop of set.members) {
      nextHop.sets.add(set);
      this.nextHops.usersChanged(nextHop);
    }
  }

  private leave(set: MemberSet, group: Group): void {
    if (!set.groups.delete(group) || set.groups.size > 0) return;
    for (const nextHop of set.members) {
      nextHop.sets.delete(set);
      this.nextHops.usersChanged(nextHop);
    }
  }
}
