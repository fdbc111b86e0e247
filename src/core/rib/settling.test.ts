/** A peer that is just back is the last choice until it has settled. */
import { describe, expect, it } from 'vitest';
import { attributesFrom, feed, LOCAL_AS, peerInfo, selectionOf, settle } from './rib.fixture.js';
import { Rib } from './rib.js';

const SHARED = '2001:db8:1::/48';
const ALONE = '2001:db8:2::/48';
const aigp = (metric: bigint) => ({ aigp: { metric, otherTlvs: [] } });

/** Spine 1 is preferred by its AIGP, spines 2 and 3 stand behind it; a prefix of its own is known from spine 1 alone. */
function stage() {
  const rib = new Rib({ localAs: LOCAL_AS });
  const told: number[] = [];
  rib.addSink({ prefixesChanged: (_, count) => void told.push(count) });
  for (const n of [2, 3]) feed(rib, rib.addPeer(peerInfo(n)), { announce: [SHARED], attributes: attributesFrom(n) });
  settle(rib);
  const back = rib.addPeer(peerInfo(1));
  rib.settling(back);
  feed(rib, back, { announce: [SHARED, ALONE], attributes: attributesFrom(1, aigp(1n)) });
  settle(rib);
  const chosen = (text: string, set: 'primary' | 'fallback') =>
    selectionOf(rib, text)!
      [set].map(({ peerName }) => peerName)
      .toSorted();
  return { rib, back, told, chosen };
}

describe('a peer that is just back', () => {
  it('is behind those that were there all the time, however good its paths are', () => {
    const { rib, chosen } = stage();
    expect(chosen(SHARED, 'primary')).toEqual(['spine2', 'spine3']);
    expect(chosen(SHARED, 'fallback')).toEqual(['spine1']);
    expect(selectionOf(rib, SHARED)?.decidedBy).toBe('settling');
  });

  it('is used at once where there is no other', () => {
    const { chosen } = stage();
    expect(chosen(ALONE, 'primary')).toEqual(['spine1']);
  });

  it('is preferred once it has settled, and nothing is decided again where it is alone', () => {
    const { rib, back, told, chosen } = stage();
    told.length = 0;
    rib.settled(back);
    settle(rib);
    expect(chosen(SHARED, 'primary')).toEqual(['spine1']);
    expect(chosen(SHARED, 'fallback')).toEqual(['spine2', 'spine3']);
    expect(told).toEqual([1]);
    rib.settled(back);
    expect(rib.hasWork).toBe(false);
  });

  it('loses stale paths and settles in one walk', () => {
    const { rib, back, chosen } = stage();
    rib.markStale(back, 'ipv6-unicast');
    feed(rib, back, { announce: [SHARED], attributes: attributesFrom(1, aigp(1n)) });
    rib.settled(back);
    rib.removeStale(back, 'ipv6-unicast');
    settle(rib);
    expect(chosen(SHARED, 'primary')).toEqual(['spine1']);
    expect(selectionOf(rib, ALONE)?.best).toBeUndefined();
  });

  it('leaves nothing behind for the next peer of its index', () => {
    const { rib, back, chosen } = stage();
    rib.removePeers([back]);
    settle(rib);
    const next = rib.addPeer(peerInfo(4));
    expect(next).toBe(back);
    feed(rib, next, { announce: [SHARED], attributes: attributesFrom(4, aigp(1n)) });
    settle(rib);
    expect(chosen(SHARED, 'primary')).toEqual(['spine4']);
  });
});
