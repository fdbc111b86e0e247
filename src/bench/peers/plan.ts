/**
 * Names and addresses of the bench: the router that is measured, the generator, and one link between them with an address for
 * every session. Pure.
 */
import { MEASURED } from '../common/daemons.js';
import type { TableFamily } from './path-attributes.js';

export const ROUTER = MEASURED;
export const GENERATOR = 'spine1';
export const LINK = 'bench';

export const ROUTER_AS = 65000;
export const ROUTER_ID = '10.1.0.1';
/** AS numbers of the generator's sessions count from here. */
export const FIRST_AS = 65001;
/** Sessions that say nothing, and only look at when KEEPALIVEs come, are numbered from here. */
const FIRST_WATCHER = 151;
export const WATCHERS = 24;
export const MOST_SESSIONS = FIRST_WATCHER + WATCHERS - 1;

/** One end of a session, by its number from 1. */
export interface SessionEnd {
  readonly number: number;
  readonly asn: number;
  readonly address: string;
  /** Of its addresses, and the only one that it speaks. */
  readonly family: TableFamily;
}

export const routerAddress = (family: TableFamily): string => (family === 'ipv6' ? 'fd99::1' : '192.0.2.1');

export function sessionEnd(family: TableFamily, number: number): SessionEnd {
  const address = family === 'ipv6' ? `fd99::1:${number.toString(16)}` : `192.0.2.${10 + number}`;
  return { number, asn: FIRST_AS + number - 1, address, family };
}

/** Links without addresses, by their interfaces' names at either end. */
export function unnumberedLinks(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `port${index + 1}`);
}

/** They speak the other family than the tables', so that nobody has anything to tell them. */
export function watcherFamily(family: TableFamily): TableFamily {
  return family === 'ipv6' ? 'ipv4' : 'ipv6';
}

export function watcherEnds(family: TableFamily): readonly SessionEnd[] {
  return Array.from({ length: WATCHERS }, (_, index) => sessionEnd(watcherFamily(family), FIRST_WATCHER + index));
}
