/** What a route's AIGP is when it goes on with ourselves as next hop: the distance of the old one counts (RFC 7311 section 3.4). */
import { expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { AdjRibOut } from './adj-rib-out.js';
import { GivenReachability } from './reachability.fixture.js';
import { attributesFrom, feed, LOCAL_AS, member, Neighbour, peerInfo, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { RibPeerInfo } from './types.js';

const P = '2001:db8:100::/48';
const H = '2001:db8:a::1';

/** One neighbour that the routes come from, and one behind us; both of the fabric unless `changes` says otherwise. */
function stage(changes: Partial<RibPeerInfo> = {}) {
  const reachability = new GivenReachability();
  const rib = new Rib({ localAs: LOCAL_AS, reachability });
  const out = new AdjRibOut(rib, { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 3n });
  rib.addSink(out);
  const run = () => {
    settle(rib);
    while (out.pump(() => false));
  };
  const listener = new Neighbour();
  const session = member({
    peer: rib.addPeer(peerInfo(9)),
    nextHop: { linkLocal: parseAddress('fe80::9')! },
    send: (bytes) => {
      listener.take(bytes);
      return true;
    },
  });
  out.join(session);
  const source = rib.addPeer(peerInfo(1, changes));
  const announce = (from = source) => {
    const nextHop = { global: parseAddress(H)!, linkLocal: parseAddress('fe80::1')! };
    const given = { localPref: 100, nextHop, aigp: { metric: 7n, otherTlvs: [] } };
    feed(rib, from, { announce: [P], attributes: attributesFrom(1, given) });
    run();
  };
  const reach = (way: string) => {
    reachability.set(H, way);
    rib.reachabilityChanged();
    run();
  };
  const told = () => listener.routes.get(P)?.attributes.aigp?.metric;
  return { rib, run, announce, reach, told, source };
}

const ROUTED: Partial<RibPeerInfo> = { external: false, nextHops: 'anywhere', interfaceIndex: 0, interfaceName: '' };

it('over a link of ours it grows by the step alone', () => {
  const { announce, told } = stage();
  announce();
  expect(told()).toBe(10n);
});

it('behind other routers it grows by the way to the next hop as well, and is told again when that changes', () => {
  const { announce, reach, told } = stage(ROUTED);
  reach('20 fe80::7%eth7');
  announce();
  expect(told()).toBe(30n);
  reach('25 fe80::7%eth7');
  expect(told()).toBe(35n);
});

it('the same attributes from a neighbour on a link and from one whose next hop is looked up are not confused', () => {
  const { rib, run, announce, reach, told, source } = stage(ROUTED);
  reach('20 fe80::7%eth7');
  announce();
  const onLink = rib.addPeer(peerInfo(2, { external: false }));
  announce(onLink);
  expect(told()).toBe(10n);
  rib.removePeers([onLink]);
  run();
  expect([told(), rib.counters(source).paths]).toEqual([30n, 1]);
});
