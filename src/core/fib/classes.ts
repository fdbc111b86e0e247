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
import { PrefixList } from '../rib/prefix-list.js';
import { type ClassSpec, type ForwardingClass, NO_MEMBERS, type Tiers } from './forwarding-objects.js';
import type { Groups } from './groups.js';
import type { MemberSets } from './member-sets.js';
import { MOVING, type PrefixNumber, type PrefixRecords } from './prefix-records.js';
import { SpecIndex, sameSpec } from './spec-index.js';
import type { ForwardingEntry } from './types.js';

/** What makes a class beside its sets. */
export type ClassEntry = Pick<ForwardingEntry, 'origin' | 'colour' | 'onFallback'>;

/** How many prefixes leave a class, and where to; no target when they part. */
interface Departure {
  target: ClassSpec | undefined;
  count: number;
}

/** The target of a prefix that is unwanted. */
const NOWHERE = 0;

export class ForwardingClasses {
  private readonly bySpec = new SpecIndex<ForwardingClass>();
  /** All classes of a spec that several came to have: few, and a set for each class would be a fifth of what a prefix costs. */
  private readonly equal = new SpecIndex<Set<ForwardingClass>>();
  /** Each once, by its mark. */
  private readonly moved = new PrefixList();
  /** Asked for since the last flush, so that equal ones are made once, and by place. */
  private readonly specs = new SpecIndex<ClassSpec>();
  private targets: (ClassSpec | undefined)[] = [undefined];

  constructor(
    private readonly records: PrefixRecords,
    private readonly sets: MemberSets,
    private readonly groups: Groups,
    /** The routes of the prefix must be compared with what is wanted. */
    private readonly touch: (prefix: PrefixNumber) => void,
  ) {}

  *all(): Iterable<ForwardingClass> {
    for (const one of this.bySpec.values()) yield* this.equal.get(one.spec) ?? [one];
  }

  /** Takes effect at the next `regroup`. Without a spec, which is one asked for since the last, the prefix is unwanted. */
  move(prefix: PrefixNumber, spec: ClassSpec | undefined): void {
    this.records.setTarget(prefix, spec?.place ?? NOWHERE);
    if (this.records.has(prefix, MOVING)) return;
    this.records.set(prefix, MOVING);
    this.moved.add(prefix);
  }

  regroup(): void {
    const { ids, count } = this.moved;
    if (count === 0) return;
    const emptied = new Set<ForwardingClass>();
    for (const [forwardingClass, departure] of this.departures(emptied)) {
      const { target } = departure;
      if (!target || departure.count !== forwardingClass.size) continue;
      if (usesIpv4(target) === usesIpv4(forwardingClass.spec)) this.retarget(forwardingClass, target);
    }
    for (let i = 0; i < count; i++) {
      this.follow(ids[i]!, emptied);
      this.records.clear(ids[i]!, MOVING);
    }
    this.moved.count = 0;
    this.specs.clear();
    this.targets = [undefined];
    for (const forwardingClass of emptied) if (forwardingClass.size === 0) this.drop(forwardingClass);
    this.sets.tidy();
  }

  /** Prefixes wait for the next `regroup`; what they are to use is in no group yet. */
  get hasMoves(): boolean {
    return this.moved.count > 0;
  }

  get hasEqual(): boolean {
    return this.equal.size > 0;
  }

  /** Puts equal classes together, the smaller ones into the largest; at most so many prefixes change their group. */
  join(limit: number): void {
    let left = limit;
    for (const equal of [...this.equal.values()]) {
      const [largest, ...others] = [...equal].sort((a, b) => b.size - a.size);
      for (const other of others) {
        for (const prefix of this.records.members(other)) {
          if (left-- <= 0) return;
          this.records.leave(prefix, other);
          this.enter(prefix, largest!);
        }
        this.drop(other);
      }
    }
  }

  /** How many prefixes move out of each class, and where to when all of them go the same way. What is unwanted leaves now. */
  private departures(emptied: Set<ForwardingClass>): Map<ForwardingClass, Departure> {
    const { ids, count } = this.moved;
    const departures = new Map<ForwardingClass, Departure>();
    for (let i = 0; i < count; i++) {
      const prefix = ids[i]!;
      const forwardingClass = this.records.classOf(prefix);
      const target = this.targets[this.records.target(prefix)];
      if (!target) {
        this.leave(prefix, emptied);
        this.touch(prefix);
      } else if (forwardingClass && !sameSpec(forwardingClass.spec, target)) {
        const known = departures.get(forwardingClass);
        if (!known) departures.set(forwardingClass, { target, count: 1 });
        else {
          if (known.target !== target) known.target = undefined;
          known.count++;
        }
      }
    }
    return departures;
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
      for (const prefix of this.records.members(forwardingClass)) this.touch(prefix);
    } else if (fallback) this.groups.retarget(fallback, fallbackSet);
    else {
      const added = this.groups.obtain(fallbackSet, 1, 0);
      added.owner = forwardingClass;
      forwardingClass.groups[1] = added;
    }
  }

  /** Joins the class the prefix is to be in, unless its own class went there with it. */
  private follow(prefix: PrefixNumber, emptied: Set<ForwardingClass>): void {
    const target = this.targets[this.records.target(prefix)];
    const current = this.records.classOf(prefix);
    if (!target || (current && sameSpec(current.spec, target))) return;
    this.leave(prefix, emptied);
    this.enter(prefix, this.bySpec.get(target) ?? this.create(target, prefix));
  }

  private enter(prefix: PrefixNumber, forwardingClass: ForwardingClass): void {
    this.records.enter(prefix, forwardingClass);
    this.touch(prefix);
  }

  private leave(prefix: PrefixNumber, emptied: Set<ForwardingClass>): void {
    const forwardingClass = this.records.classOf(prefix);
    if (!forwardingClass) return;
    this.records.leave(prefix, forwardingClass);
    if (forwardingClass.size === 0) emptied.add(forwardingClass);
  }

  private create(spec: ClassSpec, prefix: PrefixNumber): ForwardingClass {
    const [primarySet, fallbackSet] = spec.tiers;
    const { records } = this;
    const primary = this.groups.obtain(primarySet, 0, records.installed(prefix, 0));
    const hasFallback = fallbackSet.members.length > 0;
    const fallback = hasFallback ? this.groups.obtain(fallbackSet, 1, records.installed(prefix, 1)) : undefined;
    const forwardingClass: ForwardingClass = { spec, groups: [primary, fallback], number: 0, first: 0, size: 0 };
    records.addClass(forwardingClass);
    primary.owner = forwardingClass;
    if (fallback) fallback.owner = forwardingClass;
    this.index(forwardingClass);
    return forwardingClass;
  }

  private drop(forwardingClass: ForwardingClass): void {
    this.unindex(forwardingClass);
    this.records.dropClass(forwardingClass);
    for (const group of forwardingClass.groups) if (group) this.groups.release(group);
  }

  private index(forwardingClass: ForwardingClass): void {
    const { spec } = forwardingClass;
    const known = this.bySpec.get(spec);
    if (!known) return this.bySpec.set(spec, forwardingClass);
    const equal = this.equal.get(spec) ?? new Set([known]);
    this.equal.set(spec, equal.add(forwardingClass));
  }

  private unindex(forwardingClass: ForwardingClass): void {
    const { spec } = forwardingClass;
    const equal = this.equal.get(spec);
    equal?.delete(forwardingClass);
    const [other] = equal ?? [];
    if (other) this.bySpec.set(spec, other);
    else this.bySpec.delete(spec);
    if (equal?.size === 1) this.equal.delete(spec);
  }

  /** For `specOf` as long as the version of the sets is the same, and until the next `regroup` in any case. */
  tiersOf({ primary, fallback }: Pick<ForwardingEntry, 'primary' | 'fallback'>): Tiers {
    const isPlain = primary.length > 0 && fallback.length > 0;
    return [this.sets.of(primary.length > 0 ? primary : fallback), isPlain ? this.sets.of(fallback) : NO_MEMBERS];
  }

  /** The class that a prefix with this entry is to be in; for `move` until the next `regroup`. */
  specOf({ origin, colour, onFallback = false }: ClassEntry, tiers: Tiers): ClassSpec {
    const spec: ClassSpec = { place: this.targets.length, origin, colour, onFallback, tiers };
    const known = this.specs.get(spec);
    if (known) return known;
    this.specs.set(spec, spec);
    this.targets.push(spec);
    return spec;
  }
}

function usesIpv4({ tiers }: ClassSpec): boolean {
  return tiers.some(({ members }) => members.some(({ gateway }) => gateway.length === 4));
}
