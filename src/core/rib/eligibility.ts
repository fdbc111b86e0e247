/**
 * Which received paths may be used (RFC 4271 section 9.1.2): not those that went through our own AS, nor those whose next hop
 * cannot be resolved. On a session over link-local addresses a next hop resolves when it lies on the session's link: a link-local
 * address, or the peer's own, but not ours (section 6.3); those of other sessions are looked up (next-hop-table.ts). Prefixes that are no unicast destination beyond one link make no sense
 * (section 6.3, RFC 4291 section 2.5, RFC 6890). What this router, or a route reflector of its cluster, told comes back to no use
 * (RFC 4456 section 8). In DPF session mode a route's colour is its session's (policy/session-colours.ts). The others are kept, shown with the reason, and not eligible.
 */
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import { isCarried } from '../policy/session-colours.js';
import type { SessionOptions } from '../policy/session-options.js';
import { GLOBAL_NEXT_HOP, HAS_ORIGINATOR, LINK_LOCAL_NEXT_HOP } from '../route/preference.js';
import { colourOf } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { RibPeerInfo } from './types.js';

export const ELIGIBLE = 0;
const LOOPED = 1;
export const OFF_LINK = 2;
const NO_NEXT_HOP = 3;
const UNROUTABLE = 4;
export const OWN_NEXT_HOP = 5;
const OTHER_COLOUR = 6;
/** By the import policy; which term it was is found by asking that again (path-views.ts). */
export const REJECTED = 7;
const LOCAL_AS_LOOPED = 8;
const OWN_ROUTE = 9;
const OWN_CLUSTER = 10;
/** The neighbour's AS is not the first in the AS_PATH. */
const OTHER_FIRST_AS = 13;
/** No route leads to the next hop, ... */
export const UNRESOLVED = 11;
/** ... or only a default route does. */
export const DEFAULT_ONLY = 12;
const OF_NEXT_HOP: ReadonlySet<number> = new Set([
  ELIGIBLE,
  OFF_LINK,
  UNROUTABLE,
  OWN_NEXT_HOP,
  UNRESOLVED,
  DEFAULT_ONLY,
]);

/** A path with this code may get another one when its next hop is reached otherwise. */
export function dependsOnNextHop(code: number): boolean {
  return OF_NEXT_HOP.has(code);
}

/** A link-local next hop is on the link of the session, where that has one (RFC 2545 section 3); the others of such peers are looked up. */
export function isLookedUp(flags: number, { nextHops = 'link', interfaceIndex }: RibPeerInfo): boolean {
  return (
    nextHops !== 'link' && (flags & GLOBAL_NEXT_HOP) !== 0 && !(flags & LINK_LOCAL_NEXT_HOP && interfaceIndex !== 0)
  );
}

/** What tells a router that a route has been here before. */
export interface OwnIdentity {
  readonly localAs: AsNumber;
  /** Absent where nobody reflects routes. */
  readonly identifier?: number;
  readonly clusterId?: number;
}

/**
 * The code of what is wrong with the way that received attributes came, or ELIGIBLE: a loop (RFC 4271 section 9.1.2, RFC 7705
 * section 3.4, RFC 4456 section 8), or an external neighbour that left its own AS out (RFC 4271 sections 5.1.2 and 6.3).
 */
export function wayReason(
  received: { readonly flags: number; readonly firstAs: AsNumber; readonly attributes: PathAttributes },
  peer: { readonly asn: AsNumber; readonly external: boolean; readonly options?: SessionOptions | undefined },
  own: OwnIdentity,
): number {
  const { flags, attributes } = received;
  const { options } = peer;
  const allowed = options?.allowAsIn ?? 0;
  if (occurrences(attributes, own.localAs) > allowed) return LOOPED;
  if (options?.localAs && occurrences(attributes, options.localAs.asn) > allowed) return LOCAL_AS_LOOPED;
  if (options?.enforceFirstAs && peer.external && received.firstAs !== peer.asn) return OTHER_FIRST_AS;
  if (flags & HAS_ORIGINATOR && attributes.originatorId === own.identifier) return OWN_ROUTE;
  const { clusterId } = own;
  return clusterId !== undefined && attributes.clusterList?.includes(clusterId) ? OWN_CLUSTER : ELIGIBLE;
}

function occurrences({ asPath }: PathAttributes, asn: AsNumber): number {
  let count = 0;
  for (const { asns } of asPath) for (const other of asns) if (other === asn) count++;
  return count;
}

/**
 * The code of the reason why paths with these attributes from this peer cannot be used, or ELIGIBLE; whether a next hop that is looked
 * up is reached is left to its table. `flags` are the preference flags.
 */
export function unusableReason(flags: number, attributes: PathAttributes, peer: RibPeerInfo): number {
  if (peer.sessionColours && !isCarried(colourOf(attributes), peer.colour)) return OTHER_COLOUR;
  if (isLookedUp(flags, peer)) return ELIGIBLE;
  if (flags & LINK_LOCAL_NEXT_HOP) {
    // Some hops away there is no link that it could be on.
    if (peer.interfaceIndex === 0) return NO_NEXT_HOP;
    return equalBytes(attributes.nextHop!.linkLocal!, peer.localAddress) ? OWN_NEXT_HOP : ELIGIBLE;
  }
  if (!(flags & GLOBAL_NEXT_HOP)) return NO_NEXT_HOP;
  return equalBytes(attributes.nextHop!.global!, peer.address) ? ELIGIBLE : OFF_LINK;
}

/** The code of the reason why the prefix whose octets start at `offset` is hidden whoever announces it, or ELIGIBLE. */
export function unroutable(
  family: Family,
  octets: Uint8Array,
  { offset, bits }: { offset: number; bits: number },
): number {
  const first = octets[offset]!;
  if (family === 'ipv4-unicast') {
    const thisHost = bits >= 8 && (first === 0 || first === 127);
    return thisHost || (bits >= 3 && first >= 224) ? UNROUTABLE : ELIGIBLE;
  }
  if (first === 0) return bits === 128 && isHostOnly(octets, offset) ? UNROUTABLE : ELIGIBLE;
  if (first < 0xfe) return ELIGIBLE;
  const linkLocal = bits >= 10 && first === 0xfe && (octets[offset + 1]! & 0xc0) === 0x80;
  return linkLocal || (bits >= 8 && first === 0xff) ? UNROUTABLE : ELIGIBLE;
}

/** `::` and `::1`. */
function isHostOnly(octets: Uint8Array, offset: number): boolean {
  for (let at = offset; at < offset + 15; at++) if (octets[at] !== 0) return false;
  return octets[offset + 15]! <= 1;
}

/** `undefined` for an eligible path. */
export function hiddenText(code: number, attributes: PathAttributes, peer?: RibPeerInfo): string | undefined {
  if (code === LOOPED) return 'our own AS is in the AS path';
  if (code === LOCAL_AS_LOOPED) return `our AS ${peer?.options?.localAs?.asn} towards this neighbour is in the AS path`;
  if (code === OTHER_FIRST_AS) return `the AS path does not begin with the neighbour's AS ${peer?.asn}`;
  if (code === OWN_ROUTE) return 'ORIGINATOR_ID is our own identifier';
  if (code === OWN_CLUSTER) return 'our own cluster is in CLUSTER_LIST';
  if (code === OFF_LINK) return `next hop ${nextHopText(attributes)} is not on the link`;
  if (code === UNRESOLVED) return `next hop ${nextHopText(attributes)} cannot be resolved: no route to it`;
  if (code === DEFAULT_ONLY)
    return `next hop ${nextHopText(attributes)} cannot be resolved: only the default route leads to it`;
  if (code === NO_NEXT_HOP) return 'no usable next hop';
  if (code === UNROUTABLE) return 'the prefix is no unicast destination beyond one link';
  if (code === OWN_NEXT_HOP) return 'the next hop is our own address';
  if (code === OTHER_COLOUR) return `colour ${colourOf(attributes)} on a session of colour ${peer?.colour}`;
  return undefined;
}

function nextHopText({ nextHop }: PathAttributes): string {
  return nextHop?.global ? formatAddress(nextHop.global) : 'of none';
}

/** Where packets of an eligible path go on the peer's interface. */
export function gatewayOf(attributes: PathAttributes, peer: RibPeerInfo): Address {
  return attributes.nextHop?.linkLocal ?? peer.address;
}
