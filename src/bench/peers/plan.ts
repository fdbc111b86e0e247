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
const FIRST_AS = 65001;
export const MOST_SESSIONS = 200;

/** One end of a session, by its number from 1. */
export interface SessionEnd {
  readonly asn: number;
  readonly address: string;
}

export const routerAddress = (family: TableFamily): string => (family === 'ipv6' ? 'fd99::1' : '192.0.2.1');

export function sessionEnd(family: TableFamily, number: number): SessionEnd {
  const address = family === 'ipv6' ? `fd99::1:${number.toString(16)}` : `192.0.2.${10 + number}`;
  return { asn: FIRST_AS + number - 1, address };
}
