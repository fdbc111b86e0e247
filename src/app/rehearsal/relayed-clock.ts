/**
 * What the daemon's router and those of rehearsals have as their clock, each over another one. Code that V8 optimised for one kind of clock is thrown
 * away when it meets another: so did all that takes an UPDATE, and all that decides, with the first routes of the real router. The place here where
 * kinds differ is the same for all, and has seen both before anything is optimised.
 */
import type { Clock } from '../../core/ports/clock.js';

export class RelayedClock implements Clock {
  constructor(private readonly clock: Clock) {}

  now(): number {
    return this.clock.now();
  }

  schedule(at: number, wake: () => void): () => void {
    return this.clock.schedule(at, wake);
  }

  yield(work: () => void): void {
    this.clock.yield(work);
  }
}
