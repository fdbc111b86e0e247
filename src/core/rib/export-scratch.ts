/**
 * What the groups of one Adj-RIB-Out work with, one at a time and empty in between: a leaf in policy mode has a group for every
 * session, each of which would otherwise hold room for the largest message and the largest slice.
 */
import { RouteBatch } from './route-batch.js';

/** Prefixes of the table that a member catches up with at a time. */
const CATCH_UP_SLICE = 2048;

export class ExportScratch {
  readonly batch = new RouteBatch();
  readonly slice = new Uint32Array(CATCH_UP_SLICE);
  #message = new Uint8Array(0);

  /** Where a message of up to so many octets is put together. */
  message(octets: number): Uint8Array {
    if (this.#message.length < octets) this.#message = new Uint8Array(octets);
    return this.#message;
  }
}
