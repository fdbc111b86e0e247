/**
 * The time of a rehearsal: a queue of what is to be done, one piece a turn. While a piece runs, its time goes faster than the real one, so that
 * table work that ends its slices by the clock ends them sooner; between two pieces it jumps to the next wake-up.
 */
import type { Clock } from '../../core/ports/clock.js';

/** A slice of 5 ms (core/speaker/route-engine.ts) takes one. */
const FASTER = 5;

interface Wake {
  readonly at: number;
  readonly run: () => void;
}

export class StageClock implements Clock {
  private time = 0;
  /** Of the real clock, when the piece that runs began. */
  private began: number | undefined;
  private readonly ready: (() => void)[] = [];
  private readonly wakes = new Set<Wake>();

  constructor(private readonly real: Pick<Clock, 'now'>) {}

  now(): number {
    return this.began === undefined ? this.time : this.time + (this.real.now() - this.began) * FASTER;
  }

  schedule(at: number, run: () => void): () => void {
    const wake = { at, run };
    this.wakes.add(wake);
    return () => this.wakes.delete(wake);
  }

  yield(work: () => void): void {
    this.ready.push(work);
  }

  /** Does the next piece; false when there is none before `limit`, which then has come. */
  step(limit: number): boolean {
    const piece = this.ready.shift() ?? this.wakeBefore(limit);
    if (!piece) {
      this.time = Math.max(this.time, limit);
      return false;
    }
    this.began = this.real.now();
    try {
      piece();
    } finally {
      this.time = this.now();
      this.began = undefined;
    }
    return true;
  }

  private wakeBefore(limit: number): (() => void) | undefined {
    let next: Wake | undefined;
    for (const wake of this.wakes) if (wake.at < (next?.at ?? limit)) next = wake;
    if (!next) return undefined;
    this.wakes.delete(next);
    this.time = Math.max(this.time, next.at);
    return next.run;
  }
}
