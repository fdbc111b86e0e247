/** What generator.ts tells the generator's process and what that answers, one JSON value a line. Times are milliseconds of CLOCK_MONOTONIC. */
import type { Gap } from './lateness.js';
import type { TableFamily } from './path-attributes.js';
import type { TableShape } from './table-stream.js';

export interface GeneratorSession {
  readonly asn: number;
  /** Its own end. */
  readonly address: string;
  /** The number of the session, and its BGP identifier. */
  readonly number: number;
  /** That it speaks. */
  readonly family: TableFamily;
  /** Seconds. */
  readonly holdTime: number;
  /** What it announces; without one it only listens. */
  readonly table?: TableShape;
}

export interface GeneratorTask {
  /** Of who is measured. */
  readonly target: string;
  readonly sessions: readonly GeneratorSession[];
}

export type GeneratorCommand =
  /** Opens all sessions; answered when all are up. */
  | { readonly kind: 'connect' }
  /** All who have a table send it; answered when the kernel has all of it. */
  | { readonly kind: 'announce' }
  | { readonly kind: 'withdraw' }
  /** Ends the connections of those who have a table, without a word. */
  | { readonly kind: 'drop' }
  | { readonly kind: 'counts' };

export type GeneratorAnswer =
  | { readonly kind: 'connected' }
  /** `from`: before the first octet. */
  | { readonly kind: 'sent'; readonly from: number }
  | {
      readonly kind: 'counts';
      /** Of all who have no table. */
      readonly announced: number;
      readonly withdrawn: number;
      /** When the last of them came. */
      readonly last: number;
      /** Connections that ended while nobody wanted them to. */
      readonly lost: number;
      /** Of all sessions, since they were asked for last. */
      readonly gaps: readonly Gap[];
    };
