/** Time as a port: a monotonic reading in milliseconds, and one-shot wake-ups. Virtual in tests and simulation. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back. */
  now(): number;
  /** Calls `wake` once at or after `at` (same scale as `now`); the result cancels it. */
  schedule(at: number, wake: () => void): () => void;
  /** Runs `work` soon, after input that is already waiting has been handled. */
  yield(work: () => void): void;
}
