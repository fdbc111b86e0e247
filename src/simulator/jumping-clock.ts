/** The clock of one node, which can jump ahead of all others': as after a pause of a virtual machine, whatever was due meanwhile is due now. */
import type { Clock } from '../core/ports/clock.js';

interface Wait {
  readonly at: number;
  readonly wake: () => void;
  cancel(): void;
}

export class JumpingClock implements Clock {
  private ahead = 0;
  private readonly waits = new Set<Wait>();

  constructor(private readonly inner: Clock) {}

  now(): number {
    return this.inner.now() + this.ahead;
  }

  schedule(at: number, wake: () => void): () => void {
    const wait = this.arm(at, wake);
    return () => {
      this.waits.delete(wait);
      wait.cancel();
    };
  }

  yield(work: () => void): void {
    this.inner.yield(work);
  }

  /** Milliseconds. */
  jump(by: number): void {
    this.ahead += by;
    for (const wait of this.waits) {
      wait.cancel();
      wait.cancel = this.after(wait);
    }
  }

  /** Nobody waits any more. */
  forget(): void {
    for (const wait of this.waits) wait.cancel();
    this.waits.clear();
  }

  /** Wake-ups that are armed. */
  get waiting(): number {
    return this.waits.size;
  }

  private arm(at: number, wake: () => void): Wait {
    const wait: Wait = { at, wake, cancel: () => {} };
    this.waits.add(wait);
    wait.cancel = this.after(wait);
    return wait;
  }

  private after(wait: Wait): () => void {
    return this.inner.schedule(wait.at - this.ahead, () => {
      this.waits.delete(wait);
      wait.wake();
    });
  }
}
