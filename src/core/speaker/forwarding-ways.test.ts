/** The prefixes of one change that have the same paths share what was made for the first of them. */
import { describe, expect, it } from 'vitest';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, settle } from '../rib/rib.fixture.js';
import { Rib } from '../rib/rib.js';
import type { Selection } from '../rib/types.js';
import { ForwardingWays } from './forwarding-ways.js';

const COLOURS = [1, 2, 3];

function setUp() {
  const rib = new Rib({ localAs: LOCAL_AS });
  const made: Selection[] = [];
  const ways = new ForwardingWays(rib, (id) => {
    const selection = rib.selection(id);
    made.push(selection);
    return { selection } as never;
  });
  const way = (text: string) => ways.of(rib.find(prefix(text))!);
  return { rib, made, way };
}

function prefixes(colour: number): string[] {
  return Array.from({ length: 20 }, (_, index) => `2001:db8:${colour}:${index}::/64`);
}

describe('forwarding ways', () => {
  it('are made once for all prefixes with the same paths, also where they come mixed up', () => {
    const { rib, made, way } = setUp();
    const peers = COLOURS.map((n) => rib.addPeer(peerInfo(n)));
    for (const [place, peer] of peers.entries()) {
      for (const colour of COLOURS) {
        const aigp = colour === COLOURS[place] ? { aigp: { metric: 1n, otherTlvs: [] } } : {};
        feed(rib, peer, { announce: prefixes(colour), attributes: attributesFrom(place + 1, aigp) });
      }
    }
    settle(rib);
    const lists = COLOURS.map(prefixes);
    for (let index = 0; index < 20; index++) for (const list of lists) way(list[index]!);
    expect(made.map(({ best }) => best?.peer)).toEqual(peers);
    expect(way(lists[1]![7]!)).toBe(way(lists[1]![19]!));
    expect(way(lists[1]![7]!)).not.toBe(way(lists[2]![7]!));
  });

  it.each([
    ['a peer', 2, {}],
    ['attributes', 1, { med: 7 }],
  ])('differ where %s does', (_, peer, changes) => {
    const { rib, made, way } = setUp();
    const peers = [rib.addPeer(peerInfo(1)), rib.addPeer(peerInfo(2))];
    feed(rib, peers[0]!, { announce: ['2001:db8:1::/48'], attributes: attributesFrom(1) });
    feed(rib, peers[peer - 1]!, { announce: ['2001:db8:2::/48'], attributes: attributesFrom(1, changes) });
    settle(rib);
    expect(way('2001:db8:1::/48')).not.toBe(way('2001:db8:2::/48'));
    expect(made).toHaveLength(2);
  });

  it('differ where a path more is selected, and where it is so in another part', () => {
    const { rib, made, way } = setUp();
    const peers = [rib.addPeer(peerInfo(1)), rib.addPeer(peerInfo(2))];
    const long = attributesFrom(2, { asPath: [{ kind: 'sequence', asns: [65002, 65003, 66000] }] });
    feed(rib, peers[0]!, {
      announce: ['2001:db8:1::/48', '2001:db8:2::/48', '2001:db8:3::/48'],
      attributes: attributesFrom(1),
    });
    feed(rib, peers[1]!, { announce: ['2001:db8:2::/48'], attributes: attributesFrom(2) });
    feed(rib, peers[1]!, { announce: ['2001:db8:3::/48'], attributes: long });
    settle(rib);
    const ways = [1, 2, 3].map((n) => way(`2001:db8:${n}::/48`));
    expect(new Set(ways).size).toBe(3);
    expect(made.map(({ primary, fallback }) => [primary.length, fallback.length])).toEqual([
      [1, 0],
      [2, 0],
      [1, 1],
    ]);
  });

  it('follow a session that is gone before its paths are', () => {
    const { rib, made, way } = setUp();
    const peers = [rib.addPeer(peerInfo(1)), rib.addPeer(peerInfo(2))];
    for (const [place, peer] of peers.entries())
      feed(rib, peer, { announce: ['2001:db8:1::/48', '2001:db8:2::/48'], attributes: attributesFrom(place + 1) });
    settle(rib);
    rib.removePeers([peers[0]!]);
    expect(way('2001:db8:1::/48')).toBe(way('2001:db8:2::/48'));
    expect(made.map(({ primary }) => primary.map(({ peer }) => peer))).toEqual([[peers[1]]]);
  });
});
