/** What speaker.ts tells a scripted speaker and what it answers, one JSON value a line. */
import type { Uplink } from './plan.js';

export interface SpeakerTask {
  /** The spine that it plays. */
  readonly uplink: Uplink;
}

export type SpeakerCommand =
  /** How many prefixes it has from now on; what is new goes out at once, and all of them with every new session. */
  | { readonly kind: 'routes'; readonly count: number }
  /** Sets down the interface of its namespace, then withdraws all it has: in one breath. */
  | { readonly kind: 'cut'; readonly interface: string }
  /** Drops the connection and, unless it is to be silent from now on, makes a new one. */
  | { readonly kind: 'reset'; readonly silent: boolean }
  | { readonly kind: 'state' };

/** Times are milliseconds of CLOCK_MONOTONIC. */
export type SpeakerAnswer =
  /** Answer to `routes` and `cut`: when the first octet was written. */
  | { readonly kind: 'written'; readonly at: number }
  | { readonly kind: 'state'; readonly established: boolean; readonly sessions: number };
