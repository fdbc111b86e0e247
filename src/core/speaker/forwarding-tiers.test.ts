/** What is remembered of a prefix's next hops says the same as its selection does, whatever came before. */
import { expect, it } from 'vitest';
import { Fib, type ForwardingWay } from '../fib/fib.js';
import { MemoryKernelTables } from '../fib/memory-tables.js';
import { attributesFrom, feed, LOCAL_AS, linkLocalOf, peerInfo, prefix, settle } from '../rib/rib.fixture.js';
import { Rib } from '../rib/rib.js';
import type { PathView, Selection } from '../rib/types.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import { linkBandwidthCommunity } from '../wire/bgp/link-bandwidth.js';
import { fibNextHops } from './fib-next-hops.js';
import { ForwardingTiers } from './forwarding-tiers.js';

const PEERS = [1, 2, 3, 4];
const TEXTS = Array.from({ length: 12 }, (_, index) => `2001:db8:${index}::/48`);

function setUp() {
  const rib = new Rib({ localAs: LOCAL_AS });
  const clock = { now: () => 0, schedule: () => () => {}, yield: (work: () => void) => queueMicrotask(work) };
  const tables = new MemoryKernelTables();
  const fib = new Fib({ tables, clock, log: { write: () => {} }, config: { buckets: 16, idleTimer: 1 } });
  const asked: Selection[] = [];
  const tiers = new ForwardingTiers(rib, fib, (selection) => {
    asked.push(selection);
    return { primary: fibNextHops(selection.primary, undefined), fallback: fibNextHops(selection.fallback, undefined) };
  });
  return { rib, tiers, asked, peers: PEERS.map((n) => rib.addPeer(peerInfo(n))) };
}

const links = (paths: readonly PathView[]) => paths.map(({ interfaceIndex }) => interfaceIndex).sort();
const linksOf = (way: ForwardingWay | undefined) =>
  (way?.tiers ?? []).map(({ members }) => members.map(({ interfaceIndex }) => interfaceIndex).sort());

/** Numbers below `limit`, the same in every run. */
function numbers(): (limit: number) => number {
  let state = 7;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % limit;
  };
}

it('are those of the selection, through announcements, withdrawals and sessions that end', () => {
  const { rib, tiers, asked, peers } = setUp();
  const below = numbers();
  let looks = 0;
  for (let round = 0; round < 60; round++) {
    for (let change = 0; change < 12; change++) {
      const place = below(PEERS.length);
      const text = TEXTS[below(TEXTS.length)]!;
      if (below(4) === 0) feed(rib, peers[place]!, { withdraw: [text] });
      else {
        const aigp = below(2) === 0 ? { aigp: { metric: BigInt(below(2)), otherTlvs: [] } } : {};
        const colours = below(3) === 0 ? [] : [colourCommunity(below(2))];
        const attributes = attributesFrom(PEERS[place]!, { med: below(40), extendedCommunities: colours, ...aigp });
        feed(rib, peers[place]!, { announce: [text], attributes });
      }
    }
    if (round % 10 === 9) {
      const place = below(PEERS.length);
      rib.removePeers([peers[place]!]);
      settle(rib);
      peers[place] = rib.addPeer(peerInfo(PEERS[place]!, { interfaceIndex: 10 + round }));
    }
    settle(rib);
    for (const id of rib.prefixIds()) {
      const { primary, fallback, best, colour, origin } = rib.selection(id);
      const way = tiers.wayOf(id);
      looks++;
      expect(way?.origin).toBe(best && origin);
      expect(way?.colour).toBe(colour);
      expect(way?.onFallback).toBe(best && colour !== undefined && best.attributes.aigp === undefined);
      expect(linksOf(way)).toEqual(best ? [links(primary), links(fallback)] : []);
    }
  }
  expect(asked.length).toBeLessThan(looks / 2);
});

it('are not remembered where a path has another next hop or a bandwidth of its own', () => {
  const { rib, tiers, asked, peers } = setUp();
  const bandwidth = { extendedCommunities: [linkBandwidthCommunity(65_001, 1e9)] };
  feed(rib, peers[0]!, { announce: [TEXTS[0]!], attributes: attributesFrom(1) });
  feed(rib, peers[0]!, { announce: [TEXTS[1]!], attributes: attributesFrom(1, { med: 3 }) });
  feed(rib, peers[0]!, {
    announce: [TEXTS[2]!],
    attributes: attributesFrom(1, { nextHop: { linkLocal: linkLocalOf(99) } }),
  });
  feed(rib, peers[0]!, { announce: [TEXTS[3]!], attributes: attributesFrom(1, bandwidth) });
  settle(rib);
  const [, , other] = [0, 1, 2, 3].map((index) => tiers.wayOf(rib.find(prefix(TEXTS[index]!))!)!);
  expect(asked.map(({ prefix: one }) => one)).toEqual([0, 2, 3].map((index) => prefix(TEXTS[index]!)));
  expect(other!.tiers[0].members[0]!.gateway).toEqual(linkLocalOf(99));
});
