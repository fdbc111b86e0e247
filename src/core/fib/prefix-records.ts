/**
 * The prefixes of the FIB as small integers, and what is kept of each: eight words of a typed array. As objects, 100,000 of them
 * would be copied and marked by every collection of garbage while they come in, which took as long as writing their routes.
 *
 *   class     the forwarding class it is in        routes    per tier, the group of the route in the kernel
 *   target    the class asked for                  flags     what it waits for
 *   links     the members of a class, both ways
 */
import type { Prefix } from '../net/prefix.js';
import type { NextHopId } from '../ports/kernel-tables.js';
import { PrefixTable } from '../rib/prefix-table.js';
import type { ForwardingClass, Tier } from './forwarding-objects.js';

/** Of this table; used again once nothing is kept of the prefix. */
export type PrefixNumber = number;

const WORDS = 8;
const CLASS = 0;
const TARGET = 1;
const ROUTES = 2;
const NEXT = 4;
const PREVIOUS = 5;
const FLAGS = 6;

/** Found at start and not wanted yet: its routes stay until the sweep. */
export const ADOPTED = 1;
/** Waits for the next flush to move to its target. */
export const MOVING = 2;
/** Its record is to be looked at once the kernel has answered. */
export const LEAVING = 4;

export class PrefixRecords {
  /** Why the kernel refused one of its routes. */
  readonly errors = new Map<PrefixNumber, string>();
  private readonly table = new PrefixTable();
  private words = new Uint32Array(1024 * WORDS);
  /** By number; 0 is no class. */
  private readonly classes: (ForwardingClass | undefined)[] = [undefined];
  private readonly freeClasses: number[] = [];

  get size(): number {
    return this.table.size;
  }

  /** Every number in use is below this. */
  get end(): PrefixNumber {
    return this.table.end;
  }

  /** Survives changes between two steps. */
  *all(): Generator<PrefixNumber> {
    for (let prefix = 0; prefix < this.table.end; prefix++) if (this.table.isUsed(prefix)) yield prefix;
  }

  find(prefix: Prefix): PrefixNumber | undefined {
    return this.table.find(prefix);
  }

  obtain(prefix: Prefix): PrefixNumber {
    return this.withRoom(this.table.internPrefix(prefix));
  }

  /** The number of a prefix that has the number `id` in another table; without making a value. */
  findSame(other: PrefixTable, id: number): PrefixNumber | undefined {
    return this.table.findFrom(other, id);
  }

  obtainSame(other: PrefixTable, id: number): PrefixNumber {
    return this.withRoom(this.table.internFrom(other, id));
  }

  prefixOf(prefix: PrefixNumber): Prefix {
    return this.table.prefixOf(prefix);
  }

  /** Nothing is kept of the prefix any more. */
  forget(prefix: PrefixNumber): void {
    this.words.fill(0, prefix * WORDS, (prefix + 1) * WORDS);
    this.errors.delete(prefix);
    this.table.remove(prefix);
  }

  has(prefix: PrefixNumber, flag: number): boolean {
    return (this.words[prefix * WORDS + FLAGS]! & flag) !== 0;
  }

  set(prefix: PrefixNumber, flag: number): void {
    this.words[prefix * WORDS + FLAGS]! |= flag;
  }

  clear(prefix: PrefixNumber, flag: number): void {
    this.words[prefix * WORDS + FLAGS]! &= ~flag;
  }

  /** Per tier, the group of the route in the kernel; 0 when there is none. */
  installed(prefix: PrefixNumber, tier: Tier): NextHopId {
    return this.words[prefix * WORDS + ROUTES + tier]!;
  }

  setInstalled(prefix: PrefixNumber, tier: Tier, group: NextHopId): void {
    this.words[prefix * WORDS + ROUTES + tier] = group;
  }

  /** What was asked for last, by a number of who asked; while MOVING. */
  target(prefix: PrefixNumber): number {
    return this.words[prefix * WORDS + TARGET]!;
  }

  setTarget(prefix: PrefixNumber, target: number): void {
    this.words[prefix * WORDS + TARGET] = target;
  }

  /** Makes a class known, with a number of its own. */
  addClass(forwardingClass: ForwardingClass): void {
    forwardingClass.number = this.freeClasses.pop() ?? this.classes.length;
    this.classes[forwardingClass.number] = forwardingClass;
  }

  /** One without members. */
  dropClass({ number }: ForwardingClass): void {
    this.classes[number] = undefined;
    this.freeClasses.push(number);
  }

  classOf(prefix: PrefixNumber): ForwardingClass | undefined {
    return this.classes[this.words[prefix * WORDS + CLASS]!];
  }

  /** The members of a class; the one at hand may leave it. */
  *members({ first }: ForwardingClass): Generator<PrefixNumber> {
    for (let link = first; link !== 0; ) {
      const prefix = link - 1;
      link = this.words[prefix * WORDS + NEXT]!;
      yield prefix;
    }
  }

  /** It is in no class. */
  enter(prefix: PrefixNumber, forwardingClass: ForwardingClass): void {
    const { first, number } = forwardingClass;
    const base = prefix * WORDS;
    this.words[base + CLASS] = number;
    this.words[base + NEXT] = first;
    this.words[base + PREVIOUS] = 0;
    if (first !== 0) this.words[(first - 1) * WORDS + PREVIOUS] = prefix + 1;
    forwardingClass.first = prefix + 1;
    forwardingClass.size++;
  }

  leave(prefix: PrefixNumber, forwardingClass: ForwardingClass): void {
    const base = prefix * WORDS;
    const next = this.words[base + NEXT]!;
    const previous = this.words[base + PREVIOUS]!;
    if (previous === 0) forwardingClass.first = next;
    else this.words[(previous - 1) * WORDS + NEXT] = next;
    if (next !== 0) this.words[(next - 1) * WORDS + PREVIOUS] = previous;
    this.words[base + CLASS] = 0;
    forwardingClass.size--;
  }

  private withRoom(prefix: PrefixNumber): PrefixNumber {
    if ((prefix + 1) * WORDS > this.words.length) {
      const larger = new Uint32Array(this.words.length * 2);
      larger.set(this.words);
      this.words = larger;
    }
    return prefix;
  }
}
