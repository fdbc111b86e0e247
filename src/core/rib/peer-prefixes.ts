/** Which prefixes each peer has a path of: a bit each. What comes for the first time, as most does, needs no look at the others' paths. */
import { grown } from '../net/grown.js';
import { objectList } from '../net/object-list.js';
import type { PeerIndex, PrefixId } from './types.js';

const FIRST_WORDS = 32;

export class PeerPrefixes {
  readonly #bits: Uint32Array<ArrayBuffer>[] = objectList();

  has(peer: PeerIndex, prefix: PrefixId): boolean {
    const bits = this.#bits[peer];
    const word = prefix >>> 5;
    return bits !== undefined && word < bits.length && (bits[word]! & (1 << (prefix & 31))) !== 0;
  }

  add(peer: PeerIndex, prefix: PrefixId): void {
    const word = prefix >>> 5;
    while (peer >= this.#bits.length) this.#bits.push(new Uint32Array(0));
    const bits = this.#bits[peer]!;
    if (word >= bits.length) this.#bits[peer] = grown(bits, Math.max(word + 1, FIRST_WORDS));
    this.#bits[peer]![word]! |= 1 << (prefix & 31);
  }

  remove(peer: PeerIndex, prefix: PrefixId): void {
    this.#bits[peer]![prefix >>> 5]! &= ~(1 << (prefix & 31));
  }
}
