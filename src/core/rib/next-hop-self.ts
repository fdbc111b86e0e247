/** How our own next hop is written on a session, by family (RFC 2545, 8950, draft-ietf-idr-linklocal-capability). */
import { FAMILIES, type Family } from '../net/family.js';
import { encodeNextHop } from '../wire/bgp/next-hop.js';
import type { AdjRibOutMember } from './adj-rib-out-types.js';

/** A family that is absent cannot be sent on the session: not negotiated, or no next hop to put. */
export type NextHopsSelf = Readonly<Partial<Record<Family, Uint8Array>>>;

export function nextHopsSelf(member: AdjRibOutMember): NextHopsSelf {
  const result: Partial<Record<Family, Uint8Array>> = {};
  for (const family of FAMILIES) {
    const octets = member.capabilities.families.includes(family) ? octetsOf(member, family) : undefined;
    if (octets) result[family] = octets;
  }
  return result;
}

function octetsOf(member: AdjRibOutMember, family: Family): Uint8Array | undefined {
  const { global, linkLocal } = member.nextHop;
  const { linkLocalNextHop, extendedNextHop } = member.capabilities;
  if (family === 'ipv6-unicast') {
    if (!linkLocal && global?.length !== 16) return undefined;
    return encodeNextHop(member.nextHop, linkLocalNextHop ? 'single' : 'double');
  }
  if (global?.length === 4) return global;
  // One address of 16 octets: every RFC 8950 speaker takes it, and Junos refuses 32 octets for IPv4.
  if (!extendedNextHop.includes(family)) return undefined;
  return linkLocal ?? global;
}
