/**
 * Every prefix the router knows, as a small integer. The upper half of the key and the RIB's per-prefix state share one 24-octet record
 * in a typed array; an open-addressing hash finds the record. Both families share the table.
 *
 * What a table costs is the memory it writes for the first time, in octets and, where pages are dear, in time: a million /64 from one peer
 * take half the time since a prefix and its path write 48 octets instead of 136 (growing included).
 */

import { ADDRESS_OCTETS, type Family } from '../net/family.js';
import { grown } from '../net/grown.js';
import type { Prefix } from '../net/prefix.js';
import { PLAIN_MEMORY, type TableMemory } from '../ports/table-memory.js';
import type { PrefixId } from './types.js';

/** Words of a record: two of address (IPv4 uses the first), then the fields below. */
export const RECORD_WORDS = 6;
/** Prefix length in the low octet, IPV6_BIT above it. */
const META = 2;
/** First path of the prefix plus one; 0 for none. The RIB's. */
export const HEAD = 3;
/** Decision state. The RIB's. */
export const STATE = 4;
/** How many users keep the id from being reused. */
const HOLDS = 5;
/** Only prefixes longer than this have something in the lower half of their address. */
const UPPER_BITS = 64;

/** Mask of the last bits of a prefix: of as many neighbours the slots lie side by side. */
const NEIGHBOURS = 7;
/** So few that a rehearsal grows them more than once. */
const FIRST_SLOTS = 512;
const SLOT_GROWTH = 4;

const IPV6_BIT = 0x100;
const IN_USE = 0x200;

export class PrefixTable {
  /** `records[id * RECORD_WORDS + field]`; replaced when the table grows, so never keep it across an insertion. */
  records: Int32Array;
  /** Ids below this have been handed out at least once. */
  end = 0;
  /** Prefixes in the table. */
  size = 0;
  /** Lower halves of addresses, two words each, as far as there are any. */
  #lower: Int32Array = new Int32Array(0);
  /**
   * Id plus one (0 for an empty slot) in as many low bits as the mask has, above them those of the key's hash: a collision is seen
   * without a look at the record. Linear probing.
   */
  #slots: Int32Array = new Int32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  /** Ids to use again, linked through their first word; all other fields are 0. */
  #free = -1;
  /**
   * Behind the id that was asked for last. Neighbours say the same prefixes in the same order, and what is next in the records needs neither
   * hash nor slot: 100,000 of eight neighbours take 233 ms for it, and 301 without.
   */
  #next = 0;

  readonly #memory: TableMemory;

  /** Room for as many prefixes as `memory` says is reserved, as addresses: pages become memory when they are first written. */
  constructor(memory = PLAIN_MEMORY) {
    this.#memory = memory;
    this.records = memory.words(memory.capacity * RECORD_WORDS);
  }

  /** The id of the prefix with these address words (int32, bits beyond `length` zero), added when it is new. */
  intern(family: Family, length: number, w0: number, w1: number, w2: number, w3: number): PrefixId {
    return this.#internKey(metaOf(family, length), w0, w1, w2, w3);
  }

  lookup(family: Family, length: number, w0: number, w1: number, w2: number, w3: number): PrefixId | undefined {
    return this.#findKey(metaOf(family, length), w0, w1, w2, w3);
  }

  internPrefix(prefix: Prefix): PrefixId {
    const [family, w0, w1, w2, w3] = words(prefix);
    return this.intern(family, prefix.length, w0, w1, w2, w3);
  }

  find(prefix: Prefix): PrefixId | undefined {
    const [family, w0, w1, w2, w3] = words(prefix);
    return this.lookup(family, prefix.length, w0, w1, w2, w3);
  }

  /** The id here of the prefix that has the id `id` in another table, added when it is new. */
  internFrom(other: PrefixTable, id: PrefixId): PrefixId {
    const [meta, w0, w1, w2, w3] = other.#keyOf(id);
    return this.#internKey(meta, w0, w1, w2, w3);
  }

  findFrom(other: PrefixTable, id: PrefixId): PrefixId | undefined {
    const [meta, w0, w1, w2, w3] = other.#keyOf(id);
    return this.#findKey(meta, w0, w1, w2, w3);
  }

  isUsed(id: PrefixId): boolean {
    return id < this.end && (this.records[id * RECORD_WORDS + META]! & IN_USE) !== 0;
  }

  isIpv6(id: PrefixId): boolean {
    return (this.records[id * RECORD_WORDS + META]! & IPV6_BIT) !== 0;
  }

  prefixOf(id: PrefixId): Prefix {
    const address = new Uint8Array(ADDRESS_OCTETS[this.isIpv6(id) ? 'ipv6-unicast' : 'ipv4-unicast']);
    return { address, length: this.copyAddress(id, address) };
  }

  /** Writes the address octets that fit into `target`; returns the prefix length. */
  copyAddress(id: PrefixId, target: Uint8Array): number {
    const base = id * RECORD_WORDS;
    const length = this.records[base + META]! & 0xff;
    for (let i = 0; i < target.length; i++) {
      const word =
        i < 8 ? this.records[base + (i >> 2)]! : length > UPPER_BITS ? this.#lower[id * 2 + (i >> 2) - 2]! : 0;
      target[i] = word >>> (24 - 8 * (i & 3));
    }
    return length;
  }

  /** Keeps the id for its prefix until `release`, whether or not it has paths. */
  hold(id: PrefixId): void {
    this.records[id * RECORD_WORDS + HOLDS]!++;
  }

  release(id: PrefixId): void {
    this.records[id * RECORD_WORDS + HOLDS]!--;
  }

  isHeld(id: PrefixId): boolean {
    return this.records[id * RECORD_WORDS + HOLDS] !== 0;
  }

  /** Forgets the prefix: the id is used again. Nobody may hold it and it may have no path. */
  remove(id: PrefixId): void {
    this.#clearSlot(id);
    const base = id * RECORD_WORDS;
    if ((this.records[base + META]! & 0xff) > UPPER_BITS) this.#lower.fill(0, id * 2, id * 2 + 2);
    this.records.fill(0, base, base + RECORD_WORDS);
    this.records[base] = this.#free;
    this.#free = id;
    this.size--;
  }

  #keyOf(id: PrefixId): [number, number, number, number, number] {
    const r = this.records;
    const base = id * RECORD_WORDS;
    const meta = r[base + META]!;
    const isLong = (meta & 0xff) > UPPER_BITS;
    return [meta, r[base]!, r[base + 1]!, isLong ? this.#lower[id * 2]! : 0, isLong ? this.#lower[id * 2 + 1]! : 0];
  }

  #hashOf(id: PrefixId): number {
    const r = this.records;
    const base = id * RECORD_WORDS;
    const meta = r[base + META]!;
    if ((meta & 0xff) <= UPPER_BITS) return hash(meta, r[base]!, r[base + 1]!, 0, 0);
    return hash(meta, r[base]!, r[base + 1]!, this.#lower[id * 2]!, this.#lower[id * 2 + 1]!);
  }

  #internKey(meta: number, w0: number, w1: number, w2: number, w3: number): PrefixId {
    if (this.#isAt(this.#next, meta, w0, w1, w2, w3)) return this.#next++;
    const id = this.#internHashed(meta, w0, w1, w2, w3);
    this.#next = id + 1;
    return id;
  }

  #internHashed(meta: number, w0: number, w1: number, w2: number, w3: number): PrefixId {
    const h = hash(meta, w0, w1, w2, w3);
    const slot = this.#slotOf(h, meta, w0, w1, w2, w3);
    const found = this.#slots[slot]! & this.#mask;
    if (found !== 0) return found - 1;
    const id = this.#add(meta, w0, w1, w2, w3);
    // One id is never given out, so that what a slot has in the bits of the mask is never more than them.
    if (this.size * 2 < this.#mask) this.#slots[slot] = (h & ~this.#mask) | (id + 1);
    else this.#growSlots();
    return id;
  }

  #findKey(meta: number, w0: number, w1: number, w2: number, w3: number): PrefixId | undefined {
    if (this.#isAt(this.#next, meta, w0, w1, w2, w3)) return this.#next++;
    const found = this.#slots[this.#slotOf(hash(meta, w0, w1, w2, w3), meta, w0, w1, w2, w3)]! & this.#mask;
    if (found === 0) return undefined;
    this.#next = found;
    return found - 1;
  }

  #isAt(id: PrefixId, meta: number, w0: number, w1: number, w2: number, w3: number): boolean {
    const records = this.records;
    const base = id * RECORD_WORDS;
    if (id >= this.end || records[base + 1] !== w1 || records[base] !== w0 || records[base + META] !== meta)
      return false;
    return (w2 | w3) === 0 ? this.#hasNoLower(id, meta) : this.#lower[id * 2] === w2 && this.#lower[id * 2 + 1] === w3;
  }

  /** Backward-shift deletion: no tombstones, so a long run of churn does not lengthen the probes. */
  #clearSlot(id: PrefixId): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let hole = this.#hashOf(id) & mask;
    while ((slots[hole]! & mask) !== id + 1) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const home = this.#hashOf((slots[slot]! & mask) - 1) & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      slots[hole] = slots[slot]!;
      hole = slot;
    }
    slots[hole] = 0;
  }

  /** The slot of the key's entry, or the empty one where it would go. */
  #slotOf(h: number, meta: number, w0: number, w1: number, w2: number, w3: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    const tag = h & ~mask;
    let slot = h & mask;
    for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
      if ((entry & ~mask) === tag && this.#isAt((entry & mask) - 1, meta, w0, w1, w2, w3)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #hasNoLower(id: PrefixId, meta: number): boolean {
    return (meta & 0xff) <= UPPER_BITS || (this.#lower[id * 2]! | this.#lower[id * 2 + 1]!) === 0;
  }

  #add(meta: number, w0: number, w1: number, w2: number, w3: number): PrefixId {
    let id = this.#free;
    if (id === -1) id = this.end++;
    else this.#free = this.records[id * RECORD_WORDS]!;
    const base = id * RECORD_WORDS;
    if (base === this.records.length) this.records = grown(this.records, base + RECORD_WORDS);
    const records = this.records;
    records[base] = w0;
    records[base + 1] = w1;
    records[base + META] = meta;
    if ((meta & 0xff) > UPPER_BITS) this.#setLower(id, w2, w3);
    this.size++;
    return id;
  }

  #setLower(id: PrefixId, w2: number, w3: number): void {
    if (id * 2 >= this.#lower.length) this.#lower = grown(this.#lower, Math.max(id + 1, 1024) * 2);
    this.#lower[id * 2] = w2;
    this.#lower[id * 2 + 1] = w3;
  }

  #growSlots(): void {
    const slots = this.#memory.words(this.#slots.length * SLOT_GROWTH);
    this.#fill(slots);
    this.#slots = slots;
    this.#mask = slots.length - 1;
  }

  #fill(slots: Int32Array): void {
    const mask = slots.length - 1;
    for (let id = 0; id < this.end; id++) {
      if (!this.isUsed(id)) continue;
      const h = this.#hashOf(id);
      let slot = h & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (h & ~mask) | (id + 1);
    }
  }
}

function metaOf(family: Family, length: number): number {
  return IN_USE | (family === 'ipv6-unicast' ? IPV6_BIT | length : length);
}

/**
 * Multiplications and shifts that spread every bit of the key to the low bits, which pick the slot; but eight neighbouring prefixes
 * share what is mixed and follow each other in one cache line of slots, as those of an address plan come one after the other.
 */
function hash(meta: number, w0: number, w1: number, w2: number, w3: number): number {
  const bits = meta & 0xff;
  const shift = (32 - bits) & 31;
  const place = ((bits > 96 ? w3 : bits > 64 ? w2 : bits > 32 ? w1 : w0) >>> shift) & NEIGHBOURS;
  const common = ~(NEIGHBOURS << shift);
  let h = Math.imul((bits > 32 ? w0 : w0 & common) ^ meta, 0x9e3779b1);
  h = Math.imul((h ^ (h >>> 15)) + (bits > 64 ? w1 : w1 & common), 0x85ebca77);
  h = Math.imul((h ^ (h >>> 13)) + (bits > 96 ? w2 : w2 & common), 0xc2b2ae3d);
  h = Math.imul((h ^ (h >>> 16)) + (w3 & common), 0x27d4eb2f);
  return ((h ^ (h >>> 15)) & ~NEIGHBOURS) | place;
}

function words(prefix: Prefix): [Family, number, number, number, number] {
  const a = prefix.address;
  const word = (at: number) => (a[at]! << 24) | (a[at + 1]! << 16) | (a[at + 2]! << 8) | a[at + 3]!;
  if (a.length === 4) return ['ipv4-unicast', word(0), 0, 0, 0];
  return ['ipv6-unicast', word(0), word(4), word(8), word(12)];
}
