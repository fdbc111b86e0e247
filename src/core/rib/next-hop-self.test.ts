import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { nextHopOctets } from './next-hop-self.js';

const GLOBAL = parseAddress('fd00:1::1')!;
const LINK_LOCAL = parseAddress('fe80::1')!;
const CAPABILITIES = {
  fourOctetAs: true,
  extendedMessage: false,
  families: ['ipv6-unicast', 'ipv4-unicast'] as const,
  extendedNextHop: ['ipv4-unicast'] as const,
  linkLocalNextHop: false,
};

describe('our next hop for IPv4 over IPv6', () => {
  it('is the global address where there is one: not every peer resolves a link-local one', () => {
    const both = { global: GLOBAL, linkLocal: LINK_LOCAL };
    expect(nextHopOctets(both, CAPABILITIES, 'ipv4-unicast')).toEqual(GLOBAL);
  });

  it('is the link-local address, alone, on an unnumbered link', () => {
    expect(nextHopOctets({ linkLocal: LINK_LOCAL }, CAPABILITIES, 'ipv4-unicast')).toEqual(LINK_LOCAL);
  });
});
