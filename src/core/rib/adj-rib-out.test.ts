import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { originatedAttributes } from '../policy/dpf-policy.js';
import type { LogEvent } from '../ports/event-log.js';
import { colourOf } from '../wire/bgp/colour.js';
import { AdjRibOut } from './adj-rib-out.js';
import type { AdjRibOutMember, AdjRibOutOptions, SendCapabilities } from './adj-rib-out-types.js';
import {
  attributesFrom,
  feed,
  gatewayText,
  LOCAL_AS,
  member,
  Neighbour,
  peerInfo,
  prefix,
  SEND_CAPABILITIES,
  settle,
  updateBodies,
} from './rib.fixture.js';
import { Rib } from './rib.js';

const P = '2001:db8:1::/64';
const Q = '2001:db8:2::/64';

const CAPABILITIES = { ...SEND_CAPABILITIES, linkLocalNextHop: false };

function setUp(options: Partial<AdjRibOutOptions> = {}) {
  const rib = new Rib({ localAs: LOCAL_AS });
  const out = new AdjRibOut(rib, { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 1n, ...options });
  rib.addSink(out);
  return { rib, out };
}

/** A session that takes what it is sent while `open`; our own address on its link is fe80::1:N. */
function join(rib: Rib, out: AdjRibOut, n: number, changes: Partial<AdjRibOutMember> = {}) {
  const neighbour = new Neighbour();
  const messages: Uint8Array[] = [];
  const state = { open: true };
  const peer = rib.addPeer(peerInfo(n));
  const session = member({
    peer,
    nextHop: { linkLocal: parseAddress(`fe80::1:${n}`)! },
    capabilities: CAPABILITIES,
    send: (bytes) => {
      neighbour.take(bytes);
      messages.push(bytes);
      return state.open;
    },
    ...changes,
  });
  out.join(session);
  return { peer, neighbour, messages, state };
}

function run(rib: Rib, out: AdjRibOut): void {
  settle(rib);
  while (out.pump(() => false));
}

const held = ({ neighbour }: { neighbour: Neighbour }) => [...neighbour.routes.keys()].sort();

describe('a spine', () => {
  it('passes colour and AIGP + 1 on to the others with itself as next hop, and nothing back', () => {
    const { rib, out } = setUp();
    const [origin, other] = [join(rib, out, 1), join(rib, out, 2)];
    const { extendedCommunities } = originatedAttributes(3);
    const attributes = attributesFrom(1, {
      aigp: { metric: 0n, otherTlvs: [] },
      extendedCommunities: extendedCommunities!,
      med: 4,
    });
    feed(rib, origin.peer, { announce: [P], attributes });
    run(rib, out);
    expect(held(origin)).toEqual([]);
    const route = other.neighbour.routes.get(P)!.attributes;
    expect(route.aigp?.metric).toBe(1n);
    expect(colourOf(route)).toBe(3);
    expect(route.med).toBeUndefined();
    expect(route.asPath).toEqual([{ kind: 'sequence', asns: [LOCAL_AS, 65001, 66000] }]);
    expect(gatewayText(route.nextHop)).toBe('fe80::1:2');
    expect(out.counters(origin.peer)).toMatchObject({ advertised: 0 });
    expect(out.counters(other.peer)).toMatchObject({ advertised: 1 });
  });

  it('moves a prefix between the two peers that announce it (split horizon)', () => {
    const { rib, out } = setUp();
    const [a, b, c] = [join(rib, out, 1), join(rib, out, 2), join(rib, out, 3)];
    const shared = { asPath: [{ kind: 'sequence', asns: [66000] }] } as const;
    feed(rib, b.peer, { announce: [P], attributes: attributesFrom(2, shared) });
    run(rib, out);
    expect([a, b, c].map(held)).toEqual([[P], [], [P]]);
    // The lower router identifier takes over with attributes that go out as the same octets: the third need not know.
    const before = c.neighbour.messages;
    feed(rib, a.peer, { announce: [P], attributes: attributesFrom(1, shared) });
    run(rib, out);
    expect([a, b, c].map(held)).toEqual([[], [P], [P]]);
    expect(c.neighbour.messages).toBe(before);
    // And back, with other attributes.
    feed(rib, a.peer, { withdraw: [P] });
    feed(rib, b.peer, { announce: [P], attributes: attributesFrom(2) });
    run(rib, out);
    expect([a, b, c].map(held)).toEqual([[P], [], [P]]);
    expect(c.neighbour.routes.get(P)!.attributes.asPath[0]!.asns).toEqual([LOCAL_AS, 65002, 66000]);
  });

  it('sends nothing for a route that came and went, or did not change as exported', () => {
    const { rib, out } = setUp();
    const [a, b] = [join(rib, out, 1), join(rib, out, 2)];
    feed(rib, a.peer, { announce: [P], attributes: attributesFrom(1) });
    run(rib, out);
    const before = b.neighbour.messages;
    // MED does not leave the AS.
    feed(rib, a.peer, { announce: [P], attributes: attributesFrom(1, { med: 9 }) });
    feed(rib, a.peer, { announce: [Q], attributes: attributesFrom(1) });
    settle(rib);
    feed(rib, a.peer, { withdraw: [Q] });
    run(rib, out);
    expect(b.neighbour.messages).toBe(before);
  });

  it('does not show one peer the routes of a dead one', () => {
    const { rib, out } = setUp();
    const [a, b] = [join(rib, out, 1), join(rib, out, 2)];
    feed(rib, a.peer, { announce: [P, '10.0.0.0/8'], attributes: attributesFrom(1) });
    run(rib, out);
    expect(held(b)).toEqual(['10.0.0.0/8', P]);
    out.leave(a.peer);
    rib.removePeers([a.peer]);
    run(rib, out);
    expect(held(b)).toEqual([]);
  });
});

describe('a leaf', () => {
  it('sends every prefix with its colour everywhere, AIGP only on the session of that colour, and no transit', () => {
    const { rib, out } = setUp({ role: 'leaf' });
    const uplinks = [1, 2].map((n) => join(rib, out, n, { colour: n }));
    rib.originate(prefix(P), originatedAttributes(1));
    rib.originate(prefix(Q), originatedAttributes(2));
    rib.originate(prefix('2001:db8:3::/64'), originatedAttributes());
    feed(rib, uplinks[0]!.peer, { announce: ['2001:db8:9::/64'], attributes: attributesFrom(1) });
    run(rib, out);
    const metrics = uplinks.map(({ neighbour }) =>
      [P, Q, '2001:db8:3::/64', '2001:db8:9::/64'].map((text) => {
        const route = neighbour.routes.get(text)?.attributes;
        return route && [colourOf(route), route.aigp?.metric];
      }),
    );
    expect(metrics).toEqual([
      [[1, 0n], [2, undefined], [undefined, undefined], undefined],
      [[1, undefined], [2, 0n], [undefined, undefined], undefined],
    ]);
  });

  it('leaves colour out where it is not wanted, and AIGP where it is off', () => {
    const { rib, out } = setUp({ role: 'leaf', aigpOrigin: 5n });
    const plain = join(rib, out, 1, { colour: 1, sendColour: false });
    const off = join(rib, out, 2, { colour: 1, aigp: false });
    rib.originate(prefix(P), originatedAttributes(1));
    run(rib, out);
    const [first, second] = [plain, off].map(({ neighbour }) => neighbour.routes.get(P)!.attributes);
    expect([colourOf(first!), first!.aigp?.metric]).toEqual([undefined, 5n]);
    expect([colourOf(second!), second!.aigp?.metric]).toEqual([1, undefined]);
  });
});

describe('messages of a group', () => {
  it('are the same octets for members with the same next hop, and a copy for another', () => {
    const { rib, out } = setUp();
    const nextHop = { linkLocal: parseAddress('fe80::1')! };
    const source = join(rib, out, 1);
    const [a, b, c] = [join(rib, out, 2, { nextHop }), join(rib, out, 3, { nextHop }), join(rib, out, 4)];
    run(rib, out);
    feed(rib, source.peer, { announce: [P], attributes: attributesFrom(1) });
    run(rib, out);
    const last = [a, b, c].map(({ neighbour }) => gatewayText(neighbour.routes.get(P)!.attributes.nextHop));
    expect(last).toEqual(['fe80::1', 'fe80::1', 'fe80::1:4']);
    // The founder's next hop is in the shared octets; the others get copies of the same length.
    expect(new Set([a, b, c].map(({ messages }) => messages.at(-1)!.length)).size).toBe(1);
  });

  it('are shared as one object where nothing is to be patched', () => {
    const { rib, out } = setUp();
    const nextHop = { linkLocal: parseAddress('fe80::1')! };
    const source = join(rib, out, 1, { nextHop });
    const [a, b] = [join(rib, out, 2, { nextHop }), join(rib, out, 3, { nextHop })];
    feed(rib, source.peer, { announce: [P], attributes: attributesFrom(1) });
    run(rib, out);
    const announcements = [a, b].map(({ messages }) => messages.find((message) => message.length > 40));
    expect(announcements[0]).toBe(announcements[1]);
  });

  const forms: readonly [string, Partial<SendCapabilities>, string, number | undefined][] = [
    ['IPv6, link-local twice', {}, P, 32],
    ['IPv6, capability 77', { linkLocalNextHop: true }, P, 16],
    ['IPv4 over IPv6', {}, '10.0.0.0/8', 16],
    ['IPv4 without RFC 8950: not at all', { extendedNextHop: [] }, '10.0.0.0/8', undefined],
    ['a family that was not negotiated: not at all', { families: ['ipv4-unicast'] }, P, undefined],
  ];

  it.each(forms)('carry a next hop for %s', (_name, capabilities, text, octets) => {
    const { rib, out } = setUp({ role: 'leaf' });
    const uplink = join(rib, out, 1, { capabilities: { ...CAPABILITIES, ...capabilities } });
    rib.originate(prefix(text), originatedAttributes());
    run(rib, out);
    // Behind header, two lengths, and flags, type, length, AFI, SAFI of MP_REACH_NLRI stands the next hop's length.
    const reach = uplink.messages.find((message) => message[24] === 14);
    expect(reach?.[19 + 4 + 4 + 3]).toBe(octets);
    expect(held(uplink)).toEqual(octets === undefined ? [] : [text]);
  });

  it('differ between sessions that write their next hops differently', () => {
    const { rib, out } = setUp({ role: 'leaf' });
    const single = join(rib, out, 1, { capabilities: { ...CAPABILITIES, linkLocalNextHop: true } });
    const double = join(rib, out, 2);
    rib.originate(prefix(P), originatedAttributes());
    run(rib, out);
    for (const uplink of [single, double]) expect(held(uplink)).toEqual([P]);
    const [short, long] = [single, double].map(
      ({ messages }) => messages.find((message) => message[24] === 14)!.length,
    );
    expect(long! - short!).toBe(16);
  });

  it('are not made for attributes that fit in no message', () => {
    const events: LogEvent[] = [];
    const { rib, out } = setUp({ log: { write: (event) => events.push(event) } });
    const source = join(rib, out, 1);
    const extended = join(rib, out, 2, { capabilities: { ...CAPABILITIES, extendedMessage: true } });
    const classic = join(rib, out, 3);
    feed(rib, source.peer, { announce: [P], attributes: attributesFrom(1) });
    run(rib, out);
    expect(held(classic)).toEqual([P]);
    // Fits in the message that it came in, but not with our AS in front of the path.
    const large = attributesFrom(1, { unknown: [{ flags: 0xc0, type: 99, value: new Uint8Array(3992) }] });
    expect(updateBodies({ announce: [P], attributes: large })).toHaveLength(1);
    feed(rib, source.peer, { announce: [P], attributes: large });
    run(rib, out);
    expect(held(classic)).toEqual([]);
    expect(held(extended)).toEqual([P]);
    expect(events.map(({ message }) => message)).toEqual([expect.stringContaining('fit in no UPDATE')]);
  });
});

describe('End-of-RIB', () => {
  it('follows the table, once for each family', () => {
    const { rib, out } = setUp({ role: 'leaf' });
    rib.originate(prefix(P), originatedAttributes());
    settle(rib);
    const first = join(rib, out, 1);
    run(rib, out);
    const second = join(rib, out, 2);
    run(rib, out);
    for (const { neighbour, messages } of [first, second]) {
      expect(neighbour.endOfRib).toEqual(['ipv4-unicast', 'ipv6-unicast']);
      expect(messages).toHaveLength(3);
      expect(messages[0]!.length).toBeGreaterThan(40);
    }
  });

  it('is sent when there is nothing else to send', () => {
    const { rib, out } = setUp();
    const only = join(rib, out, 1);
    run(rib, out);
    expect(only.neighbour.endOfRib).toHaveLength(2);
    expect(out.hasWork).toBe(false);
  });

  it('is not repeated by a route refresh, which repeats the table', () => {
    const { rib, out } = setUp({ role: 'leaf' });
    const uplink = join(rib, out, 1);
    rib.originate(prefix(P), originatedAttributes());
    run(rib, out);
    const before = uplink.messages.length;
    let sentAtDone = 0;
    out.refresh(uplink.peer, () => {
      sentAtDone = uplink.messages.length;
    });
    rib.withdrawLocal(prefix(P));
    rib.originate(prefix(Q), originatedAttributes());
    run(rib, out);
    expect(sentAtDone).toBe(uplink.messages.length);
    expect(uplink.messages.length).toBeGreaterThan(before);
    expect(held(uplink)).toEqual([Q]);
    expect(uplink.neighbour.endOfRib).toHaveLength(2);
  });
});

describe('a session that does not read', () => {
  it('waits, and gets in the end what holds then, in bounded memory', () => {
    const { rib, out } = setUp({ role: 'leaf', logLimit: 500 });
    const [slow, quick] = [join(rib, out, 1), join(rib, out, 2)];
    run(rib, out);
    slow.state.open = false;
    for (let i = 0; i < 50; i++) {
      rib.originate(prefix(`2001:db8:${i}::/64`), originatedAttributes(i));
      if (i >= 10) rib.withdrawLocal(prefix(`2001:db8:${i - 10}::/64`));
      run(rib, out);
    }
    const stopped = slow.messages.length;
    expect(held(quick)).toHaveLength(10);
    expect(stopped).toBeLessThan(5);
    expect(out.counters(slow.peer).advertised).toBe(10);
    slow.state.open = true;
    out.resume(slow.peer);
    run(rib, out);
    expect(held(slow)).toEqual(held(quick));
    // Ten announcements and the withdrawals of what it had been told: not fifty of each.
    expect(slow.messages.length - stopped).toBeLessThan(15);
    out.leave(slow.peer);
    out.leave(quick.peer);
    for (let i = 40; i < 50; i++) rib.withdrawLocal(prefix(`2001:db8:${i}::/64`));
    run(rib, out);
    expect(rib.totals()).toEqual({ prefixes: 0, paths: 0, accepted: 0, attributes: 0, undecided: 0 });
  });

  it('gets what it had not read when the log was dropped', () => {
    const { rib, out } = setUp({ role: 'leaf', logLimit: 0 });
    const slow = join(rib, out, 1);
    run(rib, out);
    slow.state.open = false;
    for (const text of [P, Q, '10.0.0.0/8']) {
      rib.originate(prefix(text), originatedAttributes());
      run(rib, out);
    }
    expect(held(slow)).toEqual([P]);
    slow.state.open = true;
    out.resume(slow.peer);
    run(rib, out);
    expect(held(slow)).toEqual(['10.0.0.0/8', P, Q]);
  });

  it('is not told the withdrawal of its own routes, which it was not told', () => {
    const { rib, out } = setUp();
    const [first, slow] = [join(rib, out, 1), join(rib, out, 2)];
    out.leave(slow.peer);
    feed(rib, first.peer, { announce: [P], attributes: attributesFrom(1) });
    run(rib, out);
    const back = join(rib, out, 2);
    back.state.open = false;
    run(rib, out);
    expect(held(back)).toEqual([P]);
    feed(rib, back.peer, { announce: [Q], attributes: attributesFrom(2) });
    run(rib, out);
    const before = back.messages.length;
    back.state.open = true;
    out.resume(back.peer);
    run(rib, out);
    // End-of-RIB of the two families alone.
    expect(back.messages.length - before).toBe(2);
    expect(held(first)).toEqual([Q]);
  });

  it('can leave, and come back to a whole table', () => {
    const { rib, out } = setUp({ role: 'leaf' });
    const blocked = join(rib, out, 1);
    blocked.state.open = false;
    rib.originate(prefix(P), originatedAttributes());
    rib.originate(prefix(Q), originatedAttributes(2));
    run(rib, out);
    out.leave(blocked.peer);
    const back = join(rib, out, 1);
    run(rib, out);
    expect(held(back)).toEqual([P, Q]);
  });
});
