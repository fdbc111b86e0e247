/** Several paths of a prefix towards one session (RFC 7911): identifiers, what they last for, and which paths are told. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { FAMILIES } from '../net/family.js';
import { bound, policy, prefixes } from '../policy/policy.fixture.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { AdjRibOut } from './adj-rib-out.js';
import type { AdjRibOutMember, AdjRibOutOptions } from './adj-rib-out-types.js';
import type { PathSelections } from './chosen-paths.js';
import {
  attributesFrom,
  feed,
  LOCAL_AS,
  member,
  Neighbour,
  peerInfo,
  prefix,
  settle,
  tableTold,
} from './rib.fixture.js';
import { Rib } from './rib.js';

const P = '2001:db8:1::/64';
const Q = '2001:db8:2::/64';
const ALL: PathSelections = { 'ipv4-unicast': 'all', 'ipv6-unicast': 'all' };

function setUp(options: Partial<AdjRibOutOptions> = {}) {
  const rib = new Rib({ localAs: LOCAL_AS });
  const out = new AdjRibOut(rib, { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 1n, ...options });
  rib.addSink(out);
  const run = () => {
    settle(rib);
    while (out.pump(() => false));
  };
  const source = (n: number, colour?: number) => {
    const context = { fourOctetAs: true, addPath: FAMILIES, externalPeer: true, aigp: true };
    const colours = colour === undefined ? {} : { colour, sessionColours: true };
    const peer = rib.addPeer(peerInfo(n, { context, ...colours }));
    const tell = (text: string, pathId: number, changes: Partial<PathAttributes> = {}) =>
      feed(rib, peer, { announce: [text], attributes: attributesFrom(n, changes), pathId });
    return { peer, tell, withdraw: (text: string, pathId: number) => feed(rib, peer, { withdraw: [text], pathId }) };
  };
  const listener = (n: number, addPath: PathSelections, changes: Partial<AdjRibOutMember> = {}) => {
    const neighbour = new Neighbour(
      changes.external ?? true,
      FAMILIES.filter((family) => addPath[family] !== undefined),
    );
    const state = { open: true, messages: [] as Uint8Array[] };
    const peer = rib.addPeer(peerInfo(n));
    const session = member({
      peer,
      nextHop: { linkLocal: parseAddress(`fe80::1:${n}`)! },
      addPath,
      send: (bytes) => {
        neighbour.take(bytes);
        state.messages.push(bytes);
        return state.open;
      },
      ...changes,
    });
    out.join(session);
    return { peer, neighbour, state, held: () => [...neighbour.routes.keys()].sort() };
  };
  return { rib, out, run, source, listener };
}

const seen = (neighbour: Neighbour) =>
  [...neighbour.routes].map(([key, { attributes }]) => [key, attributes.asPath[0]!.asns[1]]);

describe('path identifiers', () => {
  it('are one a path, and a withdrawal takes only its own', () => {
    const { run, source, listener } = setUp();
    const [a, b] = [source(1), source(2)];
    const { neighbour, held } = listener(9, ALL);
    a.tell(P, 0);
    b.tell(P, 0);
    b.tell(P, 7, { med: 3, origin: 2 });
    run();
    expect(held()).toHaveLength(3);
    expect(seen(neighbour).map(([, asn]) => asn)).toEqual(expect.arrayContaining([65001, 65002, 65002]));
    const before = seen(neighbour);
    b.withdraw(P, 0);
    run();
    expect(before).toEqual(expect.arrayContaining(seen(neighbour)));
    expect(seen(neighbour).map(([, asn]) => asn)).toEqual(expect.arrayContaining([65001, 65002]));
    expect(held()).toHaveLength(2);
  });

  it('stay while the attributes of their path change, and are told to all sessions alike', () => {
    const { run, source, listener } = setUp();
    const a = source(1);
    const [one, other] = [listener(8, ALL), listener(9, { ...ALL, 'ipv6-unicast': { best: 3 } })];
    a.tell(P, 1);
    a.tell(P, 2, { origin: 1 });
    run();
    const before = one.held();
    expect(before).toHaveLength(2);
    expect(other.held()).toEqual(before);
    a.tell(P, 2, { origin: 2 });
    run();
    expect(one.held()).toEqual(before);
    expect([...one.neighbour.routes.values()].map(({ attributes }) => attributes.origin).sort()).toEqual([0, 2]);
  });

  it('are not those of the neighbour that sent the path', () => {
    const { run, source, listener } = setUp();
    const { neighbour } = listener(9, ALL);
    source(1).tell(P, 77);
    source(2).tell(P, 77);
    run();
    expect(new Set(neighbour.routes.keys()).size).toBe(2);
  });

  it('are not given to another path before the withdrawal is sent to everybody', () => {
    const { run, source, listener } = setUp();
    const a = source(1);
    const slow = listener(9, ALL);
    a.tell(P, 1);
    run();
    const [first] = slow.held();
    slow.state.open = false;
    a.tell(Q, 1);
    run();
    a.withdraw(P, 1);
    run();
    a.tell(P, 2);
    const fast = listener(8, ALL);
    run();
    expect(fast.held()).not.toContain(first);
  });

  it('come for each family that has them, and the other has its best path alone', () => {
    const { run, source, listener } = setUp();
    const { held } = listener(9, { 'ipv6-unicast': 'all' });
    const [a, b] = [source(1), source(2)];
    for (const text of [P, '10.0.0.0/8']) {
      a.tell(text, 1);
      b.tell(text, 1);
    }
    run();
    expect(held()).toEqual(['10.0.0.0/8', expect.stringContaining(`${P} path`), expect.stringContaining(`${P} path`)]);
    a.withdraw('10.0.0.0/8', 1);
    b.withdraw(P, 1);
    run();
    expect(held()).toEqual(['10.0.0.0/8', expect.stringContaining(`${P} path`)]);
  });

  it('count when messages are filled', () => {
    const { rib, run, source, listener } = setUp();
    const a = source(1);
    const { neighbour, state } = listener(9, ALL);
    const texts = Array.from({ length: 1000 }, (_, i) => `2001:db8:${(i + 1).toString(16)}::/64`);
    feed(rib, a.peer, { announce: texts, attributes: attributesFrom(1), pathId: 5 });
    run();
    expect(neighbour.routes.size).toBe(1000);
    for (const message of state.messages) expect(message.length).toBeLessThanOrEqual(4096);
    // 13 octets a route: four messages, and End-of-RIB of two families.
    expect(state.messages).toHaveLength(6);
  });

  it('are the same when the table is sent again, and under another policy', () => {
    const { out, run, source, listener } = setUp();
    const [a, b] = [source(1), source(2)];
    const { peer, neighbour, state, held } = listener(9, ALL);
    for (const text of [P, Q]) {
      a.tell(text, 1);
      b.tell(text, 1);
    }
    run();
    const before = held();
    const sent = state.messages.length;
    out.refresh(peer);
    run();
    expect(held()).toEqual(before);
    expect(state.messages.length).toBeGreaterThan(sent);
    const keep = policy('keep', { match: { prefixes: [prefixes(P)] }, action: 'reject' });
    out.changeSessions(new Map([[peer, { exportPolicy: bound([keep], { direction: 'export' }) }]]));
    run();
    expect(held()).toEqual(before.filter((key) => key.startsWith(Q)));
    expect(neighbour.routes.size).toBe(2);
    expect(out.withheld(peer)).toEqual([{ reason: 'rejected by export policy keep term 1', count: 2 }]);
  });
});

describe('which paths are told', () => {
  it('is never one that came from the session', () => {
    const { rib, out, run, source, listener } = setUp();
    const a = source(1);
    const { peer, held } = listener(9, ALL);
    a.tell(P, 1);
    feed(rib, peer, { announce: [P], attributes: attributesFrom(9) });
    run();
    expect(held()).toHaveLength(1);
    expect([...tableTold(out, peer, FAMILIES).keys()]).toEqual(held());
    expect(out.counters(peer).advertised).toBe(1);
    expect(out.withheld(peer)).toEqual([{ reason: 'it came from this neighbour', count: 1 }]);
  });

  it('is the best, then the best without that one, and so on', () => {
    const { run, source, listener } = setUp();
    const two = listener(9, { 'ipv6-unicast': { best: 2 } });
    const sources = [1, 2, 3].map((n) => source(n));
    for (const [i, origin] of ([0, 1, 2] as const).entries()) sources[i]!.tell(P, 1, { origin });
    run();
    const told = () => seen(two.neighbour).map(([, asn]) => asn);
    expect(told().sort()).toEqual([65001, 65002]);
    // Not the best path: nothing that is selected changes.
    sources[1]!.withdraw(P, 1);
    run();
    expect(told().sort()).toEqual([65001, 65003]);
    sources[0]!.withdraw(P, 1);
    run();
    expect(told()).toEqual([65003]);
  });

  it('is with multipath those equal to the best', () => {
    const { run, source, listener } = setUp();
    const { neighbour } = listener(9, { 'ipv6-unicast': 'multipath' });
    const sources = [1, 2, 3].map((n) => source(n));
    sources[0]!.tell(P, 1, { origin: 1 });
    sources[1]!.tell(P, 1, { origin: 1 });
    sources[2]!.tell(P, 1, { origin: 2 });
    run();
    expect(
      seen(neighbour)
        .map(([, asn]) => asn)
        .sort(),
    ).toEqual([65001, 65002]);
    sources[2]!.tell(P, 1, { origin: 0 });
    run();
    expect(seen(neighbour).map(([, asn]) => asn)).toEqual([65003]);
  });

  it('is in session mode a matter of the colour of the session', () => {
    const { run, source, listener } = setUp({ sessionColours: true });
    const { neighbour } = listener(9, ALL, { colour: 2 });
    const coloured = (colour: number) => ({ extendedCommunities: [colourCommunity(colour)] });
    source(1, 1).tell(P, 1, coloured(1));
    source(2, 2).tell(P, 1, coloured(2));
    source(3, 2).tell(P, 1);
    run();
    expect(
      seen(neighbour)
        .map(([, asn]) => asn)
        .sort(),
    ).toEqual([65002, 65003]);
  });

  it('does not concern sessions without identifiers, which hear of the best path alone', () => {
    const { run, source, listener } = setUp();
    const plain = listener(8, {}, { addPath: undefined });
    listener(9, ALL);
    const [a, b] = [source(1), source(2)];
    a.tell(P, 1);
    run();
    const before = plain.neighbour.messages;
    b.tell(P, 1, { origin: 2 });
    b.tell(P, 2, { origin: 2 });
    b.withdraw(P, 1);
    run();
    expect(plain.held()).toEqual([P]);
    expect(plain.neighbour.messages).toBe(before);
  });
});

const RECEIVING = { fourOctetAs: true, addPath: FAMILIES, externalPeer: true, aigp: true };

describe('the paths of a neighbour that restarts with other identifiers', () => {
  it('take no room from those that it sends again', () => {
    const { rib, run, source } = setUp();
    const a = source(1);
    for (let id = 1; id <= 40; id++) a.tell(P, id);
    run();
    rib.retainPeer(a.peer, ['ipv6-unicast']);
    rib.returnPeer(a.peer, peerInfo(1, { context: RECEIVING }));
    for (let id = 101; id <= 140; id++) a.tell(P, id);
    rib.removeStale(a.peer, 'ipv6-unicast');
    run();
    expect(rib.explain(rib.find(prefix(P))!).paths.map(({ pathId }) => pathId)).toHaveLength(40);
    for (let id = 201; id <= 240; id++) a.tell(P, id);
    expect(rib.counters(a.peer).paths).toBe(64);
  });

  it('are followed by a session that does not read, and by one that asks again meanwhile', () => {
    const { rib, out, run, source, listener } = setUp();
    const a = source(1);
    const [slow, fast] = [listener(9, ALL), listener(8, ALL)];
    a.tell(P, 1);
    a.tell(P, 2, { origin: 1 });
    run();
    slow.state.open = false;
    a.tell(Q, 9);
    run();
    rib.retainPeer(a.peer, ['ipv6-unicast']);
    run();
    out.refresh(fast.peer);
    rib.returnPeer(a.peer, peerInfo(1, { context: RECEIVING }));
    a.tell(P, 3);
    a.tell(P, 4, { origin: 1 });
    run();
    out.refresh(slow.peer);
    rib.removeStale(a.peer, 'ipv6-unicast');
    run();
    slow.state.open = true;
    out.resume(slow.peer);
    run();
    expect(fast.held()).toHaveLength(2);
    expect(slow.held()).toEqual(fast.held());
  });
});

describe('several paths from a route reflector', () => {
  it('have each the originator that said it, and none outside the AS', () => {
    const { rib, run, listener } = setUp({ clusterId: 77 });
    const client = (n: number) =>
      rib.addPeer(
        peerInfo(n, {
          context: { ...RECEIVING, externalPeer: false },
          ...{ external: false, asn: LOCAL_AS, byAddress: true, options: { reflectorClient: true } },
        }),
      );
    const inside = listener(9, ALL, { external: false, byAddress: true });
    const outside = listener(8, ALL, { byAddress: true });
    const attributes = { ...attributesFrom(1), localPref: 100 };
    const [one, two] = [client(21), client(22)];
    feed(rib, one, { announce: [P], attributes, pathId: 0 });
    feed(rib, two, { announce: [P], attributes, pathId: 5 });
    run();
    const told = ({ neighbour }: typeof inside) => [...neighbour.routes.values()].map(({ attributes: of }) => of);
    const identifiers = [one, two].map((peer) => rib.peer(peer)!.identifier);
    expect(
      told(inside)
        .map(({ originatorId }) => originatorId)
        .sort(),
    ).toEqual(identifiers);
    expect(told(inside).map(({ clusterList }) => clusterList)).toEqual([[77], [77]]);
    expect(told(outside).map(({ originatorId }) => originatorId)).toEqual([undefined, undefined]);
    feed(rib, one, { withdraw: [P], pathId: 0 });
    run();
    expect(told(inside).map(({ originatorId }) => originatorId)).toEqual([identifiers[1]]);
  });
});
