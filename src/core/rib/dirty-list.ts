/** Prefixes that wait for a decision, first in first out. Whoever pushes makes sure that a prefix is in it once. */
import type { PrefixId } from './types.js';

export class DirtyList {
  #ids = new Uint32Array(16);
  #head = 0;
  #tail = 0;

  get length(): number {
    return this.#tail - this.#head;
  }

  push(id: PrefixId): void {
    if (this.#tail === this.#ids.length) this.#makeRoom();
    this.#ids[this.#tail++] = id;
  }

  /** Only when `length` is not 0. */
  shift(): PrefixId {
    const id = this.#ids[this.#head++]!;
    if (this.#head === this.#tail) this.#head = this.#tail = 0;
    return id;
  }

  #makeRoom(): void {
    const waiting = this.#ids.subarray(this.#head, this.#tail);
    if (waiting.length * 2 > this.#ids.length) {
      this.#ids = new Uint32Array(this.#ids.length * 2);
      this.#ids.set(waiting);
    } else this.#ids.copyWithin(0, this.#head, this.#tail);
    this.#head = 0;
    this.#tail = waiting.length;
  }
}
