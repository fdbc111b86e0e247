/** Export policies in the Adj-RIB-Out: who shares a group, what is sent, and what a new policy changes about it. */
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../net/address.js';
import { LOCAL_AS as POLICY_AS, policy, prefixes } from '../policy/policy.fixture.js';
import type { Policy } from '../policy/policy.js';
import { SessionPolicies } from '../policy/session-policy.js';
import { AdjRibOut } from './adj-rib-out.js';
import type { AdjRibOutMember } from './adj-rib-out-types.js';
import {
  attributesFrom,
  feed,
  gatewayText,
  LOCAL_AS,
  linkLocalOf,
  member,
  Neighbour,
  peerInfo,
  settle,
} from './rib.fixture.js';
import { Rib } from './rib.js';

const A = 'fc00:1::/64';
const B = 'fc00:2::/64';
const C = '10.0.0.0/8';

/** A spine with a source (peer 1) and receivers from peer 2 on. */
function setUp(receivers = 2) {
  const rib = new Rib({ localAs: LOCAL_AS });
  const out = new AdjRibOut(rib, { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 1n });
  rib.addSink(out);
  const source = rib.addPeer(peerInfo(1));
  const policies = new SessionPolicies();
  const bind = (peer: number, chain: readonly Policy[] | undefined) =>
    policies.bind(chain, {
      direction: 'export',
      session: { interfaceName: `eth${peer}`, neighbour: linkLocalOf(peer) },
      localAs: POLICY_AS,
      strict: false,
    });
  const open = new Map<number, boolean>();
  const neighbours = Array.from({ length: receivers }, () => new Neighbour());
  const join = (index: number, chain: readonly Policy[] | undefined, changes: Partial<AdjRibOutMember> = {}) => {
    const peer = rib.addPeer(peerInfo(index + 2));
    open.set(peer, true);
    const session = member({
      peer,
      nextHop: { linkLocal: linkLocalOf(0x100 + peer) },
      exportPolicy: bind(peer, chain),
      send: (bytes) => {
        neighbours[index]!.take(bytes);
        return open.get(peer)!;
      },
      ...changes,
    });
    out.join(session);
    return peer;
  };
  const announce = (...announced: string[]) =>
    feed(rib, source, { announce: announced, attributes: attributesFrom(1) });
  const work = () => {
    settle(rib);
    while (out.pump(() => false));
  };
  return { rib, out, source, neighbours, bind, join, announce, work, open };
}

const told = (neighbour: Neighbour) => [...neighbour.routes.keys()].sort();
const only = (...texts: string[]) => [
  policy('only', { match: { prefixes: [prefixes(...texts)] }, action: 'accept' }, { action: 'reject' }),
];
const med = (value: number) => [policy(`med${value}`, { set: { med: value } })];

describe('an export policy', () => {
  it('chooses per prefix what a neighbour is told', () => {
    const { neighbours, join, announce, work } = setUp();
    join(0, only(A));
    join(1, undefined);
    announce(A, B, C);
    work();
    expect(neighbours.map(told)).toEqual([[A], [C, A, B]]);
  });

  it('changes only what goes to its own sessions', () => {
    const { neighbours, join, announce, work } = setUp();
    join(0, med(5));
    join(1, med(6));
    announce(A);
    work();
    expect(neighbours.map(({ routes }) => routes.get(A)!.attributes.med)).toEqual([5, 6]);
  });

  it('that looks at the interface gives each its own', () => {
    const chain = [policy('one', { match: { interface: ['eth2'] }, action: 'reject' })];
    const { neighbours, join, announce, work } = setUp();
    join(0, chain);
    join(1, chain);
    announce(A);
    work();
    expect(neighbours.map(told)).toEqual([[], [A]]);
  });

  it('sends the next hop that it sets, and ourselves for the family that this is not for', () => {
    const global = parseAddress('2001:db8::1')!;
    const { neighbours, join, announce, work } = setUp();
    join(0, [policy('via', { set: { nextHop: global } })]);
    join(1, [policy('via4', { set: { nextHop: parseAddress('192.0.2.1')! } })]);
    announce(A, C);
    work();
    const gateways = (index: number, ...texts: string[]) =>
      texts.map((text) => gatewayText(neighbours[index]!.routes.get(text)!.attributes.nextHop));
    expect(gateways(0, A, C)).toEqual(['2001:db8::1', '2001:db8::1']);
    expect(gateways(1, A)).toEqual([formatAddress(linkLocalOf(0x103))]);
  });
});

describe('a new export policy', () => {
  it('sends what it changes and nothing else: withdrawals, announcements, other attributes', () => {
    const { out, neighbours, bind, join, announce, work } = setUp(1);
    const peer = join(0, only(A, B));
    announce(A, B, C);
    work();
    const before = neighbours[0]!.messages;
    out.changeSessions(new Map([[peer, { exportPolicy: bind(peer, only(B, C)) }]]));
    work();
    expect(told(neighbours[0]!)).toEqual([C, B]);
    expect(neighbours[0]!.messages - before).toBe(2);
    out.changeSessions(new Map([[peer, { exportPolicy: undefined }]]));
    work();
    expect(told(neighbours[0]!)).toEqual([C, A, B]);
  });

  it('leaves the other members of the group alone', () => {
    const { out, neighbours, bind, join, announce, work } = setUp(3);
    const peers = [0, 1, 2].map((index) => join(index, undefined));
    announce(A, B);
    work();
    const before = neighbours[2]!.messages;
    const chain = med(9);
    out.changeSessions(new Map(peers.slice(0, 2).map((peer) => [peer, { exportPolicy: bind(peer, chain) }])));
    work();
    expect(neighbours.map(({ routes }) => routes.get(A)!.attributes.med)).toEqual([9, 9, undefined]);
    expect(neighbours[2]!.messages).toBe(before);
    announce(C);
    work();
    expect(neighbours.map(({ routes }) => routes.get(C)!.attributes.med)).toEqual([9, 9, undefined]);
  });

  it('reaches a session that was not reading, and one that was still getting its first table', () => {
    const { out, neighbours, bind, join, announce, work, open } = setUp(2);
    const slow = join(0, undefined);
    announce(A);
    work();
    open.set(slow, false);
    announce(B);
    work();
    announce(C);
    work();
    const fresh = join(1, undefined);
    const chain = only(A, C);
    out.changeSessions(new Map([slow, fresh].map((peer) => [peer, { exportPolicy: bind(peer, chain) }])));
    work();
    open.set(slow, true);
    out.resume(slow);
    work();
    expect(neighbours.map(told)).toEqual([
      [C, A],
      [C, A],
    ]);
    expect(neighbours[1]!.endOfRib).toEqual(['ipv4-unicast', 'ipv6-unicast']);
  });

  it('works in slices, and holds nothing when the sessions are gone', () => {
    const { rib, out, source, bind, join, work } = setUp(2);
    const peers = [join(0, undefined), join(1, undefined)];
    for (let i = 0; i < 40; i++) {
      const announced = Array.from({ length: 250 }, (_, j) => `10.${i}.${j}.0/24`);
      feed(rib, source, { announce: announced, attributes: attributesFrom(1) });
    }
    work();
    out.changeSessions(new Map([[peers[0]!, { exportPolicy: bind(peers[0]!, med(1)) }]]));
    let slices = 1;
    while (out.pump(() => true)) slices++;
    expect(slices).toBeGreaterThan(3);
    for (const peer of peers) out.leave(peer);
    rib.removePeers([source, ...peers]);
    work();
    expect(rib.totals()).toMatchObject({ prefixes: 0, attributes: 0 });
  });
});
