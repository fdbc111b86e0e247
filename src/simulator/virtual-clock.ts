/**
 * Virtual time: a queue of wake-ups ordered by time, then by when they were asked for. Nothing waits for real; between two
 * events all promise reactions have run, so that code behind a port may await and stay deterministic.
 */
import type { Clock } from '../core/ports/clock.js';

interface Wake {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Events between two turns of the event loop. */
const TURN = 1000;

const earlier = (a: Wake, b: Wake): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

export class VirtualClock implements Clock {
  private time = 0;
  private order = 0;
  private events = 0;
  /** Binary heap, earliest first. */
  private readonly heap: Wake[] = [];

  now(): number {
    return this.time;
  }

  schedule(at: number, wake: () => void): () => void {
    const entry: Wake = { at: Math.max(at, this.time), order: this.order++, run: wake };
    this.push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  yield(work: () => void): void {
    this.schedule(this.time, work);
  }

  /** Runs everything due until `time` (milliseconds) and leaves the clock there. */
  async runUntil(time: number): Promise<void> {
    await this.runWhile(() => true, time);
    this.time = Math.max(this.time, time);
  }

  /** Runs until `done` holds; false when `limit` (milliseconds) comes first. `done` is asked after every event. */
  async runUntilDone(done: () => boolean, limit: number): Promise<boolean> {
    await settle();
    if (!done()) await this.runWhile(() => !done(), limit);
    return done();
  }

  private async runWhile(goOn: () => boolean, limit: number): Promise<void> {
    await settle();
    for (;;) {
      const next = this.heap[0];
      if (!next || next.at > limit) return;
      this.pop();
      if (!next.run) continue;
      this.time = next.at;
      next.run();
      await (++this.events % TURN === 0 ? turn() : settle());
      if (!goOn()) return;
    }
  }

  private push(entry: Wake): void {
    const heap = this.heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!earlier(entry, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  }

  private pop(): void {
    const heap = this.heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && earlier(heap[child + 1]!, heap[child]!)) child++;
      if (!earlier(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

/**
 * Resolves when all promise reactions that are ready have run, and those that they make ready: ticks wait for them. A turn of the event
 * loop for each event does the same, and costs a scenario of `npm run dst` a tenth more.
 */
function settle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** The same, and what waits outside of virtual time has its turn: signals, messages, time limits. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
