/** Next hops that are looked up: which paths they hide and why, what they cost, and what a change of the way to them does. */
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { GivenReachability } from './reachability.fixture.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, selectionOf, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { RibPeerInfo } from './types.js';

const P = '2001:db8:100::/48';
const Q = '2001:db8:200::/48';
const H = '2001:db8:a::1';
const I = '2001:db8:a::2';

const via = (global: string, changes: Partial<PathAttributes> = {}) =>
  attributesFrom(1, { localPref: 100, nextHop: { global: parseAddress(global)! }, ...changes });

describe('a next hop that is looked up', () => {
  let reachability: GivenReachability;
  let rib: Rib;
  let told: string[];

  beforeEach(() => {
    reachability = new GivenReachability();
    rib = new Rib({ localAs: LOCAL_AS, reachability });
    told = [];
    rib.addSink({
      prefixesChanged: (ids, count) => {
        for (const id of ids.subarray(0, count)) told.push(way(selectionOfId(id)));
      },
    });
  });

  const selectionOfId = (id: number) => rib.selection(id);
  const way = ({ best }: ReturnType<Rib['selection']>) =>
    best?.resolution?.reaches.map(({ interfaceName }) => interfaceName).join(' ') ?? 'none';
  const peer = (changes: Partial<RibPeerInfo> = {}) =>
    rib.addPeer(
      peerInfo(1, { nextHops: 'anywhere', external: false, interfaceIndex: 0, interfaceName: '', ...changes }),
    );
  const reasons = () => rib.explain(rib.find(prefix(P))!).paths.map(({ reason }) => reason ?? 'usable');
  const change = (address: string, to: string | undefined) => {
    reachability.set(address, to);
    rib.reachabilityChanged();
    settle(rib);
  };

  it('hides its paths until a route leads there, and when that is gone', () => {
    feed(rib, peer(), { announce: [P], attributes: via(H) });
    settle(rib);
    expect(reasons()).toEqual([`next hop ${H} cannot be resolved: no route to it`]);
    change(H, '5 fe80::9%eth9');
    expect(reasons()).toEqual(['usable']);
    expect(selectionOf(rib, P)?.best).toMatchObject({ interfaceIndex: 9, interfaceName: 'eth9' });
    expect(selectionOf(rib, P)?.best?.gateway).toEqual(parseAddress('fe80::9'));
    expect(rib.totals().accepted).toBe(1);
    change(H, undefined);
    expect(selectionOf(rib, P)?.best).toBeUndefined();
    expect(rib.totals().accepted).toBe(0);
    expect(told).toEqual(['eth9', 'none']);
  });

  it('is the global address of a neighbour some hops away, whose link-local one is on no link of ours', () => {
    const linkLocal = parseAddress('fe80::77')!;
    reachability.set(H, '5 fe80::9%eth9');
    feed(rib, peer(), { announce: [P], attributes: via(H, { nextHop: { global: parseAddress(H)!, linkLocal } }) });
    settle(rib);
    expect(selectionOf(rib, P)?.best).toMatchObject({ interfaceIndex: 9, resolution: { cost: 5 } });
    feed(rib, peer({ address: parseAddress(I)! }), { announce: [P], attributes: via(H, { nextHop: { linkLocal } }) });
    settle(rib);
    expect(reasons().sort()).toEqual(['no usable next hop', 'usable']);
  });

  it('is not resolved by a default route', () => {
    reachability.hasDefault = true;
    feed(rib, peer(), { announce: [P], attributes: via(H) });
    settle(rib);
    expect(reasons()).toEqual([`next hop ${H} cannot be resolved: only the default route leads to it`]);
  });

  it('must not be our own address, even where a route leads to it', () => {
    reachability.set(H, 'link eth1');
    reachability.own = [H];
    feed(rib, peer(), { announce: [P], attributes: via(H) });
    settle(rib);
    expect(reasons()).toEqual(['the next hop is our own address']);
  });

  it.each<[string, Partial<RibPeerInfo>, string, string]>([
    [
      'of a subnet that we share is taken from an external neighbour one hop away',
      { external: true, nextHops: 'subnet' },
      'link eth1',
      'usable',
    ],
    [
      'behind a router is not',
      { external: true, nextHops: 'subnet' },
      '5 fe80::9%eth9',
      `next hop ${H} is not on the link`,
    ],
    ['behind a router is taken from one that is several hops away', { external: true }, '5 fe80::9%eth9', 'usable'],
  ])('%s', (_name, changes, to, reason) => {
    reachability.set(H, to);
    feed(rib, peer(changes), { announce: [P], attributes: via(H) });
    settle(rib);
    expect(reasons()).toEqual([reason]);
  });

  it('is not asked for where a link-local one came with it over the same link', () => {
    const both = { global: parseAddress(H)!, linkLocal: parseAddress('fe80::1')! };
    feed(rib, peer({ interfaceIndex: 4, interfaceName: 'eth4' }), {
      announce: [P],
      attributes: attributesFrom(1, { localPref: 100, nextHop: both }),
    });
    settle(rib);
    expect(selectionOf(rib, P)?.best).toMatchObject({
      interfaceName: 'eth4',
      gateway: parseAddress('fe80::1'),
      resolution: undefined,
    });
    expect(reachability.lookups).toBe(0);
  });

  it('that moves takes the paths along, and touches no others', () => {
    reachability.set(H, '5 fe80::9%eth9');
    reachability.set(I, '5 fe80::8%eth8');
    const [one, other] = [peer(), peer({ name: 'other', identifier: 2 })];
    feed(rib, one, { announce: [P], attributes: via(H) });
    feed(rib, other, { announce: [Q], attributes: via(I) });
    settle(rib);
    told = [];
    change(H, '5 fe80::9%eth7');
    expect(told).toEqual(['eth7']);
    change(H, '5 fe80::9%eth7');
    expect(told).toEqual(['eth7']);
    change(I, '5 fe80::8%eth8 fe80::9%eth9');
    expect(told).toEqual(['eth7', 'eth8 eth9']);
  });

  it('decides by its cost, and decides again when that changes', () => {
    reachability.set(H, '5 fe80::9%eth9');
    reachability.set(I, '6 fe80::8%eth8');
    feed(rib, peer(), { announce: [P], attributes: via(H) });
    feed(rib, peer({ name: 'other', identifier: 2 }), { announce: [P], attributes: via(I) });
    settle(rib);
    expect(selectionOf(rib, P)).toMatchObject({ decidedBy: 'interior-cost', best: { interfaceName: 'eth9' } });
    expect(selectionOf(rib, P)?.fallback).toMatchObject([{ interfaceName: 'eth8' }]);
    change(H, '7 fe80::9%eth9');
    expect(selectionOf(rib, P)).toMatchObject({ decidedBy: 'interior-cost', best: { interfaceName: 'eth8' } });
  });

  it('behind another is no fallback when both are reached the same way', () => {
    reachability.set(H, '5 fe80::9%eth9');
    reachability.set(I, '6 fe80::9%eth9 fe80::8%eth8');
    feed(rib, peer(), { announce: [P], attributes: via(H) });
    feed(rib, peer({ name: 'other', identifier: 2 }), { announce: [P], attributes: via(I) });
    settle(rib);
    expect(selectionOf(rib, P)?.fallback).toEqual([]);
  });

  it('is resolved once for all paths over it, and forgotten with the last', () => {
    reachability.set(H, '5 fe80::9%eth9');
    const index = peer();
    feed(rib, index, { announce: [P], attributes: via(H) });
    feed(rib, index, { announce: [Q], attributes: via(H, { med: 7 }) });
    settle(rib);
    expect(reachability.lookups).toBe(1);
    feed(rib, index, { withdraw: [P] });
    change(I, '1 fe80::1%eth1');
    expect(reachability.lookups).toBe(2);
    feed(rib, index, { withdraw: [Q] });
    settle(rib);
    change(I, '2 fe80::1%eth1');
    expect(reachability.lookups).toBe(2);
  });

  it('stays hidden for what else is wrong with a path', () => {
    const looped = via(H, { asPath: [{ kind: 'sequence', asns: [LOCAL_AS] }] });
    feed(rib, peer(), { announce: [P], attributes: looped });
    change(H, '5 fe80::9%eth9');
    expect(reasons()).toEqual(['our own AS is in the AS path']);
  });

  it('of paths that are kept through a restart counts too', () => {
    reachability.set(H, '5 fe80::9%eth9');
    const index = peer();
    feed(rib, index, { announce: [P], attributes: via(H) });
    settle(rib);
    rib.retainPeer(index, ['ipv6-unicast']);
    change(H, undefined);
    expect(selectionOf(rib, P)?.best).toBeUndefined();
    expect(rib.explain(rib.find(prefix(P))!).paths).toMatchObject([{ stale: true, status: 'hidden' }]);
  });

  it('is looked up after a change in slices, while decisions go on', () => {
    const index = peer();
    for (let n = 0; n < 600; n++) {
      const address = `2001:db8:a::${(n + 1).toString(16)}`;
      reachability.set(address, '5 fe80::9%eth9');
      feed(rib, index, { announce: [`2001:db8:${(n + 0x1000).toString(16)}::/48`], attributes: via(address) });
    }
    settle(rib);
    for (let n = 0; n < 600; n++) reachability.set(`2001:db8:a::${(n + 1).toString(16)}`, '5 fe80::8%eth8');
    rib.reachabilityChanged();
    expect(rib.decide(() => true)).toBe(true);
    feed(rib, index, { announce: [P], attributes: via(H) });
    rib.decide(() => true);
    expect(selectionOf(rib, P)?.best?.interfaceName).toBe('eth8');
    settle(rib);
    expect(new Set([...rib.prefixIds()].map((id) => rib.selection(id).best?.interfaceName))).toEqual(new Set(['eth8']));
  });
});
