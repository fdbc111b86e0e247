/**
 * What each GPU of a job sends, to whom, and when: one GPU to another, ring AllReduce, AllToAll. Pure: a rank is told that a message
 * has arrived and says what to add up and what to send next. All sizes are in 32-bit words, all places in the memory of a rank.
 *
 *   send         rank 0 writes its words to rank 1
 *   all-reduce   a ring. The words are cut into as many chunks as ranks. In step s each rank sends a chunk to the next one:
 *                n-1 steps in which the receiver adds it to its own, n-1 in which the sums go round
 *   all-to-all   rank i writes its block j to rank j as its block i
 */
import type { TrafficPattern } from './bus-bandwidth.js';
import { segmentsOf } from './segments.js';
import { findWrongWord, testWord, type WrongWord } from './test-words.js';

export interface Send {
  readonly to: number;
  readonly from: number;
  /** Place in the receiver's memory. */
  readonly into: number;
  readonly words: number;
}

export interface Step {
  /** Words to be added to others, before anything is sent. */
  readonly add?: { readonly from: number; readonly into: number; readonly words: number };
  readonly sends: readonly Send[];
}

export interface Collective {
  /** Words of memory that a rank needs. */
  readonly memory: number;
  /** Messages that it will get in all. */
  readonly receipts: number;
  /** Fills a memory with what this rank has at the beginning. */
  fill(memory: Uint32Array): void;
  start(): readonly Send[];
  /** The next message of `rank` has arrived. */
  received(rank: number): Step;
  /** The first wrong word of the result. */
  check(memory: Uint32Array): WrongWord | undefined;
}

export interface Job {
  readonly rank: number;
  readonly ranks: number;
  /** Words of every rank. */
  readonly words: number;
  readonly seed: number;
}

const NOTHING: Step = { sends: [] };

export function collectiveOf(pattern: TrafficPattern, job: Job): Collective {
  if (pattern === 'all-reduce') return new RingAllReduce(job);
  return pattern === 'all-to-all' ? new AllToAll(job) : new SingleSend(job);
}

class SingleSend implements Collective {
  readonly memory: number;
  readonly receipts: number;

  constructor(private readonly job: Job) {
    this.memory = job.words;
    this.receipts = job.rank === 1 ? 1 : 0;
  }

  fill(memory: Uint32Array): void {
    if (this.job.rank === 0) fillWords(memory, this.job);
  }

  start(): readonly Send[] {
    return this.job.rank === 0 ? [{ to: 1, from: 0, into: 0, words: this.job.words }] : [];
  }

  received(): Step {
    return NOTHING;
  }

  check(memory: Uint32Array): WrongWord | undefined {
    return findWrongWord(memory, (index) => testWord(this.job.seed, 0, index));
  }
}

class RingAllReduce implements Collective {
  readonly memory: number;
  readonly receipts: number;
  private readonly chunks;
  /** Place of what came in during a step and is to be added. */
  private readonly slotWords: number;
  private step = 0;

  constructor(private readonly job: Job) {
    const { words, ranks } = job;
    this.chunks = segmentsOf(words, ranks);
    this.slotWords = Math.max(...this.chunks.map(({ length }) => length));
    this.memory = words + (ranks - 1) * this.slotWords;
    this.receipts = 2 * (ranks - 1);
  }

  fill(memory: Uint32Array): void {
    fillWords(memory.subarray(0, this.job.words), this.job);
  }

  start(): readonly Send[] {
    return [this.sendOf(0)];
  }

  received(): Step {
    const { rank, ranks, words } = this.job;
    const step = this.step++;
    const sends = step + 1 < this.receipts ? [this.sendOf(step + 1)] : [];
    if (step >= ranks - 1) return { sends };
    const { offset, length } = this.chunk(rank - 1 - step);
    return { add: { from: words + step * this.slotWords, into: offset, words: length }, sends };
  }

  private sendOf(step: number): Send {
    const { rank, ranks, words } = this.job;
    const { offset, length } = this.chunk(rank - step);
    const into = step < ranks - 1 ? words + step * this.slotWords : offset;
    return { to: (rank + 1) % ranks, from: offset, into, words: length };
  }

  private chunk(number: number) {
    const { ranks } = this.job;
    return this.chunks[((number % ranks) + ranks) % ranks]!;
  }

  check(memory: Uint32Array): WrongWord | undefined {
    const { ranks, seed, words } = this.job;
    return findWrongWord(memory.subarray(0, words), (index) => {
      let sum = 0;
      for (let rank = 0; rank < ranks; rank++) sum = (sum + testWord(seed, rank, index)) >>> 0;
      return sum;
    });
  }
}

/** Its blocks to send, and behind them those that come in; its own stays where it is. */
class AllToAll implements Collective {
  readonly memory: number;
  readonly receipts: number;
  private readonly blockWords: number;

  constructor(private readonly job: Job) {
    this.blockWords = Math.floor(job.words / job.ranks);
    this.memory = 2 * this.blockWords * job.ranks;
    this.receipts = job.ranks - 1;
  }

  fill(memory: Uint32Array): void {
    fillWords(memory.subarray(0, this.memory / 2), this.job);
  }

  /** Each rank begins with the one behind it, so that not all send to the same one at once. */
  start(): readonly Send[] {
    const { rank, ranks } = this.job;
    return Array.from({ length: ranks - 1 }, (_, index) => {
      const to = (rank + 1 + index) % ranks;
      const from = to * this.blockWords;
      return { to, from, into: this.memory / 2 + rank * this.blockWords, words: this.blockWords };
    });
  }

  received(): Step {
    return NOTHING;
  }

  check(memory: Uint32Array): WrongWord | undefined {
    const { rank, ranks, seed } = this.job;
    const { blockWords } = this;
    for (let from = 0; from < ranks; from++) {
      if (from === rank) continue;
      const at = this.memory / 2 + from * blockWords;
      const wrong = findWrongWord(memory.subarray(at, at + blockWords), (index) =>
        testWord(seed, from, rank * blockWords + index),
      );
      if (wrong) return { ...wrong, index: at + wrong.index };
    }
    return undefined;
  }
}

function fillWords(memory: Uint32Array, { seed, rank }: Job): void {
  for (let index = 0; index < memory.length; index++) memory[index] = testWord(seed, rank, index);
}

/** Adds words of a memory to others of it, modulo 2^32. */
export function addWords(memory: Uint32Array, { from, into, words }: NonNullable<Step['add']>): void {
  for (let index = 0; index < words; index++) memory[into + index]! += memory[from + index]!;
}
