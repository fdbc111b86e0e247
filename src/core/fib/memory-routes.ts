/**
 * The routes of the memory tables, ours and those of other programs: by prefix and metric, with longest-prefix match, and by the object
 * that they use. Seven words of a typed array each: as objects in maps, with a set of users for each group, they were 800 octets of what
 * a prefix takes in a simulated router.
 */
import type { Address } from '../net/address.js';
import { grown } from '../net/grown.js';
import { masked, type Prefix } from '../net/prefix.js';
import type { KernelRoute, NextHopId } from '../ports/kernel-tables.js';
import { HEAD, PrefixTable, RECORD_WORDS } from '../rib/prefix-table.js';

/** A route of ours, or of the program with the number `foreign`. */
export interface MemoryRoute extends KernelRoute {
  readonly foreign: number | undefined;
}

const WORDS = 7;
/** Number in the table of prefixes; of a free record, the next free one plus one. */
const PREFIX = 0;
const METRIC = 1;
const OBJECT = 2;
/** Number of the program plus one; 0 for ours. */
const FOREIGN = 3;
/** The next one of the prefix, by metric, plus one; 0 ends the chain that starts at the prefix's HEAD. */
const NEXT = 4;
/** The others that use the object, plus one; 0 ends the list. */
const NEXT_USER = 5;
const PREVIOUS_USER = 6;

export class MemoryRoutes {
  private readonly prefixes = new PrefixTable();
  private words = new Uint32Array(64 * WORDS);
  private end = 0;
  /** Plus one. */
  private free = 0;
  /** First route that uses an object, plus one. */
  private readonly users = new Map<NextHopId, number>();
  /** Prefixes of each length, by octets of address. */
  private readonly lengths = new Map([4, 16].map((octets) => [octets, new Uint32Array(8 * octets + 1)]));

  get(prefix: Prefix, metric: number): MemoryRoute | undefined {
    const at = this.find(prefix, metric);
    return at === undefined ? undefined : this.view(prefix, at);
  }

  /** In the place of what has the prefix and metric. */
  set({ prefix, metric, nextHop, foreign }: MemoryRoute): void {
    const at = this.find(prefix, metric) ?? this.add(prefix, metric);
    this.unuse(at);
    this.words[at + FOREIGN] = foreign === undefined ? 0 : foreign + 1;
    this.words[at + OBJECT] = nextHop;
    if (foreign === undefined) this.use(at, nextHop);
  }

  delete(prefix: Prefix, metric: number): void {
    const id = this.prefixes.find(prefix);
    const at = id === undefined ? undefined : this.inChain(id, metric);
    if (id === undefined || at === undefined) return;
    this.unuse(at);
    this.unchain(id, at);
    this.words.fill(0, at, at + WORDS);
    this.words[at + PREFIX] = this.free;
    this.free = at / WORDS + 1;
    if (this.head(id) !== 0) return;
    this.prefixes.remove(id);
    this.lengths.get(prefix.address.length)![prefix.length]!--;
  }

  *values(): Generator<MemoryRoute> {
    for (let id = 0; id < this.prefixes.end; id++) {
      if (!this.prefixes.isUsed(id)) continue;
      const prefix = this.prefixes.prefixOf(id);
      for (let link = this.head(id); link !== 0; link = this.words[(link - 1) * WORDS + NEXT]!)
        yield this.view(prefix, (link - 1) * WORDS);
    }
  }

  /** The route of the longest prefix that covers `address`, of those the one with the lowest metric. */
  match(address: Address): MemoryRoute | undefined {
    const lengths = this.lengths.get(address.length)!;
    for (let length = lengths.length - 1; length >= 0; length--) {
      if (lengths[length] === 0) continue;
      const prefix = { address: masked(address, length), length };
      const id = this.prefixes.find(prefix);
      if (id !== undefined) return this.view(prefix, (this.head(id) - 1) * WORDS);
    }
    return undefined;
  }

  /** Ours that use the object. */
  usersOf(object: NextHopId): MemoryRoute[] {
    const found: MemoryRoute[] = [];
    for (let link = this.users.get(object) ?? 0; link !== 0; link = this.words[(link - 1) * WORDS + NEXT_USER]!) {
      const at = (link - 1) * WORDS;
      found.push(this.view(this.prefixes.prefixOf(this.words[at + PREFIX]!), at));
    }
    return found;
  }

  /** One of ours for an IPv6 prefix uses the object. */
  hasIpv6User(object: NextHopId): boolean {
    for (let link = this.users.get(object) ?? 0; link !== 0; link = this.words[(link - 1) * WORDS + NEXT_USER]!)
      if (this.prefixes.isIpv6(this.words[(link - 1) * WORDS + PREFIX]!)) return true;
    return false;
  }

  /** Offset of the record. */
  private find(prefix: Prefix, metric: number): number | undefined {
    const id = this.prefixes.find(prefix);
    return id === undefined ? undefined : this.inChain(id, metric);
  }

  private inChain(id: number, metric: number): number | undefined {
    for (let link = this.head(id); link !== 0; link = this.words[(link - 1) * WORDS + NEXT]!)
      if (this.words[(link - 1) * WORDS + METRIC] === metric) return (link - 1) * WORDS;
    return undefined;
  }

  private add(prefix: Prefix, metric: number): number {
    const id = this.prefixes.internPrefix(prefix);
    if (this.head(id) === 0) this.lengths.get(prefix.address.length)![prefix.length]!++;
    const at = this.obtain();
    let before: number | undefined;
    let next = this.head(id);
    while (next !== 0 && this.words[(next - 1) * WORDS + METRIC]! < metric) {
      before = (next - 1) * WORDS;
      next = this.words[before + NEXT]!;
    }
    this.words[at + PREFIX] = id;
    this.words[at + METRIC] = metric;
    this.words[at + NEXT] = next;
    this.lead(id, before, at / WORDS + 1);
    return at;
  }

  private obtain(): number {
    const number = this.free === 0 ? this.end++ : this.free - 1;
    const at = number * WORDS;
    if (at + WORDS > this.words.length) this.words = grown(this.words, at + WORDS);
    if (this.free !== 0) this.free = this.words[at + PREFIX]!;
    return at;
  }

  private unchain(id: number, at: number): void {
    const link = at / WORDS + 1;
    let before: number | undefined;
    for (let next = this.head(id); next !== link; next = this.words[before + NEXT]!) before = (next - 1) * WORDS;
    this.lead(id, before, this.words[at + NEXT]!);
  }

  /** What comes behind the record at `before`, or first. */
  private lead(id: number, before: number | undefined, link: number): void {
    if (before === undefined) this.prefixes.records[id * RECORD_WORDS + HEAD] = link;
    else this.words[before + NEXT] = link;
  }

  private head(id: number): number {
    return this.prefixes.records[id * RECORD_WORDS + HEAD]!;
  }

  private use(at: number, object: NextHopId): void {
    const link = at / WORDS + 1;
    const next = this.users.get(object) ?? 0;
    this.words[at + NEXT_USER] = next;
    this.words[at + PREVIOUS_USER] = 0;
    if (next !== 0) this.words[(next - 1) * WORDS + PREVIOUS_USER] = link;
    this.users.set(object, link);
  }

  private unuse(at: number): void {
    const object = this.words[at + OBJECT]!;
    if (object === 0 || this.words[at + FOREIGN] !== 0) return;
    const next = this.words[at + NEXT_USER]!;
    const previous = this.words[at + PREVIOUS_USER]!;
    if (next !== 0) this.words[(next - 1) * WORDS + PREVIOUS_USER] = previous;
    if (previous !== 0) this.words[(previous - 1) * WORDS + NEXT_USER] = next;
    else if (next !== 0) this.users.set(object, next);
    else this.users.delete(object);
  }

  private view(prefix: Prefix, at: number): MemoryRoute {
    const foreign = this.words[at + FOREIGN]!;
    return {
      prefix,
      metric: this.words[at + METRIC]!,
      nextHop: this.words[at + OBJECT]!,
      foreign: foreign === 0 ? undefined : foreign - 1,
    };
  }
}
