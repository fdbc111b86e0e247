/** How our own next hop is written on a session, by family (RFC 2545, 8950, draft-ietf-idr-linklocal-capability). */
import { FAMILIES, type Family } from '../net/family.js';
import type { NextHop } from '../wire/bgp/message.js';
import { encodeNextHop } from '../wire/bgp/next-hop.js';
import type { AdjRibOutMember, SendCapabilities } from './adj-rib-out-types.js';

/** A family that is absent cannot be sent on the session: not negotiated, or no next hop to put. */
export type NextHopsSelf = Readonly<Partial<Record<Family, Uint8Array>>>;

export function nextHopsSelf(member: AdjRibOutMember): NextHopsSelf {
  const result: Partial<Record<Family, Uint8Array>> = {};
  const { nextHop, ipv4NextHop, capabilities } = member;
  for (const family of FAMILIES) {
    if (!capabilities.families.includes(family)) continue;
    const plain = family === 'ipv4-unicast' ? ipv4NextHop : undefined;
    const octets = plain ?? nextHopOctets(nextHop, capabilities, family);
    if (octets) result[family] = octets;
  }
  return result;
}

/** `undefined` when the session cannot carry this next hop for routes of the family. */
export function nextHopOctets(
  { global, linkLocal }: NextHop,
  { linkLocalNextHop, extendedNextHop }: SendCapabilities,
  family: Family,
): Uint8Array | undefined {
  if (family === 'ipv6-unicast') {
    if (!linkLocal && global?.length !== 16) return undefined;
    return encodeNextHop(
      { ...(global && { global }), ...(linkLocal && { linkLocal }) },
      linkLocalNextHop ? 'single' : 'double',
    );
  }
  if (global?.length === 4) return global;
  // One address of 16 octets: every RFC 8950 speaker takes it, and Junos refuses 32 octets for IPv4.
  if (!extendedNextHop.includes(family)) return undefined;
  // A session between global addresses may be with one that resolves no link-local next hop (OpenBGPD 8.8).
  return global ?? linkLocal;
}
