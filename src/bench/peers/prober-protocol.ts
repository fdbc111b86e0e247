/** What prober.ts tells the prober's process and what that answers, one JSON value a line. Times are milliseconds of CLOCK_MONOTONIC. */
import type { SessionEnd } from './plan.js';
import type { TableShape } from './table-stream.js';

export interface ProberTask {
  /** Of who is measured. */
  readonly target: string;
  /** Seconds. */
  readonly holdTime: number;
  readonly sender: SessionEnd;
  readonly listener: SessionEnd;
  /** One prefix an UPDATE. */
  readonly probes: TableShape & { readonly block: number };
}

export type ProberCommand =
  | { readonly kind: 'connect' }
  /** One UPDATE each so many milliseconds; answered when all are sent. */
  | { readonly kind: 'send'; readonly interval: number }
  | { readonly kind: 'told' };

export type ProberAnswer =
  | { readonly kind: 'connected' }
  /** When each probe was handed to the kernel, by its number. */
  | { readonly kind: 'sent'; readonly times: readonly number[] }
  /** When the listener heard of each, by its number; `null`: not yet. */
  | { readonly kind: 'told'; readonly times: readonly (number | null)[] };
