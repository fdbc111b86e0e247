/**
 * Every prefix the router knows, as a small integer. Keys and the RIB's per-prefix state share one 32-octet record in a
 * typed array, so that a route costs one cache line; an open-addressing hash finds the record. Both families share the table.
 */
import { ADDRESS_OCTETS, type Family } from '../net/family.js';
import type { Prefix } from '../net/prefix.js';
import type { PrefixId } from './types.js';

/** Words of a record: four of address (IPv4 uses the first), then the fields below. */
export const RECORD_WORDS = 8;
/** Prefix length in the low octet, IPV6_BIT above it. */
const META = 4;
/** First path of the prefix plus one; 0 for none. The RIB's. */
export const HEAD = 5;
/** Decision state. The RIB's. */
export const STATE = 6;
/** How many users keep the id from being reused. */
const HOLDS = 7;

const IPV6_BIT = 0x100;
const IN_USE = 0x200;

export class PrefixTable {
  /** `records[id * RECORD_WORDS + field]`; replaced when the table grows, so never keep it across an insertion. */
  records: Int32Array;
  /** Ids below this have been handed out at least once. */
  end = 0;
  /** Prefixes in the table. */
  size = 0;
  /**
   * Two words a slot: id plus one (0 for an empty slot) and the key's hash, so that a collision is seen, and the table grown,
   * without a look at the records. Linear probing.
   */
  #slots: Int32Array;
  #mask: number;
  /** Ids to use again, linked through their first word; all other fields are 0. */
  #free = -1;

  constructor(capacity = 1024) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(capacity, 16) * 2));
    this.records = new Int32Array((slots / 2) * RECORD_WORDS);
    this.#slots = new Int32Array(slots * 2);
    this.#mask = slots - 1;
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
  internFrom({ records }: PrefixTable, id: PrefixId): PrefixId {
    const base = id * RECORD_WORDS;
    const [w0, w1, w2, w3] = [records[base]!, records[base + 1]!, records[base + 2]!, records[base + 3]!];
    return this.#internKey(records[base + META]!, w0, w1, w2, w3);
  }

  findFrom({ records }: PrefixTable, id: PrefixId): PrefixId | undefined {
    const base = id * RECORD_WORDS;
    const [w0, w1, w2, w3] = [records[base]!, records[base + 1]!, records[base + 2]!, records[base + 3]!];
    return this.#findKey(records[base + META]!, w0, w1, w2, w3);
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
    for (let i = 0; i < target.length; i++) target[i] = this.records[base + (i >> 2)]! >>> (24 - 8 * (i & 3));
    return this.records[base + META]! & 0xff;
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
    const base = id * RECORD_WORDS;
    const r = this.records;
    const [w0, w1, w2, w3, meta] = [r[base]!, r[base + 1]!, r[base + 2]!, r[base + 3]!, r[base + META]!];
    this.#clearSlot(this.#slotOf(hash(meta, w0, w1, w2, w3), meta, w0, w1, w2, w3));
    r.fill(0, base, base + RECORD_WORDS);
    r[base] = this.#free;
    this.#free = id;
    this.size--;
  }

  #internKey(meta: number, w0: number, w1: number, w2: number, w3: number): PrefixId {
    const h = hash(meta, w0, w1, w2, w3);
    const at = this.#slotOf(h, meta, w0, w1, w2, w3);
    const found = this.#slots[at]!;
    if (found !== 0) return found - 1;
    if (this.size * 2 < this.#mask) return this.#add(at, h, meta, w0, w1, w2, w3);
    this.#grow();
    return this.#add(this.#slotOf(h, meta, w0, w1, w2, w3), h, meta, w0, w1, w2, w3);
  }

  #findKey(meta: number, w0: number, w1: number, w2: number, w3: number): PrefixId | undefined {
    const found = this.#slots[this.#slotOf(hash(meta, w0, w1, w2, w3), meta, w0, w1, w2, w3)]!;
    return found === 0 ? undefined : found - 1;
  }

  /** Backward-shift deletion: no tombstones, so a long run of churn does not lengthen the probes. */
  #clearSlot(at: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let hole = at >> 1;
    for (let slot = (hole + 1) & mask; slots[slot * 2] !== 0; slot = (slot + 1) & mask) {
      const home = slots[slot * 2 + 1]! & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      slots[hole * 2] = slots[slot * 2]!;
      slots[hole * 2 + 1] = slots[slot * 2 + 1]!;
      hole = slot;
    }
    slots[hole * 2] = 0;
  }

  /** Offset in the slots of the key's entry, or of the empty slot where it would go. */
  #slotOf(h: number, meta: number, w0: number, w1: number, w2: number, w3: number): number {
    const slots = this.#slots;
    const records = this.records;
    let slot = h & this.#mask;
    for (let found = slots[slot * 2]!; found !== 0; found = slots[slot * 2]!) {
      const base = (found - 1) * RECORD_WORDS;
      if (
        slots[slot * 2 + 1] === h &&
        records[base] === w0 &&
        records[base + 1] === w1 &&
        records[base + META] === meta &&
        records[base + 2] === w2 &&
        records[base + 3] === w3
      )
        break;
      slot = (slot + 1) & this.#mask;
    }
    return slot * 2;
  }

  #add(at: number, h: number, meta: number, w0: number, w1: number, w2: number, w3: number): PrefixId {
    let id = this.#free;
    if (id === -1) id = this.end++;
    else this.#free = this.records[id * RECORD_WORDS]!;
    const base = id * RECORD_WORDS;
    const records = this.records;
    records[base] = w0;
    records[base + 1] = w1;
    records[base + 2] = w2;
    records[base + 3] = w3;
    records[base + META] = meta;
    this.#slots[at] = id + 1;
    this.#slots[at + 1] = h;
    this.size++;
    return id;
  }

  #grow(): void {
    const records = new Int32Array(this.records.length * 2);
    records.set(this.records);
    this.records = records;
    const old = this.#slots;
    const slots = new Int32Array(old.length * 2);
    const mask = this.#mask * 2 + 1;
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0) continue;
      let slot = old[at + 1]! & mask;
      while (slots[slot * 2] !== 0) slot = (slot + 1) & mask;
      slots[slot * 2] = old[at]!;
      slots[slot * 2 + 1] = old[at + 1]!;
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}

function metaOf(family: Family, length: number): number {
  return IN_USE | (family === 'ipv6-unicast' ? IPV6_BIT | length : length);
}

/** Multiplications and shifts that spread every bit of the key to the low bits, which pick the slot. */
function hash(meta: number, w0: number, w1: number, w2: number, w3: number): number {
  let h = Math.imul(w0 ^ meta, 0x9e3779b1);
  h = Math.imul((h ^ (h >>> 15)) + w1, 0x85ebca77);
  h = Math.imul((h ^ (h >>> 13)) + w2, 0xc2b2ae3d);
  h = Math.imul((h ^ (h >>> 16)) + w3, 0x27d4eb2f);
  return h ^ (h >>> 15);
}

function words(prefix: Prefix): [Family, number, number, number, number] {
  const a = prefix.address;
  const word = (at: number) => (a[at]! << 24) | (a[at + 1]! << 16) | (a[at + 2]! << 8) | a[at + 3]!;
  if (a.length === 4) return ['ipv4-unicast', word(0), 0, 0, 0];
  return ['ipv6-unicast', word(0), word(4), word(8), word(12)];
}
