/**
 * A set of packet sequence numbers for each queue pair, as a bitmap that moves along (IRN's window): of each pair a ring of bits, for numbers that lie less
 * than the ring's size apart.
 */
import { grown } from '../../core/net/grown.js';

const WORD_BITS = 5;

export class PacketSets {
  /** How far apart numbers of a set may lie. */
  readonly size: number;
  private readonly wordsEach: number;
  private words: Uint32Array<ArrayBuffer>;

  /** @param least the size is a power of two, and at least this */
  constructor(least: number, queuePairs: number) {
    this.size = 32;
    while (this.size < least) this.size *= 2;
    this.wordsEach = this.size >> WORD_BITS;
    this.words = new Uint32Array(queuePairs * this.wordsEach);
  }

  grow(queuePairs: number): void {
    this.words = grown(this.words, queuePairs * this.wordsEach);
  }

  has(qp: number, psn: number): boolean {
    return (this.words[this.wordOf(qp, psn)]! & (1 << (psn & 31))) !== 0;
  }

  add(qp: number, psn: number): void {
    const at = this.wordOf(qp, psn);
    this.words[at] = this.words[at]! | (1 << (psn & 31));
  }

  remove(qp: number, psn: number): void {
    const at = this.wordOf(qp, psn);
    this.words[at] = this.words[at]! & ~(1 << (psn & 31));
  }

  clear(qp: number): void {
    this.words.fill(0, qp * this.wordsEach, (qp + 1) * this.wordsEach);
  }

  private wordOf(qp: number, psn: number): number {
    return qp * this.wordsEach + ((psn & (this.size - 1)) >> WORD_BITS);
  }
}
