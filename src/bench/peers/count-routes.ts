/** How many prefixes an UPDATE announces and withdraws, and no more: a sink must cost less than who is measured. Pure. */

import { read16 } from '../../core/wire/bgp/octets.js';

export interface RouteCount {
  announced: number;
  withdrawn: number;
}

const MP_REACH = 14;
const MP_UNREACH = 15;
const EXTENDED_LENGTH = 0x10;

/** Adds those of an UPDATE's body to `count`. Peers are trusted: what is measured here is no attacker. */
export function countRoutes(body: Uint8Array, count: RouteCount): void {
  const withdrawnEnd = 2 + read16(body, 0);
  count.withdrawn += prefixesIn(body, 2, withdrawnEnd);
  const attributesEnd = withdrawnEnd + 2 + read16(body, withdrawnEnd);
  for (let at = withdrawnEnd + 2; at < attributesEnd; ) {
    const isLong = (body[at]! & EXTENDED_LENGTH) !== 0;
    const type = body[at + 1];
    const value = at + (isLong ? 4 : 3);
    const end = value + (isLong ? read16(body, at + 2) : body[at + 2]!);
    if (type === MP_REACH) count.announced += prefixesIn(body, value + 5 + body[value + 3]!, end);
    if (type === MP_UNREACH) count.withdrawn += prefixesIn(body, value + 3, end);
    at = end;
  }
  count.announced += prefixesIn(body, attributesEnd, body.length);
}

function prefixesIn(body: Uint8Array, from: number, to: number): number {
  let prefixes = 0;
  for (let at = from; at < to; prefixes++) at += 1 + ((body[at]! + 7) >> 3);
  return prefixes;
}
