/** Waiting for what must come, and for what may. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds; two cores that a dozen daemons share are slow at times. */
export const PATIENCE = 120_000;
/** Before what has not come counts as what does not come. */
export const DOUBT = 45_000;
const INTERVAL = 100;

/**
 * Resolves with the first answer that is neither false nor undefined; `undefined` when none came in time. Who cannot be asked yet is asked
 * again; rejects with why when that is all there was at the end.
 */
export async function answer<Value>(
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  patience = PATIENCE,
): Promise<Value | undefined> {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      const value = await ask();
      if (value !== false && value !== undefined) return value;
      if (performance.now() >= deadline) return undefined;
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await sleep(INTERVAL);
  }
}

/** Rejects with what did not come. */
export async function until(ask: () => Promise<boolean> | boolean, what: string, patience = PATIENCE): Promise<void> {
  if (await answer(ask, patience)) return;
  throw new Error(`not in ${patience / 1000} s: ${what}`);
}
