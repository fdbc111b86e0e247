/** Import policies on the Adj-RIB-In: what they change, what they hide, and what a new one makes of the paths that are there. */
import { describe, expect, it } from 'vitest';
import { bound, policy, prefixes } from '../policy/policy.fixture.js';
import type { Policy } from '../policy/policy.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, settle } from './rib.fixture.js';
import { Rib } from './rib.js';

const A = 'fc00:1::/64';
const B = '10.0.0.0/8';

function setUp(...chains: readonly (readonly Policy[] | undefined)[]) {
  const rib = new Rib({ localAs: LOCAL_AS });
  const peers = chains.map((chain, index) =>
    rib.addPeer(peerInfo(index + 1, { importPolicy: chain && bound(chain, { interfaceName: `eth${index + 1}` }) })),
  );
  return { rib, peers };
}

function paths(rib: Rib, text = A) {
  settle(rib);
  return rib.explain(rib.find(prefix(text))!).paths;
}

const rejectAll = [policy('closed', { action: 'reject' })];
const preferred = [policy('prefer', { set: { localPref: 200 }, action: 'accept' })];

describe('an import policy', () => {
  it('keeps rejected paths, hidden with the policy and term that rejected them', () => {
    const { rib, peers } = setUp([policy('drain', { match: { origin: [2] } }, { name: 'rest', action: 'reject' })]);
    feed(rib, peers[0]!, { announce: [A], attributes: attributesFrom(1) });
    expect(paths(rib)).toMatchObject([{ status: 'hidden', reason: 'rejected by import policy drain term rest' }]);
    expect(rib.counters(peers[0]!)).toMatchObject({ paths: 1, accepted: 0 });
  });

  it('changes what the decision sees', () => {
    const { rib, peers } = setUp(undefined, preferred);
    for (const peer of peers) feed(rib, peer, { announce: [A], attributes: attributesFrom(peer) });
    expect(paths(rib)[0]).toMatchObject({ peerName: 'spine2', status: 'best', attributes: { localPref: 200 } });
    expect(rib.explain(rib.find(prefix(A))!).decidedBy).toBe('local-pref');
  });

  it('gives AIGP and colours that DPF then goes by', () => {
    const pin = [policy('pin', { set: { aigp: 0n, colour: 2 } })];
    const { rib, peers } = setUp(undefined, pin);
    for (const peer of peers) feed(rib, peer, { announce: [A], attributes: attributesFrom(peer) });
    settle(rib);
    expect(rib.selection(rib.find(prefix(A))!)).toMatchObject({
      best: { peerName: 'spine2' },
      fallback: [{ peerName: 'spine1' }],
      decidedBy: 'aigp',
      colour: 2,
    });
  });

  it('is asked per prefix where it looks at prefixes', () => {
    const only = policy('only', { match: { prefixes: [prefixes('10.0.0.0/8 8-32')] }, action: 'accept' });
    const { rib, peers } = setUp([only, ...rejectAll]);
    feed(rib, peers[0]!, { announce: [A, B, '10.1.0.0/16'], attributes: attributesFrom(1) });
    expect([A, B, '10.1.0.0/16'].map((text) => paths(rib, text)[0]!.status)).toEqual(['hidden', 'best', 'best']);
    expect(paths(rib)[0]!.reason).toBe('rejected by import policy closed term 1');
  });

  it('does not take its own prepending for a loop, and does not undo one', () => {
    const { rib, peers } = setUp([policy('longer', { set: { prepend: { own: 1 } } })], preferred);
    feed(rib, peers[0]!, { announce: [A], attributes: attributesFrom(1) });
    expect(paths(rib)[0]).toMatchObject({ status: 'best' });
    const looped = attributesFrom(2, { asPath: [{ kind: 'sequence', asns: [65002, LOCAL_AS] }] });
    feed(rib, peers[1]!, { announce: [B], attributes: looped });
    expect(paths(rib, B)[0]).toMatchObject({ status: 'hidden', reason: 'our own AS is in the AS path' });
  });

  it('sends packets to the next hop that it sets', () => {
    const address = Uint8Array.of(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x77);
    const { rib, peers } = setUp([policy('via', { set: { nextHop: address } })]);
    feed(rib, peers[0]!, { announce: [A], attributes: attributesFrom(1) });
    expect(paths(rib)[0]!.gateway).toEqual(address);
  });

  it('leaves no attributes behind when its paths go', () => {
    const { rib, peers } = setUp(preferred, rejectAll);
    for (let round = 0; round < 3; round++) {
      for (const peer of peers) feed(rib, peer, { announce: [A, B], attributes: attributesFrom(peer, { med: round }) });
      settle(rib);
    }
    // Received: one set for each family and peer. Made by the policy: one.
    expect(rib.totals().attributes).toBe(5);
    for (const peer of peers) feed(rib, peer, { withdraw: [A, B] });
    settle(rib);
    expect(rib.totals()).toMatchObject({ attributes: 0, paths: 0, prefixes: 0 });
  });

  it('is run once per set of attributes, however many routes have it', () => {
    const counted = policy('counted', { match: { asPath: ['_66000$'] }, set: { med: 7 } });
    const importPolicy = bound([counted]);
    let runs = 0;
    const evaluate = importPolicy.evaluate.bind(importPolicy);
    importPolicy.evaluate = (attributes, hits) => {
      runs++;
      return evaluate(attributes, hits);
    };
    const rib = new Rib({ localAs: LOCAL_AS });
    const peer = rib.addPeer(peerInfo(1, { importPolicy }));
    for (let i = 0; i < 50; i++) feed(rib, peer, { announce: [`10.${i}.0.0/16`], attributes: attributesFrom(1) });
    expect(runs).toBe(1);
    expect(paths(rib, '10.9.0.0/16')[0]!.attributes.med).toBe(7);
  });
});

describe('a new import policy', () => {
  it('starts from what was received, whatever the old one made of it', () => {
    const { rib, peers } = setUp([policy('twice', { set: { prepend: { own: 2 } } })]);
    feed(rib, peers[0]!, { announce: [A], attributes: attributesFrom(1) });
    const length = () => paths(rib)[0]!.attributes.asPath.flatMap(({ asns }) => asns).length;
    expect(length()).toBe(4);
    rib.reevaluate(peers[0]!, { importPolicy: bound([policy('once', { set: { prepend: { own: 1 } } })]) });
    expect(length()).toBe(3);
    rib.reevaluate(peers[0]!, { importPolicy: bound(rejectAll) });
    expect(paths(rib)[0]).toMatchObject({ status: 'hidden', reason: 'rejected by import policy closed term 1' });
    rib.reevaluate(peers[0]!, { importPolicy: undefined });
    expect(paths(rib)[0]).toMatchObject({ status: 'best', attributes: attributesFrom(1) });
    feed(rib, peers[0]!, { withdraw: [A] });
    settle(rib);
    expect(rib.totals().attributes).toBe(0);
  });

  it('touches no other peer, and tells the sinks only of what changed', () => {
    const { rib, peers } = setUp(undefined, undefined);
    feed(rib, peers[0]!, { announce: [A], attributes: attributesFrom(1) });
    feed(rib, peers[1]!, { announce: [B], attributes: attributesFrom(2) });
    settle(rib);
    const heard: string[] = [];
    rib.addSink({
      prefixesChanged: (ids, count) => {
        for (let i = 0; i < count; i++) heard.push(`${rib.prefixOf(ids[i]!).length}`);
      },
    });
    rib.reevaluate(peers[0]!, { importPolicy: bound(preferred) });
    settle(rib);
    expect(heard).toEqual(['64']);
  });

  it('is applied in steps that end when the time is over: KEEPALIVEs do not wait', () => {
    const { rib, peers } = setUp(undefined);
    for (let i = 0; i < 20; i++) {
      const announce = Array.from({ length: 250 }, (_, j) => `10.${i}.${j}.0/24`);
      feed(rib, peers[0]!, { announce, attributes: attributesFrom(1) });
    }
    settle(rib);
    rib.reevaluate(peers[0]!, { importPolicy: bound(rejectAll) });
    let steps = 1;
    while (rib.decide(() => true)) steps++;
    expect(steps).toBeGreaterThan(9);
    expect(rib.counters(peers[0]!)).toMatchObject({ paths: 5000, accepted: 0 });
  });

  it('counts for what comes in while the walk is still on, and for a peer that is gone it is nothing', () => {
    const { rib, peers } = setUp(undefined, undefined);
    feed(rib, peers[0]!, { announce: [A], attributes: attributesFrom(1) });
    rib.reevaluate(peers[0]!, { importPolicy: bound(rejectAll) });
    feed(rib, peers[0]!, { announce: [B], attributes: attributesFrom(1) });
    expect(paths(rib, B)[0]!.status).toBe('hidden');
    rib.reevaluate(peers[1]!, { importPolicy: bound(rejectAll) });
    rib.removePeers(peers);
    settle(rib);
    expect(rib.totals()).toMatchObject({ paths: 0, attributes: 0 });
  });
});
