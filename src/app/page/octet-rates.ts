/** Bits a second of interfaces, from their counters now and at the reading before. */
import type { InterfaceCounters } from '../lab/counters.js';

export type OctetCounters = Pick<InterfaceCounters, 'receivedOctets' | 'sentOctets'>;

export interface Rates {
  readonly sent: number;
  readonly received: number;
}

export class OctetRates {
  #before: ReadonlyMap<string, OctetCounters> = new Map();
  #at = 0;

  /** `now` in milliseconds. An interface that is new, or that counts from 0 again, has no rate yet. */
  read(counters: ReadonlyMap<string, OctetCounters>, now: number): ReadonlyMap<string, Rates> {
    const [before, seconds] = [this.#before, (now - this.#at) / 1000];
    this.#before = counters;
    this.#at = now;
    return new Map(
      [...counters].flatMap(([name, { sentOctets, receivedOctets }]): [string, Rates][] => {
        const last = before.get(name);
        if (!last || seconds <= 0 || sentOctets < last.sentOctets || receivedOctets < last.receivedOctets) return [];
        const sent = told(((sentOctets - last.sentOctets) * 8) / seconds);
        return [[name, { sent, received: told(((receivedOctets - last.receivedOctets) * 8) / seconds) }]];
      }),
    );
  }
}

/** Bits a second that keepalives and router advertisements may well make. */
const CHATTER = 5000;

/** Two digits, and nothing of what routers say to each other: what nobody would see is no change. */
function told(rate: number): number {
  return rate < CHATTER ? 0 : Number(rate.toPrecision(2));
}
