/**
 * Next hops in MP_REACH_NLRI (RFC 4760, 2545, 8950, draft-ietf-idr-linklocal-capability). A link-local next hop without a
 * global one has three encodings in the field: 16 octets; 32 octets with the address twice; 32 octets with `::` first.
 * All are accepted.
 */
import type { NextHop } from './message.js';

/** How a next hop that is only link-local is sent: alone in 16 octets, or twice in 32. */
export type LinkLocalForm = 'single' | 'double';

/** `undefined` when the length fits no encoding of the NLRI's family (`afi`). */
export function decodeNextHop(_bytes: Uint8Array, _afi: number): NextHop | undefined {
  throw new Error('to be written');
}

/** 4, 16 or 32 octets; `undefined` for a next hop without any address. */
export function encodeNextHop(_nextHop: NextHop, _form: LinkLocalForm): Uint8Array | undefined {
  throw new Error('to be written');
}
