/** What an operator sees of paths that are not used and of routes that are not told: counts by reason. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { originatedAttributes } from '../policy/dpf-policy.js';
import { bound, policy, prefixes } from '../policy/policy.fixture.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import { AdjRibOut } from './adj-rib-out.js';
import type { AdjRibOutMember, AdjRibOutOptions } from './adj-rib-out-types.js';
import { attributesFrom, feed, LOCAL_AS, member, peerInfo, prefix, SEND_CAPABILITIES, settle } from './rib.fixture.js';
import { Rib } from './rib.js';

const P = '2001:db8:1::/64';
const Q = '2001:db8:2::/64';
const R = '2001:db8:3::/64';

describe('the census of a peer', () => {
  it('counts its hidden paths by reason and its stale ones, and leaves other peers out', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const peer = rib.addPeer(peerInfo(1));
    const other = rib.addPeer(peerInfo(2));
    const looped = attributesFrom(1, { asPath: [{ kind: 'sequence', asns: [65001, LOCAL_AS] }] });
    const away = attributesFrom(1, { nextHop: { global: parseAddress('2001:db8::9')! } });
    feed(rib, peer, { announce: [P, Q], attributes: looped });
    feed(rib, peer, { announce: [R], attributes: away });
    feed(rib, peer, { announce: ['2001:db8:4::/64'], attributes: attributesFrom(1) });
    feed(rib, other, { announce: [P], attributes: attributesFrom(2) });
    settle(rib);
    const hidden = [
      { reason: 'our own AS is in the AS path', count: 2 },
      { reason: 'next hop 2001:db8::9 is not on the link', count: 1 },
    ];
    expect(rib.census(peer)).toEqual({ hidden, stale: 0 });
    expect(rib.census(other)).toEqual({ hidden: [], stale: 0 });
    rib.retainPeer(peer, ['ipv6-unicast']);
    settle(rib);
    feed(rib, peer, { announce: [R], attributes: away });
    settle(rib);
    expect(rib.census(peer)).toEqual({ hidden, stale: 3 });
  });

  it('names the term of the import policy, prefix by prefix', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const drain = policy(
      'drain',
      { match: { prefixes: [prefixes(P)] }, action: 'reject' },
      { match: { prefixes: [prefixes(Q)] }, action: 'reject' },
    );
    const peer = rib.addPeer(peerInfo(1, { importPolicy: bound([drain]) }));
    feed(rib, peer, { announce: [P, Q, R], attributes: attributesFrom(1) });
    settle(rib);
    expect(
      rib
        .census(peer)
        .hidden.map(({ reason }) => reason)
        .sort(),
    ).toEqual(['rejected by import policy drain term 1', 'rejected by import policy drain term 2']);
  });

  it('counts reasons that a peer invents without end together', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const peer = rib.addPeer(peerInfo(1));
    for (let n = 0; n < 40; n++) {
      const nextHop = { global: parseAddress(`2001:db8::${(n + 1).toString(16)}`)! };
      feed(rib, peer, { announce: [`2001:db8:${n}::/64`], attributes: attributesFrom(1, { nextHop }) });
    }
    settle(rib);
    const { hidden } = rib.census(peer);
    expect(hidden[0]).toEqual({ reason: 'other reasons', count: 24 });
    expect(hidden).toHaveLength(17);
  });
});

it('the paths of a prefix are counted as they are explained, those of dead peers left out', () => {
  const rib = new Rib({ localAs: LOCAL_AS });
  const peers = [1, 2, 3].map((n) => rib.addPeer(peerInfo(n)));
  for (const [index, peer] of peers.entries())
    feed(rib, peer, { announce: [P], attributes: attributesFrom(index + 1) });
  settle(rib);
  const id = rib.find(prefix(P))!;
  expect(rib.pathCount(id)).toBe(3);
  rib.removePeers([peers[1]!]);
  expect(rib.pathCount(id)).toBe(2);
  expect(rib.explain(id).paths).toHaveLength(2);
});

const CAPABILITIES = { ...SEND_CAPABILITIES, extendedNextHop: [], linkLocalNextHop: false };

function told(options: Partial<AdjRibOutOptions>, changes: Partial<AdjRibOutMember>) {
  const rib = new Rib({ localAs: LOCAL_AS });
  const out = new AdjRibOut(rib, { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 1n, ...options });
  rib.addSink(out);
  const [source, peer] = [rib.addPeer(peerInfo(1)), rib.addPeer(peerInfo(2))];
  feed(rib, source, { announce: [P], attributes: attributesFrom(1) });
  feed(rib, source, { announce: [Q], attributes: attributesFrom(1, { communities: [0xffffff01] }) });
  feed(rib, peer, { announce: [R], attributes: attributesFrom(2) });
  rib.originate(prefix('2001:db8:4::/64'), originatedAttributes());
  rib.originate(prefix('192.0.2.0/24'), originatedAttributes());
  settle(rib);
  const nextHop = { linkLocal: parseAddress('fe80::99')! };
  out.join(member({ peer, nextHop, capabilities: CAPABILITIES, send: () => true, ...changes }));
  while (out.pump(() => false));
  return { withheld: out.withheld(peer), advertised: out.counters(peer).advertised };
}

describe('what a neighbour is not told', () => {
  it('is counted by reason', () => {
    const { withheld, advertised } = told({}, {});
    expect(advertised).toBe(2);
    expect(withheld.map(({ reason, count }) => `${count} ${reason}`).sort()).toEqual([
      '1 it came from this neighbour',
      '1 it has the community no-export',
      '1 the session cannot carry ipv4-unicast with our next hop',
    ]);
  });

  it('is all that is learned, from a leaf', () => {
    const { withheld, advertised } = told({ role: 'leaf' }, {});
    expect(advertised).toBe(1);
    expect(withheld[0]).toEqual({ reason: 'a leaf carries no transit: it tells only what it originates', count: 2 });
  });

  it('is what the policy rejects, by term', () => {
    const exportPolicy = bound([policy('quiet', { action: 'reject' })], { direction: 'export' });
    const { withheld, advertised } = told({}, { exportPolicy });
    expect(advertised).toBe(0);
    expect(withheld).toContainEqual({ reason: 'rejected by export policy quiet term 1', count: 2 });
  });

  it('is what has no path of the colour of the session', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const options: AdjRibOutOptions = { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 1n };
    const out = new AdjRibOut(rib, { ...options, sessionColours: true });
    rib.addSink(out);
    const source = rib.addPeer(peerInfo(1));
    feed(rib, source, { announce: [P], attributes: attributesFrom(1, { extendedCommunities: [colourCommunity(1)] }) });
    settle(rib);
    const peer = rib.addPeer(peerInfo(2));
    const nextHop = { linkLocal: parseAddress('fe80::99')! };
    out.join(member({ peer, nextHop, capabilities: CAPABILITIES, colour: 2, send: () => true }));
    while (out.pump(() => false));
    expect(out.withheld(peer)).toEqual([{ reason: 'no path of colour 2', count: 1 }]);
  });
});
