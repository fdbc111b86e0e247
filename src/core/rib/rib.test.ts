import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../net/address.js';
import { formatPrefix } from '../net/prefix.js';
import { originatedAttributes } from '../policy/dpf-policy.js';
import type { LogEvent } from '../ports/event-log.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, selectionOf, settle, updateBodies } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { Selection } from './types.js';

const P = '2001:db8:1::/64';

function aigp(metric: bigint): Partial<PathAttributes> {
  return { aigp: { metric, otherTlvs: [] } };
}

function ribWithSpines(count: number) {
  const rib = new Rib({ localAs: LOCAL_AS });
  const spines = Array.from({ length: count }, (_, i) => rib.addPeer(peerInfo(i + 1)));
  return { rib, spines };
}

/** Every spine announces, each with its own attributes. */
function announceAll(rib: Rib, spines: readonly number[], changes: (spine: number) => Partial<PathAttributes>): void {
  for (const [i, peer] of spines.entries())
    feed(rib, peer, { announce: [P], attributes: attributesFrom(i + 1, changes(i + 1)) });
}

/** UPDATE bodies of spine `n` with `count` prefixes. */
function tableOf(n: number, count: number): Uint8Array[] {
  const announce = Array.from({ length: count }, (_, i) => `2001:db8:${i.toString(16)}::/64`);
  return updateBodies({ announce, attributes: attributesFrom(n) });
}

function receiveAll(rib: Rib, peers: readonly number[], tables: readonly Uint8Array[][]): void {
  for (const [i, peer] of peers.entries()) for (const body of tables[i]!) rib.receiveUpdate(peer, body);
}

function names(views: Selection['primary'] | undefined): string[] {
  return (views ?? []).map(({ peerName }) => peerName).sort();
}

describe('DPF selection', () => {
  it('puts the path with AIGP first and the equal others behind it', () => {
    const { rib, spines } = ribWithSpines(4);
    announceAll(rib, spines, (spine) => (spine === 3 ? aigp(1n) : {}));
    settle(rib);
    const selection = selectionOf(rib, P)!;
    expect(names(selection.primary)).toEqual(['spine3']);
    expect(names(selection.fallback)).toEqual(['spine1', 'spine2', 'spine4']);
    expect(selection.decidedBy).toBe('aigp');
    expect(selection.origin).toBe(66000);
  });

  it('uses all spines when none has AIGP, and has no fallback then', () => {
    const { rib, spines } = ribWithSpines(4);
    announceAll(rib, spines, () => ({}));
    settle(rib);
    const selection = selectionOf(rib, P)!;
    expect(names(selection.primary)).toEqual(['spine1', 'spine2', 'spine3', 'spine4']);
    expect(selection.primary[0]).toBe(selection.best);
    expect(selection.fallback).toEqual([]);
    expect(selection.best?.peerName).toBe('spine1');
  });

  it('moves to the fallback set when the preferred spine withdraws, and back', () => {
    const { rib, spines } = ribWithSpines(4);
    announceAll(rib, spines, (spine) => (spine === 1 ? aigp(0n) : {}));
    settle(rib);
    feed(rib, spines[0]!, { withdraw: [P] });
    settle(rib);
    expect(names(selectionOf(rib, P)!.primary)).toEqual(['spine2', 'spine3', 'spine4']);
    feed(rib, spines[0]!, { announce: [P], attributes: attributesFrom(1, aigp(0n)) });
    settle(rib);
    expect(names(selectionOf(rib, P)!.primary)).toEqual(['spine1']);
  });

  it('keeps a next hop of the primary set out of the fallback set', () => {
    const { rib, spines } = ribWithSpines(1);
    const twin = rib.addPeer(peerInfo(9, { address: parseAddress('fe80::9')!, interfaceIndex: 1 }));
    feed(rib, spines[0]!, { announce: [P], attributes: attributesFrom(1, aigp(1n)) });
    feed(rib, twin, { announce: [P], attributes: attributesFrom(9, { nextHop: attributesFrom(1).nextHop! }) });
    settle(rib);
    expect(names(selectionOf(rib, P)!.primary)).toEqual(['spine1']);
    expect(selectionOf(rib, P)!.fallback).toEqual([]);
  });

  it('has nothing behind a local route', () => {
    const { rib, spines } = ribWithSpines(1);
    feed(rib, spines[0]!, { announce: [P], attributes: attributesFrom(1, aigp(0n)) });
    rib.originate(prefix(P), originatedAttributes(3));
    settle(rib);
    const selection = selectionOf(rib, P)!;
    expect(selection).toMatchObject({ decidedBy: 'local-origin', colour: 3, origin: LOCAL_AS, fallback: [] });
    expect(selection.best).toMatchObject({ local: true, peerName: 'local' });
    expect(selection.best?.gateway).toBeUndefined();
  });
});

describe('eligibility', () => {
  const cases: readonly { name: string; announce: string; attributes: PathAttributes; reason?: string }[] = [
    { name: 'a link-local next hop', announce: P, attributes: attributesFrom(1) },
    {
      name: 'our AS in the path',
      announce: P,
      attributes: attributesFrom(1, { asPath: [{ kind: 'sequence', asns: [65001, LOCAL_AS, 66000] }] }),
      reason: 'our own AS is in the AS path',
    },
    {
      name: 'a global next hop elsewhere',
      announce: P,
      attributes: attributesFrom(1, { nextHop: { global: parseAddress('2001:db8::1')! } }),
      reason: 'next hop 2001:db8::1 is not on the link',
    },
    {
      name: 'a global next hop with a link-local one',
      announce: P,
      attributes: attributesFrom(1, {
        nextHop: { global: parseAddress('2001:db8::1')!, linkLocal: parseAddress('fe80::1')! },
      }),
    },
    {
      name: 'an IPv4 route with an IPv4 next hop',
      announce: '10.0.0.0/24',
      attributes: attributesFrom(1, { nextHop: { global: parseAddress('192.0.2.1')! } }),
      reason: 'next hop 192.0.2.1 is not on the link',
    },
    { name: 'an IPv4 route with a link-local next hop', announce: '10.0.0.0/24', attributes: attributesFrom(1) },
    {
      name: 'a next hop of ours',
      announce: P,
      attributes: attributesFrom(1, { nextHop: { linkLocal: peerInfo(1).localAddress } }),
      reason: 'the next hop is our own address',
    },
  ];

  it.each(cases)('judges $name', ({ announce, attributes, reason }) => {
    const { rib, spines } = ribWithSpines(1);
    feed(rib, spines[0]!, { announce: [announce], attributes });
    settle(rib);
    const explanation = rib.explain(rib.find(prefix(announce))!);
    expect(explanation.paths).toHaveLength(1);
    expect(explanation.paths[0]).toMatchObject(
      reason === undefined ? { status: 'best', gateway: parseAddress('fe80::1') } : { status: 'hidden', reason },
    );
    expect(rib.counters(spines[0]!)).toMatchObject({ paths: 1, accepted: reason === undefined ? 1 : 0 });
    expect(rib.totals().accepted).toBe(reason === undefined ? 1 : 0);
  });

  // RFC 4271 section 6.3, RFC 4291 section 2.5, RFC 6890.
  it.each(['fe80::/10', 'fe80::/64', 'febf::1/128', 'ff00::/8', 'ff02::1/128', '::/128', '::1/128'])(
    'hides %s, which is no destination beyond one link',
    (text) => expectHidden(text, true),
  );

  it.each([
    '0.0.0.0/8',
    '127.0.0.0/8',
    '127.0.0.1/32',
    '224.0.0.0/3',
    '224.0.0.0/4',
    '239.1.0.0/16',
    '255.255.255.255/32',
  ])('hides %s as well', (text) => expectHidden(text, true));

  it.each([
    '::/0',
    'fe00::/9',
    'fec0::/10',
    'fc00::/7',
    '::2/128',
    '::/127',
    '0.0.0.0/0',
    '128.0.0.0/1',
    '126.0.0.0/8',
    '223.255.255.0/24',
  ])('takes %s', (text) => expectHidden(text, false));

  function expectHidden(text: string, hidden: boolean): void {
    const { rib, spines } = ribWithSpines(1);
    feed(rib, spines[0]!, { announce: [text], attributes: attributesFrom(1) });
    settle(rib);
    const [path] = rib.explain(rib.find(prefix(text))!).paths;
    const reason = 'the prefix is no unicast destination beyond one link';
    expect(path).toMatchObject(hidden ? { status: 'hidden', reason } : { status: 'best' });
  }

  it('takes a next hop that is the peer itself', () => {
    const rib = new Rib({ localAs: LOCAL_AS });
    const address = parseAddress('2001:db8::7')!;
    const peer = rib.addPeer(peerInfo(7, { address }));
    feed(rib, peer, { announce: [P], attributes: attributesFrom(7, { nextHop: { global: address } }) });
    settle(rib);
    expect(formatAddress(selectionOf(rib, P)!.best!.gateway!)).toBe('2001:db8::7');
  });
});

describe('receiving', () => {
  function ribWithLog(changes: Parameters<typeof peerInfo>[1] = {}) {
    const events: LogEvent[] = [];
    const rib = new Rib({ localAs: LOCAL_AS, log: { write: (event) => events.push(event) } });
    return { rib, events, peer: rib.addPeer(peerInfo(1, changes)) };
  }

  it('ignores a family that was not negotiated, and says so', () => {
    const { rib, events, peer } = ribWithLog({ families: ['ipv4-unicast'] });
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1) });
    expect(rib.totals().paths).toBe(0);
    expect(events.map(({ message }) => message)).toEqual([
      'spine1: UPDATE with errors (1 so far), ignored routes of AFI 2 SAFI 1: not negotiated',
    ]);
  });

  it('does not keep the octets of the message', () => {
    const { rib, peer } = ribWithLog();
    const attributes = attributesFrom(1, { unknown: [{ flags: 0xe0, type: 99, value: Uint8Array.of(1, 2, 3) }] });
    const [body] = updateBodies({ announce: [P], attributes });
    rib.receiveUpdate(peer, body!);
    body!.fill(0xff);
    settle(rib);
    expect(selectionOf(rib, P)!.best!.attributes).toEqual(attributes);
  });

  it('reports End-of-RIB', () => {
    const { rib, peer } = ribWithLog();
    expect(rib.receiveUpdate(peer, new Uint8Array(4))).toEqual({ kind: 'end-of-rib', family: 'ipv4-unicast' });
    const ipv6 = Uint8Array.of(0, 0, 0, 6, 0x80, 15, 3, 0, 2, 1);
    expect(rib.receiveUpdate(peer, ipv6)).toEqual({ kind: 'end-of-rib', family: 'ipv6-unicast' });
  });

  it('treats a route with a missing attribute as withdrawn (RFC 7606)', () => {
    const { rib, events, peer } = ribWithLog();
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1) });
    const [body] = updateBodies({ announce: [P], attributes: attributesFrom(1) });
    // Without its last attribute but one octet pair: ORIGIN made an unknown optional non-transitive attribute.
    const at = body!.findIndex((octet, i) => octet === 0x40 && body![i + 1] === 1 && body![i + 2] === 1);
    body!.set([0x80, 200], at);
    expect(rib.receiveUpdate(peer, body!)).toBeUndefined();
    settle(rib);
    expect(rib.find(prefix(P))).toBeUndefined();
    expect(rib.counters(peer)).toMatchObject({ errors: 1, paths: 0 });
    expect(events.at(-1)?.message).toContain('treat-as-withdraw');
  });

  it('ignores what means nothing on the session, and counts no fault: LOCAL_PREF of an external neighbour (RFC 4271 section 5.1.5)', () => {
    const { rib, events, peer } = ribWithLog();
    feed(rib, peer, {
      announce: [P],
      attributes: attributesFrom(1, { localPref: 777, originatorId: 7, clusterList: [1] }),
    });
    settle(rib);
    const { attributes } = selectionOf(rib, P)!.best!;
    expect([attributes.localPref, attributes.originatorId, attributes.clusterList]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(rib.counters(peer)).toMatchObject({ errors: 0, paths: 1 });
    expect(events).toEqual([]);
  });

  it('counts a fault beside what it ignores', () => {
    const { rib, events, peer } = ribWithLog();
    const [body] = updateBodies({
      announce: [P],
      attributes: attributesFrom(1, { localPref: 777, atomicAggregate: true }),
    });
    // ATOMIC_AGGREGATE has no flag Optional.
    const at = body!.findIndex((octet, i) => octet === 0x40 && body![i + 1] === 6 && body![i + 2] === 0);
    body![at] = 0xc0;
    rib.receiveUpdate(peer, body!);
    expect(rib.counters(peer)).toMatchObject({ errors: 1 });
    expect(events.at(-1)?.message).toMatch(/ATOMIC_AGGREGATE: wrong flags$/);
  });

  it('asks for the end of the session when prefixes cannot be parsed', () => {
    const { rib, peer } = ribWithLog();
    const body = Uint8Array.of(0, 1, 33, 0, 0);
    expect(rib.receiveUpdate(peer, body)).toMatchObject({ kind: 'error', code: 3, subcode: 10 });
    expect(rib.receiveUpdate(peer, new Uint8Array(0))).toMatchObject({ kind: 'error', code: 3 });
    // The bad message leaves nothing behind for the next one.
    expect(rib.receiveUpdate(peer, new Uint8Array(4))).toMatchObject({ kind: 'end-of-rib' });
  });

  it('masks host bits and keeps families and lengths apart', () => {
    const { rib, peer } = ribWithLog();
    const attributes = attributesFrom(1);
    feed(rib, peer, { announce: ['0.0.0.0/0', '::/0', '10.0.0.0/8', '10.0.0.0/9', '2001:db8::/32'], attributes });
    const [body] = updateBodies({ announce: ['2001:db8::/33'], attributes });
    const at = body!.indexOf(33);
    body![at + 5] = 0x7f;
    rib.receiveUpdate(peer, body!);
    settle(rib);
    const found = [...rib.prefixIds()].map((id) => formatPrefix(rib.prefixOf(id))).sort();
    expect(found).toEqual(['0.0.0.0/0', '10.0.0.0/8', '10.0.0.0/9', '2001:db8::/32', '2001:db8::/33', '::/0']);
  });

  it('keeps paths of one session apart by path identifier (RFC 7911)', () => {
    const context = { fourOctetAs: true, addPath: ['ipv6-unicast'] as const, externalPeer: true, aigp: true };
    const { rib, peer } = ribWithLog({ context });
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1), pathId: 0xffffffff });
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, aigp(4n)), pathId: 7 });
    settle(rib);
    const paths = rib.explain(rib.find(prefix(P))!).paths;
    expect(paths.map(({ pathId, status }) => [pathId, status])).toEqual([
      [7, 'best'],
      [0xffffffff, 'lost'],
    ]);
    feed(rib, peer, { withdraw: [P], pathId: 7 });
    settle(rib);
    expect(selectionOf(rib, P)!.best?.pathId).toBe(0xffffffff);
  });

  it('keeps 64 paths of one prefix from one session, and says what it leaves out', () => {
    const context = { fourOctetAs: true, addPath: ['ipv6-unicast'] as const, externalPeer: true, aigp: true };
    const { rib, peer, events } = ribWithLog({ context });
    const announce = (pathId: number) => feed(rib, peer, { announce: [P], attributes: attributesFrom(1), pathId });
    for (let pathId = 1; pathId <= 70; pathId++) announce(pathId);
    settle(rib);
    expect(rib.counters(peer)).toMatchObject({ paths: 64, errors: 6 });
    expect(events[0]?.message).toContain('ignored 1 path: more than 64 of one prefix');
    feed(rib, peer, { withdraw: [P], pathId: 3 });
    announce(70);
    announce(70);
    settle(rib);
    expect(rib.counters(peer)).toMatchObject({ paths: 64, errors: 6 });
  });

  it('uses a next hop once, however many paths lead over it, and each of several (RFC 7911)', () => {
    const context = { fourOctetAs: true, addPath: ['ipv6-unicast'] as const, externalPeer: true, aigp: true };
    const { rib, peer } = ribWithLog({ context });
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, aigp(1n)), pathId: 1 });
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1), pathId: 2 });
    const other = { nextHop: { linkLocal: parseAddress('fe80::77')! } };
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, other), pathId: 3 });
    settle(rib);
    const { primary, fallback } = selectionOf(rib, P)!;
    expect(primary.map(({ pathId }) => pathId)).toEqual([1]);
    expect(fallback.map(({ pathId }) => pathId)).toEqual([3]);
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1), pathId: 1 });
    settle(rib);
    const all = selectionOf(rib, P)!;
    expect(all.primary.map(({ pathId }) => pathId).sort()).toEqual([1, 2, 3]);
    feed(rib, peer, { withdraw: [P], pathId: 2 });
    settle(rib);
    expect(
      selectionOf(rib, P)!
        .primary.map(({ pathId }) => pathId)
        .sort(),
    ).toEqual([1, 3]);
  });

  it('ignores UPDATEs of a peer that is gone', () => {
    const { rib, peer } = ribWithLog();
    rib.removePeers([peer]);
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1) });
    settle(rib);
    expect(rib.totals()).toMatchObject({ prefixes: 0, paths: 0 });
  });
});

describe('sinks', () => {
  function recorded(rib: Rib): string[] {
    const seen: string[] = [];
    rib.addSink({
      prefixesChanged: (ids, count) => {
        for (const id of ids.subarray(0, count)) seen.push(formatPrefix(rib.prefixOf(id)));
      },
    });
    return seen;
  }

  it('hears only of selections that changed', () => {
    const { rib, spines } = ribWithSpines(2);
    const seen = recorded(rib);
    feed(rib, spines[0]!, { announce: [P], attributes: attributesFrom(1, aigp(1n)) });
    settle(rib);
    feed(rib, spines[0]!, { announce: [P], attributes: attributesFrom(1, aigp(1n)) });
    settle(rib);
    expect(seen).toEqual([P]);
    const long: PathAttributes['asPath'] = [{ kind: 'sequence', asns: [65002, 66000] }];
    feed(rib, spines[1]!, { announce: [P], attributes: attributesFrom(2, { asPath: long, ...aigp(3n) }) });
    settle(rib);
    // It became the fallback.
    expect(seen).toEqual([P, P]);
  });

  it('hears nothing of a route that came and went, or of hidden paths', () => {
    const { rib, spines } = ribWithSpines(2);
    const seen = recorded(rib);
    feed(rib, spines[0]!, { announce: [P], attributes: attributesFrom(1) });
    feed(rib, spines[0]!, { withdraw: [P] });
    settle(rib);
    const looped: PathAttributes['asPath'] = [{ kind: 'sequence', asns: [LOCAL_AS] }];
    feed(rib, spines[1]!, { announce: [P], attributes: attributesFrom(2, { asPath: looped }) });
    settle(rib);
    expect(seen).toEqual([]);
  });

  it('can still read a prefix whose last path is gone', () => {
    const { rib, spines } = ribWithSpines(1);
    feed(rib, spines[0]!, { announce: [P], attributes: attributesFrom(1) });
    settle(rib);
    const seen = recorded(rib);
    const bests: unknown[] = [];
    rib.addSink({ prefixesChanged: (ids) => bests.push(rib.selection(ids[0]!).best) });
    rib.removePeers(spines);
    settle(rib);
    expect(seen).toEqual([P]);
    expect(bests).toEqual([undefined]);
    expect(rib.find(prefix(P))).toBeUndefined();
  });
});

describe('peers that go', () => {
  it('removes the paths of all that died together in slices, and reuses everything', () => {
    const { rib, spines } = ribWithSpines(4);
    const tables = [1, 2, 3, 4].map((n) => tableOf(n, 5000));
    for (let round = 0; round < 2; round++) {
      const peers = round === 0 ? spines : [1, 2, 3, 4].map((n) => rib.addPeer(peerInfo(n)));
      receiveAll(rib, peers, tables);
      settle(rib);
      expect(rib.totals()).toEqual({ prefixes: 5000, paths: 20000, accepted: 20000, attributes: 4, undecided: 0 });
      expect(rib.prefixIdEnd).toBe(5000);
      rib.removePeers(peers.slice(0, 3));
      let slices = 1;
      while (rib.decide(() => true)) slices++;
      expect(slices).toBeGreaterThan(3);
      expect(rib.totals()).toMatchObject({ prefixes: 5000, paths: 5000, attributes: 1 });
      expect(names(selectionOf(rib, '2001:db8:1387::/64')!.primary)).toEqual(['spine4']);
      rib.removePeers(peers.slice(3));
      settle(rib);
      expect(rib.totals()).toEqual({ prefixes: 0, paths: 0, accepted: 0, attributes: 0, undecided: 0 });
    }
  });

  it('does not use the paths of a dead peer while they are being removed', () => {
    const { rib, spines } = ribWithSpines(2);
    announceAll(rib, spines, () => ({}));
    settle(rib);
    rib.removePeers([spines[0]!]);
    expect(names(selectionOf(rib, P)!.primary)).toEqual(['spine2']);
  });

  it('decides without a dead peer before its paths are gone', () => {
    const { rib, spines } = ribWithSpines(2);
    announceAll(rib, spines, (spine) => (spine === 1 ? aigp(0n) : aigp(9n)));
    settle(rib);
    rib.removePeers([spines[0]!]);
    feed(rib, spines[1]!, { announce: [P], attributes: attributesFrom(2, aigp(8n)) });
    // What arrived goes before the walk.
    expect(rib.decide(() => true)).toBe(true);
    expect(rib.totals().paths).toBe(2);
    expect(selectionOf(rib, P)!.best?.peerName).toBe('spine2');
  });

  it('takes peers that die during a walk in the next one', () => {
    const { rib, spines } = ribWithSpines(3);
    const tables = [1, 2, 3].map((n) => tableOf(n, 5000));
    receiveAll(rib, spines, tables);
    settle(rib);
    rib.removePeers([spines[0]!]);
    rib.decide(() => true);
    rib.removePeers([spines[1]!]);
    settle(rib);
    expect(rib.totals()).toMatchObject({ paths: 5000, attributes: 1 });
    expect(rib.peer(spines[1]!)).toBeUndefined();
  });
});

describe('age of a path', () => {
  it('counts from its coming, or from its last change of attributes', () => {
    let now = 5_000;
    const rib = new Rib({ localAs: LOCAL_AS, now: () => now });
    const peer = rib.addPeer(peerInfo(1));
    const changedAt = (): number | undefined => {
      settle(rib);
      return selectionOf(rib, P)?.best?.changedAt;
    };
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1) });
    expect(changedAt()).toBe(5_000);
    now = 9_000;
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1) });
    expect(changedAt()).toBe(5_000);
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, aigp(1n)) });
    expect(changedAt()).toBe(9_000);
  });
});
