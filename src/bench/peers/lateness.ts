/** How late KEEPALIVEs came while a router worked. Pure. */
import { percentile } from '../common/statistics.js';

/** Between a message and the next one of the same session. */
export interface Gap {
  /** Milliseconds of CLOCK_MONOTONIC at which it began. */
  readonly since: number;
  /** Milliseconds that the next message came later than a third of the hold time after that; 0 in time. */
  readonly late: number;
}

/** Milliseconds. */
export interface Lateness {
  readonly p99: number;
  readonly worst: number;
}

/** Of the gaps that had not ended when the work began, and had begun when it was done. */
export function latenessOf(gaps: readonly Gap[], done: number): Lateness {
  const late = gaps.filter(({ since }) => since <= done).map((gap) => gap.late);
  return late.length === 0 ? { p99: 0, worst: 0 } : { p99: percentile(late, 0.99), worst: Math.max(...late) };
}
