/** The Clock port over the monotonic clock and the event loop of Node. */
import type { Clock } from '../../core/ports/clock.js';

/** Longer waits overflow a Node timer; a wake-up this far away is looked at again then. */
const MAX_TIMER_MS = 0x7fffffff;

export class SystemClock implements Clock {
  now(): number {
    return performance.now();
  }

  schedule(at: number, wake: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const wait = Math.min(Math.max(0, Math.ceil(at - this.now())), MAX_TIMER_MS);
      timer = setTimeout(() => (this.now() < at ? arm() : wake()), wait);
    };
    arm();
    return () => clearTimeout(timer);
  }

  yield(work: () => void): void {
    setImmediate(work);
  }
}
