/**
 * Gives equal octet strings the same small integer. Open addressing over typed arrays, the strings end to end in one arena;
 * ids and arena space of removed strings are used again, so a long run does not grow.
 */
import { grown } from '../net/grown.js';

export class ByteInterner {
  /** Ids below this have been handed out at least once. */
  end = 0;
  /** Strings held. */
  size = 0;
  #slots = new Int32Array(256);
  #mask = 255;
  #hashes = new Uint32Array(128);
  #offsets = new Uint32Array(128);
  #lengths = new Uint32Array(128);
  #free: number[] = [];
  #arena = new Uint8Array(16384);
  #arenaEnd = 0;
  /** Octets of the arena that belong to strings held. */
  #live = 0;

  /** Octets reserved for strings. */
  get arenaOctets(): number {
    return this.#arena.length;
  }

  /** The id of `bytes[0..length)`, or -1. */
  find(bytes: Uint8Array, length: number): number {
    return this.#slots[this.#slotOf(bytes, length, hash(bytes, length))]! - 1;
  }

  /** Adds a string that `find` did not know; returns its id. */
  add(bytes: Uint8Array, length: number): number {
    if (this.size * 2 >= this.#slots.length) this.#grow();
    const h = hash(bytes, length);
    const slot = this.#slotOf(bytes, length, h);
    const id = this.#free.pop() ?? this.end++;
    const offset = this.#reserve(length);
    this.#arena.set(bytes.subarray(0, length), offset);
    this.#hashes[id] = h;
    this.#offsets[id] = offset;
    this.#lengths[id] = length;
    this.#slots[slot] = id + 1;
    this.#live += length;
    this.size++;
    return id;
  }

  /** In place: valid until something is added. */
  bytes(id: number): Uint8Array {
    return this.#arena.subarray(this.#offsets[id]!, this.#offsets[id]! + this.#lengths[id]!);
  }

  remove(id: number): void {
    const slots = this.#slots;
    let hole = this.#hashes[id]! & this.#mask;
    while (slots[hole] !== id + 1) hole = (hole + 1) & this.#mask;
    slots[hole] = 0;
    for (let slot = (hole + 1) & this.#mask; slots[slot] !== 0; slot = (slot + 1) & this.#mask) {
      const home = this.#hashes[slots[slot]! - 1]! & this.#mask;
      if (((slot - home) & this.#mask) < ((slot - hole) & this.#mask)) continue;
      slots[hole] = slots[slot]!;
      slots[slot] = 0;
      hole = slot;
    }
    this.#live -= this.#lengths[id]!;
    this.#lengths[id] = 0;
    this.#free.push(id);
    this.size--;
  }

  #slotOf(bytes: Uint8Array, length: number, h: number): number {
    const slots = this.#slots;
    let slot = h & this.#mask;
    for (let found = slots[slot]!; found !== 0; found = slots[slot]!) {
      const id = found - 1;
      if (this.#hashes[id] === h && this.#lengths[id] === length && this.#equals(bytes, length, this.#offsets[id]!))
        break;
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #equals(bytes: Uint8Array, length: number, offset: number): boolean {
    const arena = this.#arena;
    for (let i = 0; i < length; i++) if (arena[offset + i] !== bytes[i]) return false;
    return true;
  }

  #reserve(length: number): number {
    if (this.#arenaEnd + length > this.#arena.length) this.#compact(length);
    const offset = this.#arenaEnd;
    this.#arenaEnd += length;
    return offset;
  }

  /** Moves what is alive to the front of an arena with at least as much room again. */
  #compact(extra: number): void {
    let octets = this.#arena.length;
    while (octets < 2 * (this.#live + extra)) octets *= 2;
    const arena = new Uint8Array(octets);
    let end = 0;
    for (let id = 0; id < this.end; id++) {
      const length = this.#lengths[id]!;
      if (length === 0) continue;
      arena.set(this.#arena.subarray(this.#offsets[id]!, this.#offsets[id]! + length), end);
      this.#offsets[id] = end;
      end += length;
    }
    this.#arena = arena;
    this.#arenaEnd = end;
  }

  #grow(): void {
    const ids = this.#slots.length;
    this.#hashes = grown(this.#hashes, ids);
    this.#offsets = grown(this.#offsets, ids);
    this.#lengths = grown(this.#lengths, ids);
    const old = this.#slots;
    this.#slots = new Int32Array(ids * 2);
    this.#mask = ids * 2 - 1;
    for (const found of old) {
      if (found === 0) continue;
      let slot = this.#hashes[found - 1]! & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = found;
    }
  }
}

/** Four octets a step; the rotation lets every octet reach the low bits, which pick the slot. */
function hash(bytes: Uint8Array, length: number): number {
  let h = length;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    h = Math.imul(((h << 5) | (h >>> 27)) ^ word, 0x9e3779b1);
  }
  for (; i < length; i++) h = Math.imul(((h << 5) | (h >>> 27)) ^ bytes[i]!, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca77);
  return (h ^ (h >>> 13)) >>> 0;
}
