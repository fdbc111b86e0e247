/** AIGP, colours and extended communities on their way through a router. docs/field-bugs.md has all rows. */
import { describe, expect, it } from 'vitest';
import { AdjRibOut } from '../../src/core/rib/adj-rib-out.js';
import {
  attributesFrom,
  feed,
  LOCAL_AS,
  linkLocalOf,
  Neighbour,
  peerInfo,
  prefix,
  selectionOf,
  settle,
} from '../../src/core/rib/rib.fixture.js';
import { Rib } from '../../src/core/rib/rib.js';
import { hex } from '../../src/core/wire/bgp/octets.js';
import type { ExtendedCommunity } from '../../src/core/wire/bgp/path-attributes.js';
import { encodeAttributes } from '../../src/core/wire/bgp/update-encoder.js';
import { bytes } from '../harness/bgp-bytes.js';

const P = '2001:db8::/64';

function community(text: string): ExtendedCommunity {
  const octets = bytes(text);
  return { type: octets[0]!, subtype: octets[1]!, value: octets.slice(2) };
}

const text = ({ type, subtype, value }: ExtendedCommunity) => hex(Uint8Array.of(type, subtype, ...value));

/** Opaque, opaque with flags, two-octet AS, four-octet AS, IPv4, EVPN and one that nobody assigned: all transitive. */
const TRANSITIVE = [
  '030b000000000003',
  '030cffff00000008',
  '0002fde800000001',
  '0202fa56ea010001',
  '01020a0000010001',
  '0600000000000001',
  '3f99112233445566',
];
const NON_TRANSITIVE = ['430b000000000009', '4300000000000001', '4004fde84cbebc20', '7f99112233445566'];

describe('AIGP and colour', () => {
  it('leaving the AS, extended communities lose those with bit 0x40 of the type, and no others', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const out = new AdjRibOut(rib, { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 1n });
    rib.addSink(out);
    const neighbour = new Neighbour();
    const from = rib.addPeer(peerInfo(1));
    out.join({
      peer: rib.addPeer(peerInfo(2)),
      external: true,
      nextHop: { linkLocal: linkLocalOf(0xffff) },
      capabilities: {
        families: ['ipv6-unicast'],
        fourOctetAs: true,
        extendedMessage: false,
        extendedNextHop: [],
        linkLocalNextHop: false,
      },
      sendColour: true,
      aigp: true,
      send: (octets) => {
        neighbour.take(octets);
        return true;
      },
    });
    const extendedCommunities = [...TRANSITIVE, ...NON_TRANSITIVE].map(community);
    feed(rib, from, { announce: [P], attributes: attributesFrom(1, { extendedCommunities }) });
    settle(rib);
    while (out.pump(() => false));
    expect(neighbour.routes.get(P)?.attributes.extendedCommunities?.map(text)).toEqual(TRANSITIVE);
  });

  it('a colour that nothing here is set up for keeps no route from being used', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const peer = rib.addPeer(peerInfo(1, { colour: 1 }));
    const extendedCommunities = [community('030bc000fffffffe')];
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, { extendedCommunities }) });
    settle(rib);
    expect(selectionOf(rib, P)).toMatchObject({ colour: 0xfffffffe, best: { gateway: linkLocalOf(1) } });
    expect(rib.explain(rib.find(prefix(P))!).paths[0]!.status).toBe('best');
  });

  it('extended communities are an optional transitive attribute, whatever the communities say of themselves', () => {
    const encode = (communities: readonly string[]) =>
      hex(
        encodeAttributes(attributesFrom(1, { extendedCommunities: communities.map(community) }), { fourOctetAs: true }),
      );
    for (const one of [...TRANSITIVE, ...NON_TRANSITIVE]) expect(encode([one])).toContain(`c01008${one}`);
  });
});
