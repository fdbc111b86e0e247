/** The kinds of session that UPDATEs are read in, to the RIB and to the judge, and the healthy neighbours beside them. */

import type { RibPeerInfo } from '../core/rib/types.js';
import type { UpdateContext } from '../core/wire/bgp/message.js';
import type { JudgeContext } from './rfc7606-judge.js';

export const LOCAL_AS = 65000;

export interface UpdateSession {
  readonly name: string;
  readonly context: JudgeContext;
}

const USUAL: JudgeContext = { fourOctetAs: true, external: true, aigp: true, ipv4: true, ipv6: true, addPath: false };

export const UPDATE_SESSIONS: readonly UpdateSession[] = [
  { name: 'external', context: USUAL },
  { name: 'external without AIGP', context: { ...USUAL, aigp: false } },
  { name: 'external, 2-octet AS numbers', context: { ...USUAL, fourOctetAs: false } },
  { name: 'external, add-path', context: { ...USUAL, addPath: true } },
  { name: 'external, IPv6 only', context: { ...USUAL, ipv4: false } },
  { name: 'internal', context: { ...USUAL, external: false } },
  { name: 'internal, 2-octet AS numbers', context: { ...USUAL, external: false, fourOctetAs: false } },
  { name: 'internal, add-path, IPv6 only', context: { ...USUAL, external: false, addPath: true, ipv4: false } },
];

/** What they are told is judged in these. */
export const HEALTHY_SESSIONS: readonly UpdateSession[] = [
  { name: 'healthy', context: USUAL },
  { name: 'healthy, 2-octet AS numbers', context: { ...USUAL, fourOctetAs: false, aigp: false } },
];

export function updateContext({ fourOctetAs, external, aigp, addPath }: JudgeContext): UpdateContext {
  return {
    fourOctetAs,
    externalPeer: external,
    aigp,
    addPath: addPath ? ['ipv4-unicast', 'ipv6-unicast'] : [],
  };
}

/** Number `place` tells peers apart; it goes into addresses, AS numbers and identifiers. */
export function ribPeer({ name, context }: UpdateSession, place: number): RibPeerInfo {
  return {
    name,
    address: Uint8Array.of(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 + place),
    localAddress: Uint8Array.of(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    interfaceIndex: place + 1,
    interfaceName: `eth${place}`,
    asn: context.external ? 65100 + place : LOCAL_AS,
    identifier: 0x0a00_0001 + place,
    external: context.external,
    families: context.ipv4 ? ['ipv4-unicast', 'ipv6-unicast'] : ['ipv6-unicast'],
    context: updateContext(context),
  };
}
