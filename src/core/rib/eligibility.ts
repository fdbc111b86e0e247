/**
 * Which received paths may be used (RFC 4271 section 9.1.2): not those that went through our own AS, nor those whose next hop
 * cannot be resolved. Sessions are single-hop, so a next hop resolves when it lies on the session's link: a link-local
 * address, or the peer's own. The others are kept, shown with the reason, and not eligible.
 */
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import { AS_LOOP, GLOBAL_NEXT_HOP, LINK_LOCAL_NEXT_HOP } from '../route/preference.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { RibPeerInfo } from './types.js';

export const ELIGIBLE = 0;
const LOOPED = 1;
const OFF_LINK = 2;
const NO_NEXT_HOP = 3;

/** The code of the reason why paths with these attributes from this peer are hidden, or ELIGIBLE. `flags` are the preference flags. */
export function hiddenReason(flags: number, attributes: PathAttributes, peer: RibPeerInfo): number {
  if (flags & AS_LOOP) return LOOPED;
  if (flags & LINK_LOCAL_NEXT_HOP) return ELIGIBLE;
  if (!(flags & GLOBAL_NEXT_HOP)) return NO_NEXT_HOP;
  return equalBytes(attributes.nextHop!.global!, peer.address) ? ELIGIBLE : OFF_LINK;
}

/** `undefined` for an eligible path. */
export function hiddenText(code: number, attributes: PathAttributes): string | undefined {
  if (code === LOOPED) return 'our own AS is in the AS path';
  if (code === OFF_LINK) return `next hop ${formatAddress(attributes.nextHop!.global!)} is not on the link`;
  if (code === NO_NEXT_HOP) return 'no usable next hop';
  return undefined;
}

/** Where packets of an eligible path go on the peer's interface. */
export function gatewayOf(attributes: PathAttributes, peer: RibPeerInfo): Address {
  return attributes.nextHop?.linkLocal ?? peer.address;
}
