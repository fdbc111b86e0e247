/**
 * Next hops in MP_REACH_NLRI (RFC 4760, 2545, 8950, draft-ietf-idr-linklocal-capability). A link-local next hop without a
 * global one has three encodings in the field: 16 octets; 32 octets with the address twice; 32 octets with `::` first.
 * All are accepted.
 */
import { isLinkLocal, isUnspecified } from '../../net/address.js';
import type { Family } from '../../net/family.js';
import type { NextHop } from './message.js';
import { concat } from './octets.js';

/** How a next hop that is only link-local is sent: alone in 16 octets, or twice in 32. */
export type LinkLocalForm = 'single' | 'double';

/**
 * Copies the addresses out. `undefined` when the length fits no encoding for NLRI of `family`; without any address when
 * all there is is unspecified.
 */
export function decodeNextHop(bytes: Uint8Array, family: Family): NextHop | undefined {
  if (bytes.length === 4 && family === 'ipv4-unicast') return nextHopOf([bytes.slice()]);
  if (bytes.length === 16) return nextHopOf([bytes.slice()]);
  if (bytes.length === 32) return nextHopOf([bytes.slice(0, 16), bytes.slice(16)]);
  return undefined;
}

function nextHopOf(addresses: readonly Uint8Array[]): NextHop {
  // The last one: in a pair the link-local address is the second, with the first possibly link-local too.
  const linkLocal = addresses.filter(isLinkLocal).at(-1);
  const first = addresses[0]!;
  const global = isLinkLocal(first) || isUnspecified(first) ? undefined : first;
  return { ...(global && { global }), ...(linkLocal && { linkLocal }) };
}

/** 4, 16 or 32 octets; `undefined` for a next hop without any address. */
export function encodeNextHop(nextHop: NextHop, form: LinkLocalForm): Uint8Array | undefined {
  const { global, linkLocal } = nextHop;
  if (!linkLocal) return global;
  if (global?.length === 16) return concat([global, linkLocal]);
  return form === 'single' ? linkLocal : concat([linkLocal, linkLocal]);
}
