import { describe, expect, it } from 'vitest';
import { capturedMessages, captureNames } from '../../../test/harness/captured-messages.js';
import { IPV6, LOCAL, remoteOpen } from '../../../test/harness/peer-stage.js';
import { type Capability, MESSAGE_TYPE, type MessageError, type OpenMessage } from '../wire/bgp/message.js';
import { decodeOpen } from '../wire/bgp/open.js';
import { localOpen, negotiate } from './negotiate.js';
import type { Negotiated, PeerConfig } from './types.js';

const IPV4: Capability = { kind: 'multiprotocol', afi: 1, safi: 1 };
const IPV4_OVER_IPV6: Capability = { kind: 'extended-next-hop', entries: [{ afi: 1, safi: 1, nextHopAfi: 2 }] };
const as4 = (asn: number): Capability => ({ kind: 'four-octet-as', asn });
const addPath = (mode: number): Capability => ({ kind: 'add-path', families: [{ afi: 2, safi: 1, mode }] });

function outcome(local: Partial<PeerConfig>, remote: Partial<OpenMessage>): Negotiated | MessageError {
  const config = { ...LOCAL, ...local };
  return negotiate(localOpen(config), remoteOpen(remote), config);
}

function withCapabilities(...capabilities: Capability[]): Partial<OpenMessage> {
  return { capabilities: [as4(65002), ...capabilities] };
}

describe('our OPEN', () => {
  it('carries the families, the AS and the rest of the configuration', () => {
    const open = localOpen({ ...LOCAL, localAs: 4200000001, families: ['ipv4-unicast', 'ipv6-unicast'] });
    expect(open).toMatchObject({ version: 4, asn: 4200000001, asField: 23456, holdTime: 9, identifier: 0x0a000005 });
    expect(open.capabilities).toEqual([IPV4, IPV6, as4(4200000001), { kind: 'route-refresh' }]);
  });

  it('says AS_TRANS, and nothing of four octets, where those are switched off', () => {
    const open = localOpen({ ...LOCAL, localAs: 4200000001, fourOctetAs: false });
    expect(open.asField).toBe(23456);
    expect(open.capabilities.map(({ kind }) => kind)).not.toContain('four-octet-as');
  });
});

describe('the remote AS', () => {
  const accepted: Partial<PeerConfig> = { acceptRemoteAs: [{ kind: 'range', first: 65100, last: 65110 }] };
  const bad: [string, Partial<PeerConfig>, Partial<OpenMessage>, string][] = [
    [
      'outside the list',
      accepted,
      { asn: 65009 },
      'the neighbour is in AS 65009, which is not accepted here (accepted: 65100-65110)',
    ],
    [
      'our own where only others are accepted',
      {},
      { asn: 65001 },
      'the neighbour is in AS 65001, which is not accepted here (accepted: external)',
    ],
    [
      'AS_TRANS without a 4-octet AS',
      {},
      { asn: 23456, capabilities: [IPV6] },
      'the neighbour says its AS is 23456 (AS_TRANS), without a real one',
    ],
    [
      'two different ones',
      {},
      { asn: 65002, asField: 65003 },
      'the neighbour contradicts itself: AS 65003 in the OPEN, AS 65002 in its 4-octet AS capability',
    ],
  ];
  it.each(bad)('refused: %s', (_, local, remote, reason) => {
    expect(outcome(local, remote)).toMatchObject({ kind: 'error', code: 2, subcode: 2, reason });
  });

  it('is named in the data of the refusal', () => {
    expect(outcome(accepted, { asn: 65009 })).toMatchObject({ data: Uint8Array.of(0xfd, 0xf1) });
    expect(outcome(accepted, { asn: 4200000009 })).toMatchObject({ data: Uint8Array.of(0xfa, 0x56, 0xea, 0x09) });
  });

  const good: [string, Partial<PeerConfig>, Partial<OpenMessage>][] = [
    ['in a range', accepted, { asn: 65110 }],
    ['of four octets', {}, { asn: 4200000002 }],
    ['AS_TRANS in the field although the number would fit', {}, { asn: 65002, asField: 23456 }],
    [
      'our own when the rules say so',
      { acceptRemoteAs: [{ kind: 'range', first: 65001, last: 65001 }] },
      { asn: 65001 },
    ],
  ];
  it.each(good)('accepted: %s', (_, local, remote) => {
    expect(outcome(local, remote)).toMatchObject({ remoteAs: remote.asn });
  });
});

describe('the identifier', () => {
  const own: Partial<PeerConfig> = { acceptRemoteAs: [{ kind: 'range', first: 65001, last: 65001 }] };
  it('must differ inside one AS', () => {
    expect(outcome(own, { asn: 65001, identifier: LOCAL.identifier })).toMatchObject({
      kind: 'error',
      code: 2,
      subcode: 3,
      reason: expect.stringContaining('duplicate router-id'),
    });
  });

  it('may be equal between two ASs (RFC 6286)', () => {
    expect(outcome({}, { identifier: LOCAL.identifier })).toMatchObject({ remoteIdentifier: LOCAL.identifier });
  });
});

describe('address families', () => {
  it('are those of both sides', () => {
    const dual: Partial<PeerConfig> = { families: ['ipv4-unicast', 'ipv6-unicast'] };
    expect(outcome(dual, withCapabilities(IPV6, IPV4))).toMatchObject({ families: ['ipv4-unicast', 'ipv6-unicast'] });
    expect(outcome(dual, withCapabilities(IPV6))).toMatchObject({ families: ['ipv6-unicast'] });
  });

  it('mean IPv4 unicast when the neighbour names none (RFC 4760)', () => {
    expect(outcome({ families: ['ipv4-unicast'] }, withCapabilities())).toMatchObject({ families: ['ipv4-unicast'] });
  });

  it('refuse a neighbour that shares none, with ours in the data', () => {
    expect(outcome({}, withCapabilities(IPV4))).toEqual({
      kind: 'error',
      code: 2,
      subcode: 7,
      data: Uint8Array.of(1, 4, 0, 2, 0, 1),
      reason: 'no common address family: the neighbour carries ipv4-unicast, we ipv6-unicast',
    });
    expect(outcome({}, withCapabilities({ kind: 'multiprotocol', afi: 25, safi: 70 }))).toMatchObject({
      reason: 'no common address family: the neighbour carries none that we know, we ipv6-unicast',
    });
  });
});

describe('capabilities', () => {
  const flags = [
    ['extended-message', 'extendedMessage'],
    ['route-refresh', 'routeRefresh'],
    ['enhanced-route-refresh', 'enhancedRouteRefresh'],
    ['link-local-next-hop', 'linkLocalNextHop'],
    ['strict-bfd', 'strictBfd'],
  ] as const;
  it.each(flags)('%s counts only when both have it', (kind, flag) => {
    const none = { capabilities: [] };
    const some = { capabilities: [{ kind }] };
    expect(outcome(some, withCapabilities(IPV6, { kind }))).toMatchObject({ [flag]: true });
    expect(outcome(none, withCapabilities(IPV6, { kind }))).toMatchObject({ [flag]: false });
    expect(outcome(some, withCapabilities(IPV6))).toMatchObject({ [flag]: false });
  });

  it('four-octet AS counts only when the neighbour has it', () => {
    expect(outcome({}, withCapabilities(IPV6))).toMatchObject({ fourOctetAs: true });
    expect(outcome({}, { capabilities: [IPV6] })).toMatchObject({ fourOctetAs: false });
    expect(outcome({ fourOctetAs: false }, withCapabilities(IPV6))).toMatchObject({ fourOctetAs: false });
  });

  it('IPv6 next hops for IPv4 are agreed both ways', () => {
    const local: Partial<PeerConfig> = { families: ['ipv4-unicast', 'ipv6-unicast'], capabilities: [IPV4_OVER_IPV6] };
    expect(outcome(local, withCapabilities(IPV4, IPV6, IPV4_OVER_IPV6))).toMatchObject({
      extendedNextHop: ['ipv4-unicast'],
    });
    expect(outcome(local, withCapabilities(IPV4, IPV6))).toMatchObject({ extendedNextHop: [] });
    expect(outcome(local, withCapabilities(IPV6, IPV4_OVER_IPV6))).toMatchObject({ extendedNextHop: [] });
  });

  const directions: [number, number, boolean, boolean][] = [
    [1, 2, true, false],
    [2, 1, false, true],
    [3, 3, true, true],
    [3, 1, false, true],
    [1, 1, false, false],
    [2, 2, false, false],
  ];
  it.each(directions)('add-path: we say %d, the neighbour %d', (ours, theirs, receive, send) => {
    expect(outcome({ capabilities: [addPath(ours)] }, withCapabilities(IPV6, addPath(theirs)))).toMatchObject({
      addPathReceive: receive ? ['ipv6-unicast'] : [],
      addPathSend: send ? ['ipv6-unicast'] : [],
    });
  });

  it('that nobody here knows are ignored, and kept in the remote OPEN', () => {
    const dynamic: Capability = { kind: 'unknown', code: 67, value: new Uint8Array(0) };
    const agreed = outcome({}, withCapabilities(IPV6, dynamic));
    expect(agreed).toMatchObject({ families: ['ipv6-unicast'] });
    expect('remoteOpen' in agreed && agreed.remoteOpen.capabilities).toContainEqual(dynamic);
  });
});

describe('the hold time', () => {
  it.each([
    [9, 180, 9, 3],
    [180, 9, 9, 3],
    [90, 0, 0, 0],
    [0, 90, 0, 0],
  ])('ours %d, theirs %d: hold %d, keepalive %d', (ours, theirs, holdTime, keepaliveTime) => {
    expect(outcome({ holdTime: ours }, { holdTime: theirs })).toMatchObject({ holdTime, keepaliveTime });
  });
});

describe('OPENs of real speakers', () => {
  const heddle: PeerConfig = {
    ...LOCAL,
    localAs: 64999,
    families: ['ipv4-unicast', 'ipv6-unicast'],
    capabilities: [{ kind: 'route-refresh' }, { kind: 'extended-message' }, IPV4_OVER_IPV6, addPath(3)],
  };

  function agreements(capture: string, config = heddle): (Negotiated | MessageError)[] {
    const opens = capturedMessages(capture).filter(({ type }) => type === MESSAGE_TYPE.open);
    return opens.map(({ body }) => {
      const open = decodeOpen(body);
      return open.kind === 'error' ? open : negotiate(localOpen(config), open, config);
    });
  }

  it('agree with us in every capture', () => {
    const agreed = captureNames().flatMap((capture) => agreements(capture));
    expect(agreed.length).toBeGreaterThan(20);
    for (const one of agreed) {
      expect(one).toMatchObject({ fourOctetAs: true, families: expect.arrayContaining(['ipv6-unicast']) });
    }
  });

  it('agree on what FRR offers for IPv4 over IPv6', () => {
    const offers = agreements('j-enhe-ipv4-over-ipv6');
    expect(offers).toHaveLength(3);
    for (const agreed of offers) {
      expect(agreed).toMatchObject({
        families: ['ipv4-unicast', 'ipv6-unicast'],
        extendedNextHop: ['ipv4-unicast'],
        routeRefresh: true,
        extendedMessage: true,
      });
    }
  });

  it('are refused by an interface that takes other ASs', () => {
    const strict = { ...heddle, acceptRemoteAs: [{ kind: 'range' as const, first: 65100, last: 65110 }] };
    const refusals = agreements('h1-notification-bad-as', strict);
    expect(refusals.length).toBeGreaterThan(0);
    for (const refused of refusals) {
      expect(refused).toMatchObject({ code: 2, subcode: 2, reason: expect.stringContaining('accepted: 65100-65110') });
    }
  });
});
