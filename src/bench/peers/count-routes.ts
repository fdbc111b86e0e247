/** Which prefixes an UPDATE announces and withdraws, and no more: a sink must cost less than who is measured. Pure. */

import { read16 } from '../../core/wire/bgp/octets.js';

export interface RouteCount {
  announced: number;
  withdrawn: number;
}

/** Told of a piece of a body that holds prefixes, without path identifiers. */
export type PrefixSink = (body: Uint8Array, from: number, to: number) => void;

export interface PrefixSinks {
  readonly announced: PrefixSink;
  readonly withdrawn: PrefixSink;
}

const MP_REACH = 14;
const MP_UNREACH = 15;
const EXTENDED_LENGTH = 0x10;

/** Peers are trusted: what is measured here is no attacker. */
export function eachPrefixes(body: Uint8Array, { announced, withdrawn }: PrefixSinks): void {
  const withdrawnEnd = 2 + read16(body, 0);
  withdrawn(body, 2, withdrawnEnd);
  const attributesEnd = withdrawnEnd + 2 + read16(body, withdrawnEnd);
  for (let at = withdrawnEnd + 2; at < attributesEnd; ) {
    const isLong = (body[at]! & EXTENDED_LENGTH) !== 0;
    const type = body[at + 1];
    const value = at + (isLong ? 4 : 3);
    const end = value + (isLong ? read16(body, at + 2) : body[at + 2]!);
    if (type === MP_REACH) announced(body, value + 5 + body[value + 3]!, end);
    if (type === MP_UNREACH) withdrawn(body, value + 3, end);
    at = end;
  }
  announced(body, attributesEnd, body.length);
}

/** Adds those of an UPDATE's body to `count`. */
export function countRoutes(body: Uint8Array, count: RouteCount): void {
  eachPrefixes(body, {
    announced: (_, from, to) => (count.announced += prefixesIn(body, from, to)),
    withdrawn: (_, from, to) => (count.withdrawn += prefixesIn(body, from, to)),
  });
}

function prefixesIn(body: Uint8Array, from: number, to: number): number {
  let prefixes = 0;
  for (let at = from; at < to; prefixes++) at += prefixOctets(body[at]!);
  return prefixes;
}

/** With the length in front. */
export function prefixOctets(bits: number): number {
  return 1 + ((bits + 7) >> 3);
}
