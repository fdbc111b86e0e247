/** What a session's options make of received routes: loops that are allowed or seen, communities that count, routes about to go. */
import { describe, expect, it } from 'vitest';
import { bound, communities, policy } from '../policy/policy.fixture.js';
import type { LocalAs } from '../policy/session-options.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { RibPeerInfo } from './types.js';

const P = 'fc00:1::/64';
const OWN_ID = 0x0a000001;
const CLUSTER = 0x0a0000ff;
const NO_EXPORT = 0xffffff01;
/** 65000:7 */
const SITE = 0xfde80007;
const GSHUT = 0xffff0000;

const path = (...asns: number[]): Partial<PathAttributes> => ({ asPath: [{ kind: 'sequence', asns }] });

function setUp(info: Partial<RibPeerInfo>) {
  const rib = new Rib({ localAs: LOCAL_AS, identifier: OWN_ID, clusterId: CLUSTER });
  const peer = rib.addPeer(peerInfo(1, info));
  return { rib, peer };
}

function received(info: Partial<RibPeerInfo>, attributes: Partial<PathAttributes>) {
  const { rib, peer } = setUp(info);
  feed(rib, peer, { announce: [P], attributes: attributesFrom(1, attributes) });
  settle(rib);
  return rib.explain(rib.find(prefix(P))!).paths[0]!;
}

describe('allow-as-in', () => {
  it.each([
    ['none by default', {}, 1, 'hidden'],
    ['as many as allowed', { allowAsIn: 2 }, 2, 'best'],
    ['no more than allowed', { allowAsIn: 2 }, 3, 'hidden'],
  ] as const)('%s', (_name, options, times, status) => {
    const own = new Array<number>(times).fill(LOCAL_AS);
    expect(received({ options }, path(65001, ...own)).status).toBe(status);
  });

  it('is asked again of the paths that are there when it changes', () => {
    const { rib, peer } = setUp({ options: { allowAsIn: 1 } });
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, path(65001, LOCAL_AS)) });
    settle(rib);
    rib.reevaluate(peer, { options: {} });
    settle(rib);
    expect(rib.explain(rib.find(prefix(P))!).paths).toMatchObject([{ reason: 'our own AS is in the AS path' }]);
    rib.reevaluate(peer, { options: { allowAsIn: 1 } });
    settle(rib);
    expect(rib.explain(rib.find(prefix(P))!).paths).toMatchObject([{ status: 'best' }]);
  });
});

describe('local-as', () => {
  const localAs: LocalAs = { asn: 65099, prependReceived: true, replaceAs: false };

  it('is in front of what comes in, so that our AS sees it on the way', () => {
    const seen = received({ options: { localAs } }, path(65001, 66000));
    expect(seen).toMatchObject({ status: 'best', attributes: path(65099, 65001, 66000) });
  });

  it('with no-prepend leaves what comes in alone', () => {
    const seen = received({ options: { localAs: { ...localAs, prependReceived: false } } }, path(65001));
    expect(seen.attributes).toMatchObject(path(65001));
  });

  it('is a loop as much as our own AS', () => {
    const loop = received({ options: { localAs } }, path(65001, 65099));
    expect(loop).toMatchObject({ status: 'hidden', attributes: path(65001, 65099) });
    expect(loop.reason).toBe('our AS 65099 towards this neighbour is in the AS path');
    expect(received({ options: { localAs } }, path(65001, LOCAL_AS)).status).toBe('hidden');
    expect(received({ options: { localAs, allowAsIn: 1 } }, path(65001, 65099)).status).toBe('best');
  });
});

describe('accept-communities', () => {
  const attributes: Partial<PathAttributes> = {
    communities: [SITE],
    largeCommunities: [[1, 2, 3]],
    extendedCommunities: [{ type: 0, subtype: 2, value: Uint8Array.of(0, 1, 0, 0, 0, 1) }, colourCommunity(3)],
  };

  it('leaves out the other kinds, but no colour', () => {
    const seen = received({ options: { acceptCommunities: ['large'] } }, attributes).attributes;
    expect(seen.communities).toBeUndefined();
    expect(seen.largeCommunities).toEqual([[1, 2, 3]]);
    expect(seen.extendedCommunities).toEqual([colourCommunity(3)]);
  });

  it('leaves well-known communities alone: they bind every router (RFC 1997)', () => {
    const binding = { ...attributes, communities: [SITE, NO_EXPORT, GSHUT] };
    const seen = received({ options: { acceptCommunities: [] } }, binding).attributes;
    expect(seen.communities).toEqual([NO_EXPORT, GSHUT]);
    expect(seen.localPref).toBe(0);
  });

  it('counts before the import policy, which does not see them', () => {
    const refuse = [policy('refuse', { match: { communities: [communities('65000:7')] }, action: 'reject' })];
    expect(received({ importPolicy: bound(refuse) }, attributes).status).toBe('hidden');
    expect(received({ options: { acceptCommunities: [] }, importPolicy: bound(refuse) }, attributes).status).toBe(
      'best',
    );
  });

  it('holds for the reason why a path is rejected too', () => {
    const wanted = [
      policy('wanted', { match: { communities: [communities('65000:7')] }, action: 'accept' }, { action: 'reject' }),
    ];
    const info = { options: { acceptCommunities: [] }, importPolicy: bound(wanted) };
    expect(received(info, attributes).reason).toBe('rejected by import policy wanted term 2');
  });

  it('gives what was received back when it is lifted', () => {
    const { rib, peer } = setUp({ options: { acceptCommunities: [] } });
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, attributes) });
    settle(rib);
    rib.reevaluate(peer, { options: undefined });
    settle(rib);
    expect(rib.explain(rib.find(prefix(P))!).paths[0]!.attributes).toMatchObject(attributes);
  });
});

describe('GRACEFUL_SHUTDOWN', () => {
  const leaving: Partial<PathAttributes> = { communities: [GSHUT] };

  it('from another AS is the last choice', () => {
    const { rib, peer } = setUp({});
    const other = rib.addPeer(peerInfo(2));
    feed(rib, peer, { announce: [P], attributes: attributesFrom(1, leaving) });
    feed(rib, other, { announce: [P], attributes: attributesFrom(2, path(1, 2, 3, 4)) });
    settle(rib);
    const { paths, decidedBy } = rib.explain(rib.find(prefix(P))!);
    expect(paths).toMatchObject([
      { peerName: 'spine2', status: 'best' },
      { attributes: { localPref: 0, communities: [GSHUT] } },
    ]);
    expect(decidedBy).toBe('local-pref');
  });

  it('from our own AS has the LOCAL_PREF it came with', () => {
    expect(received({ external: false }, { ...leaving, localPref: 100 }).attributes.localPref).toBe(100);
  });

  it('does nothing where the import policy takes it away', () => {
    const stripped = [policy('strip', { set: { communities: { replace: [] } } })];
    expect(received({ importPolicy: bound(stripped) }, leaving).attributes.localPref).toBeUndefined();
  });
});

describe('a reflected route', () => {
  const inside: Partial<RibPeerInfo> = { external: false };

  it.each([
    ['ORIGINATOR_ID is our own identifier', { originatorId: OWN_ID, clusterList: [1] }],
    ['our own cluster is in CLUSTER_LIST', { originatorId: 9, clusterList: [1, CLUSTER, 2] }],
  ])('is hidden when %s', (reason, attributes) => {
    expect(received(inside, { localPref: 100, ...attributes })).toMatchObject({ status: 'hidden', reason });
  });

  it('of others is used', () => {
    expect(received(inside, { localPref: 100, originatorId: 9, clusterList: [1, 2] }).status).toBe('best');
  });
});
