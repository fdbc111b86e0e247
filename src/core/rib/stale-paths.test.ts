/** Paths of peers that restart (RFC 4724), refresh (RFC 7313) or stay away (RFC 9494). */
import { describe, expect, it } from 'vitest';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, selectionOf, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { PeerIndex } from './types.js';

const V6 = ['fc00:1::/64', 'fc00:2::/64'];
const V4 = ['192.0.2.0/25'];
const LLGR_STALE = 0xffff0006;
const NO_LLGR = 0xffff0007;

function learned(rib: Rib, peer: PeerIndex, n = 1): void {
  feed(rib, peer, { announce: [...V6, ...V4], attributes: attributesFrom(n) });
  settle(rib);
}

function setUp() {
  const rib = new Rib({ localAs: LOCAL_AS });
  const peer = rib.addPeer(peerInfo(1));
  learned(rib, peer);
  return { rib, peer };
}

/** `text` of every path of a prefix: `1` fresh, `1*` stale. */
function pathsOf(rib: Rib, text: string): string[] {
  const id = rib.find(prefix(text));
  if (id === undefined) return [];
  return rib.explain(id).paths.map(({ peerName, stale }) => `${peerName.slice(5)}${stale ? '*' : ''}`);
}

const all = (rib: Rib) => [...V6, ...V4].map((text) => pathsOf(rib, text).join());

describe('a peer that restarts', () => {
  it('keeps its paths, stale and selected, and loses those of families that it does not preserve', () => {
    const { rib, peer } = setUp();
    rib.retainPeer(peer, ['ipv6-unicast']);
    settle(rib);
    expect(all(rib)).toEqual(['1*', '1*', '']);
    expect(selectionOf(rib, V6[0]!)?.best?.peerName).toBe('spine1');
  });

  it('keeps what it announces again, and loses the rest at End-of-RIB, family by family', () => {
    const { rib, peer } = setUp();
    rib.retainPeer(peer, ['ipv4-unicast', 'ipv6-unicast']);
    rib.returnPeer(peer, peerInfo(1));
    feed(rib, peer, { announce: [V6[0]!], attributes: attributesFrom(1) });
    expect(all(rib)).toEqual(['1', '1*', '1*']);
    rib.removeStale(peer, 'ipv6-unicast');
    settle(rib);
    expect(all(rib)).toEqual(['1', '', '1*']);
    expect(rib.counters(peer).paths).toBe(2);
  });

  it('causes no new decision when it says the same again', () => {
    const { rib, peer } = setUp();
    const told: number[] = [];
    rib.addSink({ prefixesChanged: (_ids, count) => void told.push(count) });
    rib.retainPeer(peer, ['ipv4-unicast', 'ipv6-unicast']);
    learned(rib, peer);
    rib.removeStale(peer, 'ipv6-unicast');
    rib.removeStale(peer, 'ipv4-unicast');
    settle(rib);
    expect(told).toEqual([]);
    expect(all(rib)).toEqual(['1', '1', '1']);
  });

  it('loses the old stale paths first when its session is lost a second time', () => {
    const { rib, peer } = setUp();
    rib.retainPeer(peer, ['ipv6-unicast']);
    rib.returnPeer(peer, peerInfo(1));
    feed(rib, peer, { announce: [V6[1]!], attributes: attributesFrom(1) });
    rib.retainPeer(peer, ['ipv6-unicast']);
    expect(all(rib)).toEqual(['', '1*', '']);
  });

  it('has fresh paths again after three restarts', () => {
    const { rib, peer } = setUp();
    for (let restart = 0; restart < 3; restart++) {
      rib.retainPeer(peer, ['ipv4-unicast', 'ipv6-unicast']);
      expect(all(rib)).toEqual(['1*', '1*', '1*']);
      learned(rib, peer);
      expect(all(rib)).toEqual(['1', '1', '1']);
      rib.removeStale(peer, 'ipv4-unicast');
      rib.removeStale(peer, 'ipv6-unicast');
      settle(rib);
    }
    expect(all(rib)).toEqual(['1', '1', '1']);
  });

  it('is forgotten whole when its time is over', () => {
    const { rib, peer } = setUp();
    const other = rib.addPeer(peerInfo(2));
    learned(rib, other, 2);
    rib.retainPeer(peer, ['ipv4-unicast', 'ipv6-unicast']);
    rib.removePeers([peer]);
    settle(rib);
    expect(all(rib)).toEqual(['2', '2', '2']);
    expect(rib.peer(peer)).toBeUndefined();
    expect(rib.addPeer(peerInfo(3))).toBe(peer);
    learned(rib, peer, 3);
    expect(all(rib)).toEqual(['2,3', '2,3', '2,3']);
  });
});

describe('a refresh that is marked', () => {
  it('removes what the peer does not say again, of that family only', () => {
    const { rib, peer } = setUp();
    rib.markStale(peer, 'ipv6-unicast');
    feed(rib, peer, { announce: [V6[1]!], attributes: attributesFrom(1) });
    rib.removeStale(peer, 'ipv6-unicast');
    settle(rib);
    expect(all(rib)).toEqual(['', '1', '1']);
  });

  it('starts over at a second beginning', () => {
    const { rib, peer } = setUp();
    rib.markStale(peer, 'ipv6-unicast');
    feed(rib, peer, { announce: [V6[1]!], attributes: attributesFrom(1) });
    rib.markStale(peer, 'ipv6-unicast');
    expect(all(rib)).toEqual(['1*', '1*', '1']);
    feed(rib, peer, { announce: [V6[0]!], attributes: attributesFrom(1) });
    rib.removeStale(peer, 'ipv6-unicast');
    settle(rib);
    expect(all(rib)).toEqual(['1', '', '1']);
  });

  it('may begin again before the end of the one before has been worked off', () => {
    const { rib, peer } = setUp();
    rib.markStale(peer, 'ipv6-unicast');
    feed(rib, peer, { announce: [V6[0]!], attributes: attributesFrom(1) });
    rib.removeStale(peer, 'ipv6-unicast');
    rib.markStale(peer, 'ipv6-unicast');
    expect(all(rib)).toEqual(['1*', '', '1']);
    feed(rib, peer, { announce: [V6[0]!], attributes: attributesFrom(1) });
    settle(rib);
    expect(all(rib)).toEqual(['1', '', '1']);
  });

  it('ends without harm when it did not begin', () => {
    const { rib, peer } = setUp();
    rib.removeStale(peer, 'ipv6-unicast');
    settle(rib);
    expect(all(rib)).toEqual(['1', '1', '1']);
  });
});

describe('a peer that stays away', () => {
  it('has its paths marked with LLGR_STALE, less preferred than any other, and fresh once they are announced again', () => {
    const { rib, peer } = setUp();
    const other = rib.addPeer(peerInfo(2));
    feed(rib, other, {
      announce: V6,
      attributes: attributesFrom(2, { asPath: [{ kind: 'sequence', asns: [2, 3, 4, 5] }] }),
    });
    rib.retainPeer(peer, ['ipv6-unicast']);
    settle(rib);
    expect(selectionOf(rib, V6[0]!)?.best?.peerName).toBe('spine1');
    rib.ageStale(peer, 'ipv6-unicast');
    settle(rib);
    const selection = selectionOf(rib, V6[0]!)!;
    expect([selection.best?.peerName, selection.decidedBy]).toEqual(['spine2', 'long-lived-stale']);
    expect(selection.fallback[0]).toMatchObject({ peerName: 'spine1', stale: true });
    expect(selection.fallback[0]?.attributes.communities).toEqual([LLGR_STALE]);
    learned(rib, peer);
    expect(selectionOf(rib, V6[0]!)?.best).toMatchObject({ peerName: 'spine1', stale: false });
  });

  it('keeps a path that is the only one, and loses those with NO_LLGR', () => {
    const { rib, peer } = setUp();
    feed(rib, peer, { announce: [V6[0]!], attributes: attributesFrom(1, { communities: [NO_LLGR] }) });
    rib.retainPeer(peer, ['ipv6-unicast']);
    rib.ageStale(peer, 'ipv6-unicast');
    settle(rib);
    expect(all(rib)).toEqual(['', '1*', '']);
    expect(selectionOf(rib, V6[1]!)?.best?.peerName).toBe('spine1');
  });
});

it('takes a path with LLGR_STALE from a neighbour as the last choice (RFC 9494 section 4.2)', () => {
  const rib = new Rib({ localAs: LOCAL_AS });
  const [stale, fresh] = [rib.addPeer(peerInfo(1)), rib.addPeer(peerInfo(2))];
  feed(rib, stale, { announce: V6, attributes: attributesFrom(1, { communities: [LLGR_STALE], localPref: 200 }) });
  feed(rib, fresh, { announce: V6, attributes: attributesFrom(2) });
  settle(rib);
  expect(selectionOf(rib, V6[0]!)?.best?.peerName).toBe('spine2');
});
