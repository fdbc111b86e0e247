import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../core/net/address.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { Rib } from '../../core/rib/rib.js';
import type { PeerIndex } from '../../core/rib/types.js';
import { MessageFramer } from '../../core/wire/bgp/framer.js';
import { addressIn, samplePrefixes, spineAddress, spineAs, type Uplink, writePrefix } from './plan.js';
import { encodeRoutes, encodeWithdrawal } from './routes.js';

function addSpine(rib: Rib, uplink: Uplink): PeerIndex {
  return rib.addPeer({
    name: `spine${uplink}`,
    address: parseAddress(spineAddress(uplink))!,
    localAddress: new Uint8Array(16),
    interfaceIndex: uplink,
    interfaceName: `up${uplink}`,
    asn: spineAs(uplink),
    identifier: uplink,
    external: true,
    families: ['ipv6-unicast'],
    context: { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true },
  });
}

/** Bodies of UPDATEs as the framer finds them. */
function receive(rib: Rib, peer: PeerIndex, octets: Uint8Array): number {
  let updates = 0;
  const error = new MessageFramer().push(octets, (_, body) => {
    updates++;
    expect(rib.receiveUpdate(peer, body.slice())).toBeUndefined();
  });
  expect(error).toBeUndefined();
  while (rib.decide(() => false));
  return updates;
}

describe('what a scripted spine says', () => {
  it('announces every prefix once, a hundred an UPDATE, and withdraws all of them', () => {
    const rib = new Rib({ localAs: 65000 });
    const peer = addSpine(rib, 1);
    expect(receive(rib, peer, encodeRoutes(1, { from: 0, to: 1050 }))).toBe(11);
    expect(rib.totals()).toMatchObject({ paths: 1050, accepted: 1050 });
    receive(rib, peer, encodeWithdrawal({ from: 0, to: 1050 }));
    expect(rib.totals().paths).toBe(0);
  });

  it('says nothing about no prefixes', () => {
    expect([encodeRoutes(2, { from: 5, to: 5 }).length, encodeWithdrawal({ from: 0, to: 0 }).length]).toEqual([0, 0]);
  });
});

describe('the far leaf', () => {
  it('has an address in each of its prefixes', () => {
    const address = new Uint8Array(16);
    writePrefix(99_999, address);
    expect(formatPrefix({ address, length: 64 })).toBe('fd10:1:869f::/64');
    expect(addressIn(99_999)).toBe('fd10:1:869f::1');
  });

  it('is watched at its first, middle and last prefix, or at the only one', () => {
    expect([samplePrefixes(1000), samplePrefixes(1)]).toEqual([[0, 500, 999], [0]]);
  });
});
