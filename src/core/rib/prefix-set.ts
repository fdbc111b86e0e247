/** A first-in-first-out list of prefixes in which each is at most once. */
import { grown } from '../net/grown.js';
import { DirtyList } from './dirty-list.js';
import type { PrefixId } from './types.js';

export class PrefixSet {
  readonly #list = new DirtyList();
  #bits = new Uint32Array(32);

  get size(): number {
    return this.#list.length;
  }

  /** False when it was in already. */
  add(id: PrefixId): boolean {
    const word = id >>> 5;
    if (word >= this.#bits.length) this.#bits = grown(this.#bits, word + 1);
    const bit = 1 << (id & 31);
    if (this.#bits[word]! & bit) return false;
    this.#bits[word]! |= bit;
    this.#list.push(id);
    return true;
  }

  has(id: PrefixId): boolean {
    const word = id >>> 5;
    return word < this.#bits.length && (this.#bits[word]! & (1 << (id & 31))) !== 0;
  }

  /** Takes the oldest out. Only when `size` is not 0. */
  shift(): PrefixId {
    const id = this.#list.shift();
    this.#bits[id >>> 5]! &= ~(1 << (id & 31));
    return id;
  }

  /** Moves up to `into.length` of the oldest into `into`; returns how many. */
  take(into: Uint32Array): number {
    const count = Math.min(into.length, this.#list.length);
    for (let i = 0; i < count; i++) into[i] = this.shift();
    return count;
  }
}
