/** Asks again and again until the answer is yes or the time is over. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly interval: number;
}

/** Resolves with whether `condition` held before the timeout; it is asked at least once. */
export async function poll(condition: () => boolean | Promise<boolean>, options: PollOptions): Promise<boolean> {
  const deadline = performance.now() + options.timeout;
  while (!(await condition())) {
    if (performance.now() >= deadline) return false;
    await sleep(options.interval);
  }
  return true;
}
