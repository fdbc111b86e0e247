/**
 * Forwarding classes: which prefixes share which groups. When all prefixes of a class move to one new pair of sets
 * within a flush, the class keeps its groups and only their members change: one kernel write a group, whatever the number
 * of prefixes. Otherwise the prefixes that moved leave for another class and get new routes; so they do when IPv4 gateways come
 * or go, because the kernel lets no IPv4 gateway into a group while an IPv6 route uses it, be it one that is about to go.
 *
 * Two classes come to have the same origin, colour and sets when the prefixes of one arrive there in several flushes. What moves
 * traffic comes first, so they are left so then, and joined when there is time: else every failure would cost a write for each
 * of them, and each time that prefixes come in pieces there would be one more.
 *
 * Classes that differ in origin or colour stay apart even where their groups are equal: the far leaf that one of them is behind
 * may become unreachable over a spine by itself, and that is to be one write as well.
 */
import type { ClassSpec, FibPrefix, ForwardingClass, MemberSet } from './forwarding-objects.js';
import type { Groups } from './groups.js';
import type { NextHops } from './next-hops.js';
import type { FibNextHop, ForwardingEntry } from './types.js';

/** Where the prefixes of a class go; no target when they part. */
interface Departure {
  readonly target: ClassSpec | undefined;
  readonly count: number;
}

export class ForwardingClasses {
  private readonly byKey = new Map<string, Set<ForwardingClass>>();
  /** Each once, by its mark: a Set of 100,000 fresh objects costs as much as writing their routes. */
  private moved: FibPrefix[] = [];
  /** Specs asked for since the last flush, so that equal ones are made once. */
  private readonly specs = new Map<string, ClassSpec>();
  /** Keys that several classes came to have. */
  private readonly shared = new Set<string>();

  constructor(
    private readonly nextHops: NextHops,
    private readonly groups: Groups,
    /** The routes of the prefix must be compared with what is wanted. */
    private readonly touch: (prefix: FibPrefix) => void,
  ) {}

  *all(): Iterable<ForwardingClass> {
    for (const equal of this.byKey.values()) yield* equal;
  }

  /** Takes effect at the next `regroup`. Without an entry the prefix is unwanted. */
  move(prefix: FibPrefix, entry: ForwardingEntry | undefined): void {
    prefix.target = entry && this.specOf(entry);
    if (prefix.moving) return;
    prefix.moving = true;
    this.moved.push(prefix);
  }

  regroup(): void {
    if (this.moved.length === 0) return;
    const emptied = new Set<ForwardingClass>();
    const moves = this.moved.filter((prefix) => this.settle(prefix, emptied));
    for (const [forwardingClass, { target, count }] of departuresOf(moves)) {
      if (!target || count !== forwardingClass.prefixes.size) continue;
      if (usesIpv4(target) === usesIpv4(forwardingClass.spec)) this.retarget(forwardingClass, target);
    }
    for (const prefix of moves) this.follow(prefix, emptied);
    for (const prefix of this.moved) prefix.moving = false;
    this.moved = [];
    this.specs.clear();
    for (const forwardingClass of emptied) if (forwardingClass.prefixes.size === 0) this.drop(forwardingClass);
  }

  /** Prefixes wait for the next `regroup`; what they are to use is in no group yet. */
  get hasMoves(): boolean {
    return this.moved.length > 0;
  }

  get hasEqual(): boolean {
    return this.shared.size > 0;
  }

  /** Puts equal classes together, the smaller ones into the largest; at most so many prefixes change their group. */
  join(limit: number): void {
    let left = limit;
    for (const key of this.shared) {
      const [largest, ...others] = [...(this.byKey.get(key) ?? [])].sort((a, b) => b.prefixes.size - a.prefixes.size);
      for (const other of others) {
        for (const prefix of other.prefixes) {
          if (left-- <= 0) return;
          other.prefixes.delete(prefix);
          this.enter(prefix, largest!);
        }
        this.drop(other);
      }
      this.shared.delete(key);
    }
  }

  /** False for what stays where it is, and for what is unwanted and leaves now, so that only moves are left. */
  private settle(prefix: FibPrefix, emptied: Set<ForwardingClass>): boolean {
    if (prefix.target) return prefix.target.key !== prefix.forwardingClass?.spec.key;
    this.leave(prefix, emptied);
    this.touch(prefix);
    return false;
  }

  private retarget(forwardingClass: ForwardingClass, target: ClassSpec): void {
    this.unindex(forwardingClass);
    forwardingClass.spec = target;
    this.index(forwardingClass);
    const [primary, fallback] = forwardingClass.groups;
    const [primarySet, fallbackSet] = target.tiers;
    this.groups.retarget(primary, primarySet);
    if (fallbackSet.members.length === 0) {
      if (!fallback) return;
      this.groups.release(fallback);
      forwardingClass.groups[1] = undefined;
      for (const prefix of forwardingClass.prefixes) this.touch(prefix);
    } else if (fallback) this.groups.retarget(fallback, fallbackSet);
    else {
      const added = this.groups.obtain(fallbackSet, 0);
      added.owner = forwardingClass;
      forwardingClass.groups[1] = added;
    }
  }

  /** Joins the class the prefix is to be in, unless its own class went there with it. */
  private follow(prefix: FibPrefix, emptied: Set<ForwardingClass>): void {
    const { target } = prefix;
    if (!target || prefix.forwardingClass?.spec.key === target.key) return;
    this.leave(prefix, emptied);
    const [known] = this.byKey.get(target.key) ?? [];
    this.enter(prefix, known ?? this.create(target, prefix));
  }

  private enter(prefix: FibPrefix, forwardingClass: ForwardingClass): void {
    prefix.forwardingClass = forwardingClass;
    forwardingClass.prefixes.add(prefix);
    this.touch(prefix);
  }

  private leave(prefix: FibPrefix, emptied: Set<ForwardingClass>): void {
    const { forwardingClass } = prefix;
    if (!forwardingClass) return;
    forwardingClass.prefixes.delete(prefix);
    prefix.forwardingClass = undefined;
    if (forwardingClass.prefixes.size === 0) emptied.add(forwardingClass);
  }

  private create(spec: ClassSpec, { installed }: FibPrefix): ForwardingClass {
    const [primarySet, fallbackSet] = spec.tiers;
    const primary = this.groups.obtain(primarySet, installed[0]);
    const fallback = fallbackSet.members.length > 0 ? this.groups.obtain(fallbackSet, installed[1]) : undefined;
    const forwardingClass: ForwardingClass = { spec, groups: [primary, fallback], prefixes: new Set() };
    primary.owner = forwardingClass;
    if (fallback) fallback.owner = forwardingClass;
    this.index(forwardingClass);
    return forwardingClass;
  }

  private drop(forwardingClass: ForwardingClass): void {
    this.unindex(forwardingClass);
    for (const group of forwardingClass.groups) if (group) this.groups.release(group);
  }

  private index(forwardingClass: ForwardingClass): void {
    const { key } = forwardingClass.spec;
    const equal = this.byKey.get(key);
    if (equal) {
      equal.add(forwardingClass);
      this.shared.add(key);
    } else this.byKey.set(key, new Set([forwardingClass]));
  }

  private unindex(forwardingClass: ForwardingClass): void {
    const { key } = forwardingClass.spec;
    const equal = this.byKey.get(key);
    equal?.delete(forwardingClass);
    if (equal?.size === 0) this.byKey.delete(key);
  }

  private specOf({ origin, colour, primary, fallback }: ForwardingEntry): ClassSpec {
    const first = this.setOf(primary.length > 0 ? primary : fallback);
    const second = this.setOf(primary.length > 0 ? fallback : []);
    const key = `${origin},${colour ?? ''}|${keyOf(first)}|${keyOf(second)}`;
    const known = this.specs.get(key);
    if (known) return known;
    const spec: ClassSpec = { key, origin, colour, tiers: [first, second] };
    this.specs.set(key, spec);
    return spec;
  }

  private setOf(nextHops: readonly FibNextHop[]): MemberSet {
    const given = nextHops.map(({ interfaceIndex, gateway }) => this.nextHops.obtain(interfaceIndex, gateway));
    const ordered = given.every(({ serial }, place) => place === 0 || given[place - 1]!.serial < serial);
    const members = ordered ? given : [...new Set(given)].sort((a, b) => a.serial - b.serial);
    if (nextHops.every(({ weight = 1 }) => weight === 1)) return { members, weights: undefined };
    return { members, weights: members.map((member) => nextHops[given.indexOf(member)]!.weight ?? 1) };
  }
}

/** How many prefixes leave each class, and where to when all of them go the same way. */
function departuresOf(moves: readonly FibPrefix[]): Map<ForwardingClass, Departure> {
  const departures = new Map<ForwardingClass, Departure>();
  for (const { forwardingClass, target } of moves) {
    if (!forwardingClass) continue;
    const known = departures.get(forwardingClass);
    const agreed = !known || known.target?.key === target?.key ? target : undefined;
    departures.set(forwardingClass, { target: agreed, count: (known?.count ?? 0) + 1 });
  }
  return departures;
}

function usesIpv4({ tiers }: ClassSpec): boolean {
  return tiers.some(({ members }) => members.some(({ gateway }) => gateway.length === 4));
}

function keyOf({ members, weights }: MemberSet): string {
  const serials = members.map(({ serial }) => serial).join(',');
  return weights ? `${serials}*${weights.join(',')}` : serials;
}
