/** Sessions that are told something else by their options: groups, default routes, reflection; changed while they are up. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { bound, policy, prefixes } from '../policy/policy.fixture.js';
import { hex } from '../wire/bgp/octets.js';
import { AdjRibOut } from './adj-rib-out.js';
import type { AdjRibOutMember } from './adj-rib-out-types.js';
import { DEFAULT_PREFIXES } from './default-routes.js';
import {
  attributesFrom,
  feed,
  gatewayText,
  LOCAL_AS,
  member,
  Neighbour,
  peerInfo,
  SEND_CAPABILITIES,
  settle,
  tableTold,
} from './rib.fixture.js';
import { Rib } from './rib.js';
import type { RibPeerInfo } from './types.js';

const A = '2001:db8:1::/64';
const B = '10.0.0.0/8';
const CLUSTER = 0x0a0000ff;
const GLOBAL = '2001:db8::9';

interface Changes {
  readonly info?: Partial<RibPeerInfo>;
  readonly member?: Partial<AdjRibOutMember>;
}

class Router {
  readonly rib = new Rib({ localAs: LOCAL_AS, identifier: 1, clusterId: CLUSTER });
  readonly out: AdjRibOut;

  constructor(options: { readonly clusterId?: number } = { clusterId: CLUSTER }) {
    this.out = new AdjRibOut(this.rib, { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 0n, aigpStep: 1n, ...options });
    this.rib.addSink(this.out);
  }

  session(n: number, { info = {}, member: changes = {} }: Changes = {}) {
    const { external = true, options } = info;
    const neighbour = new Neighbour(external);
    const peer = this.rib.addPeer(peerInfo(n, info));
    const session = member({
      peer,
      external,
      nextHop: { linkLocal: parseAddress(`fe80::1:${n}`)! },
      options,
      send: (bytes) => {
        neighbour.take(bytes);
        return true;
      },
      ...changes,
    });
    this.out.join(session);
    return { peer, neighbour, told: (text: string) => neighbour.routes.get(text)?.attributes };
  }

  work(): void {
    settle(this.rib);
    while (this.out.pump(() => false));
  }
}

const inside: Changes = { info: { external: false } };
const client: Changes = { info: { external: false, options: { reflectorClient: true } } };
const fromInside = (n: number) =>
  attributesFrom(n, {
    asPath: [{ kind: 'sequence', asns: [66_000] }],
    localPref: 150,
    nextHop: { global: parseAddress(GLOBAL)! },
  });

describe('a route reflector', () => {
  function reflector() {
    const router = new Router();
    const sessions = {
      one: router.session(1, client),
      two: router.session(2, client),
      plain: router.session(3, inside),
      other: router.session(4, inside),
      outside: router.session(5),
    };
    return { router, ...sessions };
  }

  it('tells the route of a client to all but that client, with who said it and the cluster', () => {
    const { router, one, two, plain, outside } = reflector();
    feed(router.rib, one.peer, {
      announce: [A],
      attributes: { ...fromInside(1), nextHop: { linkLocal: parseAddress('fe80::1')! } },
    });
    router.work();
    for (const { told } of [two, plain])
      expect(told(A)).toMatchObject({ originatorId: 1, clusterList: [CLUSTER], localPref: 150 });
    expect(one.told(A)).toBeUndefined();
    expect(outside.told(A)).not.toHaveProperty('originatorId');
  });

  it('tells the route of a non-client to clients only', () => {
    const { router, one, two, plain, other, outside } = reflector();
    feed(router.rib, plain.peer, {
      announce: [A],
      attributes: { ...fromInside(3), nextHop: { linkLocal: parseAddress('fe80::3')! } },
    });
    router.work();
    for (const { told } of [one, two]) expect(told(A)).toMatchObject({ originatorId: 3, clusterList: [CLUSTER] });
    expect(other.told(A)).toBeUndefined();
    expect(outside.told(A)).toBeDefined();
  });

  it('keeps the originator of a route that was reflected before', () => {
    const { router, one, plain } = reflector();
    const attributes = {
      ...fromInside(3),
      originatorId: 77,
      clusterList: [5],
      nextHop: { linkLocal: parseAddress('fe80::3')! },
    };
    feed(router.rib, plain.peer, { announce: [A], attributes });
    router.work();
    expect(one.told(A)).toMatchObject({ originatorId: 77, clusterList: [CLUSTER, 5] });
  });

  it('gives equal attributes of two clients the originator of each', () => {
    const { router, one, two, plain } = reflector();
    const attributes = { ...fromInside(1), nextHop: { linkLocal: parseAddress('fe80::1')! } };
    feed(router.rib, one.peer, { announce: [A], attributes });
    feed(router.rib, two.peer, { announce: [B], attributes });
    router.work();
    expect([A, B].map((text) => plain.told(text)?.originatorId)).toEqual([1, 2]);
    router.rib.removePeers([one.peer, two.peer]);
    for (const session of [one, two]) router.out.leave(session.peer);
    router.work();
    expect(plain.neighbour.routes.size).toBe(0);
    expect(router.rib.totals()).toMatchObject({ prefixes: 0, attributes: 0 });
  });

  it('is none without a cluster', () => {
    const router = new Router({});
    const one = router.session(1, client);
    const two = router.session(2, client);
    feed(router.rib, one.peer, {
      announce: [A],
      attributes: { ...fromInside(1), nextHop: { linkLocal: parseAddress('fe80::1')! } },
    });
    router.work();
    expect(two.told(A)).toBeUndefined();
  });
});

describe('a default route', () => {
  const DEFAULT = '::/0';
  const texts = ['0.0.0.0/0', DEFAULT];
  const told = ({ neighbour }: { readonly neighbour: Neighbour }) => [...neighbour.routes.keys()].sort();

  it('is told of each family, from ourselves, and is no route of the RIB', () => {
    const router = new Router();
    const taker = router.session(1, { member: { defaultRoute: {} } });
    const other = router.session(2);
    router.work();
    expect(told(taker)).toEqual(texts);
    expect(taker.told(DEFAULT)?.asPath).toEqual([{ kind: 'sequence', asns: [LOCAL_AS] }]);
    expect(gatewayText(taker.told(DEFAULT)?.nextHop)).toBe('fe80::1:1');
    expect(told(other)).toEqual([]);
    expect(router.out.counters(taker.peer).advertised).toBe(2);
    expect(router.rib.totals().prefixes).toBe(0);
    expect([...router.rib.prefixIds()]).toEqual([]);
  });

  it('stands before one that the RIB has, for that session', () => {
    const router = new Router();
    const source = router.session(3);
    const taker = router.session(1, { member: { defaultRoute: {} } });
    const other = router.session(2);
    feed(router.rib, source.peer, { announce: [DEFAULT], attributes: attributesFrom(3) });
    router.work();
    expect(taker.told(DEFAULT)?.asPath[0]?.asns).toEqual([LOCAL_AS]);
    expect(other.told(DEFAULT)?.asPath[0]?.asns).toHaveLength(3);
    feed(router.rib, source.peer, { withdraw: [DEFAULT] });
    router.work();
    expect(told(taker)).toEqual(texts);
    expect(told(other)).toEqual([]);
  });

  it('is withdrawn when it is not wanted any more, and the route of the RIB takes its place', () => {
    const router = new Router();
    const source = router.session(3);
    const taker = router.session(1, { member: { defaultRoute: {} } });
    feed(router.rib, source.peer, { announce: [DEFAULT], attributes: attributesFrom(3) });
    router.work();
    router.out.changeSessions(new Map([[taker.peer, { defaultRoute: undefined }]]));
    router.work();
    expect(told(taker)).toEqual([DEFAULT]);
    expect(taker.told(DEFAULT)?.asPath[0]?.asns).toHaveLength(3);
    router.out.changeSessions(new Map([[taker.peer, { defaultRoute: {} }]]));
    router.work();
    expect(told(taker)).toEqual(texts);
    for (const { peer } of [source, taker]) router.out.leave(peer);
    router.rib.removePeers([source.peer, taker.peer]);
    router.work();
    for (const family of ['ipv4-unicast', 'ipv6-unicast'] as const)
      expect(router.rib.find(DEFAULT_PREFIXES[family])).toBeUndefined();
    expect(router.rib.totals().attributes).toBe(0);
  });

  it('goes through its own policy and no other', () => {
    const router = new Router();
    const only6 = policy('only6', {
      match: { prefixes: [prefixes('::/0')] },
      set: { med: 7, communities: { add: [{ kind: 'standard', value: 5 }] } },
      action: 'accept',
    });
    const taker = router.session(1, {
      member: {
        defaultRoute: { policy: bound([only6, policy('rest', { action: 'reject' })], { direction: 'export' }) },
        exportPolicy: bound([], { strict: true, direction: 'export' }),
      },
    });
    router.work();
    expect(told(taker)).toEqual([DEFAULT]);
    expect(taker.told(DEFAULT)).toMatchObject({ med: 7, communities: [5] });
  });

  it.each(['all', 'multipath'] as const)('is told beside path identifiers (%s), and comes and goes', (selection) => {
    const router = new Router();
    const source = router.session(3);
    feed(router.rib, source.peer, { announce: [DEFAULT, A], attributes: attributesFrom(3) });
    const sent: Uint8Array[] = [];
    const taker = router.session(1, {
      member: { addPath: { 'ipv6-unicast': selection }, send: (bytes) => sent.push(bytes) > 0 },
    });
    const advertised = () =>
      [...tableTold(router.out, taker.peer, ['ipv6-unicast'])]
        .filter(([key]) => key.startsWith(DEFAULT))
        .map(([, { attributes }]) => attributes.asPath[0]?.asns.length);
    router.work();
    expect(advertised()).toEqual([3]);
    router.out.changeSessions(new Map([[taker.peer, { defaultRoute: {} }]]));
    router.work();
    expect(advertised()).toEqual([1]);
    router.out.changeSessions(new Map([[taker.peer, { defaultRoute: undefined }]]));
    router.work();
    expect(advertised()).toEqual([3]);
    router.out.leave(taker.peer);
    router.out.leave(source.peer);
    router.rib.removePeers([source.peer, taker.peer]);
    router.work();
    expect(router.rib.totals()).toMatchObject({ prefixes: 0, attributes: 0 });
  });
});

describe('options', () => {
  it('that differ are different groups: each session is told its own', () => {
    const router = new Router();
    const source = router.session(9);
    const plain = router.session(1, { member: { remoteAs: 65_001 } });
    const cleaned = router.session(2, { member: { remoteAs: 65_002, options: { removePrivateAs: 'all' } } });
    const other = router.session(3, { member: { remoteAs: 65_009, options: { removePrivateAs: 'all' } } });
    feed(router.rib, source.peer, { announce: [A], attributes: attributesFrom(9) });
    router.work();
    const asns = ({ told }: typeof plain) => told(A)?.asPath.flatMap((segment) => segment.asns);
    expect(asns(plain)).toEqual([LOCAL_AS, 65_009, 66_000]);
    expect(asns(cleaned)).toEqual([LOCAL_AS, 66_000]);
    expect(asns(other)).toEqual([LOCAL_AS, 65_009, 66_000]);
  });

  it('change while the session is up, and only what differs is sent', () => {
    const router = new Router();
    const source = router.session(9);
    const taker = router.session(1);
    feed(router.rib, source.peer, { announce: [A], attributes: attributesFrom(9, { communities: [7] }) });
    feed(router.rib, source.peer, { announce: [B], attributes: attributesFrom(9) });
    router.work();
    const before = taker.neighbour.messages;
    router.out.changeSessions(new Map([[taker.peer, { options: { sendCommunities: [] } }]]));
    router.work();
    expect(taker.told(A)).not.toHaveProperty('communities');
    expect(taker.neighbour.messages).toBe(before + 1);
    router.out.changeSessions(new Map([[taker.peer, { options: undefined }]]));
    router.work();
    expect(taker.told(A)?.communities).toEqual([7]);
  });
});

describe('a next hop that goes on', () => {
  it('is written as it came, and ours where there is none to keep', () => {
    const router = new Router();
    const border = router.session(1, { info: { address: parseAddress(GLOBAL)!, byAddress: true } });
    const fabric = router.session(2);
    const taker = router.session(3, inside);
    const self = router.session(4, { info: { external: false, options: { nextHop: 'self' } } });
    feed(router.rib, border.peer, {
      announce: [A, '192.0.2.0/24'],
      attributes: attributesFrom(1, { nextHop: { global: parseAddress(GLOBAL)! } }),
    });
    feed(router.rib, fabric.peer, { announce: ['2001:db8:2::/64'], attributes: attributesFrom(2) });
    router.work();
    const hop = ({ told }: typeof taker, text: string) => gatewayText(told(text)?.nextHop);
    expect([A, '192.0.2.0/24', '2001:db8:2::/64'].map((text) => hop(taker, text))).toEqual([
      GLOBAL,
      GLOBAL,
      'fe80::1:3',
    ]);
    expect(hop(self, A)).toBe('fe80::1:4');
  });

  it('is ours where the session cannot carry it', () => {
    const router = new Router();
    const border = router.session(1, { info: { address: parseAddress(GLOBAL)! } });
    const capabilities = { ...SEND_CAPABILITIES, extendedNextHop: [], linkLocalNextHop: false };
    const sent: Uint8Array[] = [];
    const taker = router.session(2, {
      info: { external: false },
      member: { capabilities, nextHop: { global: parseAddress('192.0.2.1')! }, send: (bytes) => sent.push(bytes) > 0 },
    });
    feed(router.rib, border.peer, {
      announce: [B],
      attributes: attributesFrom(1, { nextHop: { global: parseAddress(GLOBAL)! } }),
    });
    router.work();
    expect(router.out.counters(taker.peer).advertised).toBe(1);
    expect(hex(sent[0]!)).toContain('400304c0000201');
  });
});
