/** The decision step by step: two or three paths that are equal but for what is named, and which step tells them apart. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { GivenReachability } from './reachability.fixture.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { DecisionStepName, RibPeerInfo } from './types.js';

const P = '2001:db8::/64';

interface Candidate {
  readonly peer?: Partial<RibPeerInfo>;
  readonly attributes?: Partial<PathAttributes>;
}

const path = (...asns: number[]): Partial<PathAttributes> => ({ asPath: [{ kind: 'sequence', asns }] });
const aigp = (metric: bigint): Partial<PathAttributes> => ({ aigp: { metric, otherTlvs: [] } });
const internal = (localPref: number): Candidate => ({ peer: { external: false }, attributes: { localPref } });
const reflected = (identifier: number, originatorId: number, ...clusterList: number[]): Candidate => ({
  peer: { external: false, identifier },
  attributes: { localPref: 100, originatorId, clusterList },
});

/** A path whose next hop is reached at this cost. */
function routed(cost: number, attributes: Partial<PathAttributes> = {}): Candidate {
  const global = parseAddress(`2001:db8::${cost}`)!;
  return { peer: { nextHops: 'anywhere' }, attributes: { ...attributes, nextHop: { global } } };
}

/** Statuses in the order of the candidates: b(est), m(ultipath), f(allback), l(ost). */
const CASES: readonly [name: string, step: DecisionStepName, statuses: string, ...candidates: Candidate[]][] = [
  ['the higher LOCAL_PREF', 'local-pref', 'fb', internal(100), internal(200)],
  ['LOCAL_PREF before AIGP', 'local-pref', 'bf', internal(200), { attributes: aigp(0n) }],
  ['AIGP before the AS_PATH length', 'aigp', 'fb', {}, { attributes: { ...aigp(7n), ...path(1, 2, 3, 4) } }],
  ['the lower AIGP', 'aigp', 'fb', { attributes: aigp(2n) }, { attributes: aigp(1n) }],
  ['AIGP 0: a value, not absence', 'aigp', 'bff', { attributes: aigp(0n) }, { attributes: aigp(1n) }, {}],
  ['the largest AIGP before none', 'aigp', 'fb', {}, { attributes: aigp(2n ** 64n - 2n) }],
  ['AIGP in its low bits', 'aigp', 'fb', { attributes: aigp(2n ** 60n + 1n) }, { attributes: aigp(2n ** 60n) }],
  [
    'AIGP with the interior cost, which carries',
    'aigp',
    'fb',
    routed(2, aigp(2n ** 32n - 1n)),
    { attributes: aigp(2n ** 32n) },
  ],
  [
    'equal sums of AIGP and interior cost by the interior cost',
    'interior-cost',
    'fb',
    routed(2, aigp(5n)),
    routed(1, aigp(6n)),
  ],
  // Pairwise, with the comparison skipped where one has none: a beats b (AIGP), b beats c (length), c beats a (length).
  [
    'AIGP over the whole set, never pairwise',
    'aigp',
    'bfl',
    { attributes: { ...aigp(1n), ...path(1, 2, 3) } },
    { attributes: { ...aigp(2n), ...path(1) } },
    { attributes: path(1, 2) },
  ],
  ['the shorter AS_PATH', 'as-path-length', 'fb', { attributes: path(1, 2, 3) }, { attributes: path(1, 2) }],
  [
    'an AS_SET as one AS',
    'as-path-length',
    'fb',
    { attributes: path(1, 2, 3, 4) },
    {
      peer: { context: { ...peerInfo(1).context, asSets: true } },
      attributes: {
        asPath: [
          { kind: 'sequence', asns: [1, 2] },
          { kind: 'set', asns: [3, 4, 5] },
        ],
      },
    },
  ],
  ['the lower ORIGIN', 'origin', 'fb', { attributes: { origin: 2 } }, { attributes: { origin: 1 } }],
  [
    'the lower MED of one neighbour AS',
    'med',
    'fb',
    { attributes: { ...path(1, 2), med: 5 } },
    { attributes: { ...path(1, 3), med: 4 } },
  ],
  ['an absent MED as 0', 'med', 'bf', { attributes: path(1, 2) }, { attributes: { ...path(1, 2), med: 1 } }],
  [
    'no MED between neighbour ASes',
    'router-id',
    'bm',
    { attributes: { ...path(1, 2), med: 5 } },
    { attributes: { ...path(3, 2), med: 4 } },
  ],
  ['external before internal', 'external', 'fb', internal(100), {}],
  ['the lower interior cost', 'interior-cost', 'fb', routed(9), routed(8)],
  ['a link, which costs nothing', 'interior-cost', 'fb', routed(1), {}],
  ['equals of different ASes as multipath', 'router-id', 'bm', { attributes: path(1, 2) }, { attributes: path(3, 4) }],
  ['the lower router identifier', 'router-id', 'mb', { peer: { identifier: 0x80000001 } }, { peer: { identifier: 9 } }],
  ['the lower originator, not reflector', 'router-id', 'mb', reflected(1, 9, 1), reflected(2, 8, 2)],
  [
    'the lower originator, told or reflected',
    'router-id',
    'bm',
    { peer: { external: false, identifier: 7 }, attributes: { localPref: 100 } },
    reflected(2, 8, 2),
  ],
  ['the shorter CLUSTER_LIST', 'cluster-list-length', 'mb', reflected(1, 9, 1, 5), reflected(2, 9, 2)],
  [
    'the lower peer address',
    'peer-address',
    'mb',
    { peer: { identifier: 9, address: parseAddress('fe80::a')! } },
    { peer: { identifier: 9 } },
  ],
  [
    'the lower interface',
    'interface',
    'mb',
    { peer: { identifier: 9, address: parseAddress('fe80::9')!, interfaceIndex: 7 } },
    { peer: { identifier: 9, address: parseAddress('fe80::9')!, interfaceIndex: 6 } },
  ],
];

describe('the decision prefers', () => {
  it.each(CASES)('%s', (_name, step, statuses, ...candidates) => {
    const reachability = new GivenReachability();
    for (const cost of [1, 2, 8, 9]) reachability.set(`2001:db8::${cost}`, `${cost} fe80::${cost}%eth1`);
    const rib = new Rib({ localAs: LOCAL_AS, reachability });
    candidates.forEach(({ peer, attributes }, i) => {
      const index = rib.addPeer(peerInfo(i + 1, peer));
      feed(rib, index, { announce: [P], attributes: attributesFrom(i + 1, attributes) });
    });
    settle(rib);
    const { paths, decidedBy } = rib.explain(rib.find(prefix(P))!);
    const byName = [...paths].sort((a, b) => (a.peerName < b.peerName ? -1 : 1));
    expect(byName.map(({ status }) => status[0]).join('')).toBe(statuses);
    expect(decidedBy).toBe(step);
  });
});
