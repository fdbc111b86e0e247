/** Choices of the fuzzers, drawn from a seed: the same seed and the same code give the same run. */
import { SeededRandom } from '../simulator/seeded-random.js';

/** Numbers at which lengths and counters change their meaning. */
const EDGES = [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 254, 255];

export class Dice {
  private readonly random: SeededRandom;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
  }

  /** From 0 to less than 1. */
  fraction(): number {
    return this.random.next();
  }

  /** 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.random.next() * count);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  octet(): number {
    return this.below(256);
  }

  word(): number {
    return Math.floor(this.random.next() * 0x1_0000_0000);
  }

  /** An octet, often one that means something. */
  edge(): number {
    return this.once(3) ? this.octet() : this.pick(EDGES);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  octets(length: number): Uint8Array {
    const result = new Uint8Array(length);
    for (let at = 0; at < length; at++) result[at] = this.octet();
    return result;
  }
}
