/** What a session's options make of exported routes: the AS_PATH, communities, the next hop, and reflection. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { originatedAttributes } from './dpf-policy.js';
import type { ExportContext, RouteSource } from './export-context.js';
import { exportAttributes } from './export-policy.js';
import { bound, policy } from './policy.fixture.js';
import type { SessionOptions } from './session-options.js';
import { withheldReason } from './withheld-reason.js';

const LOCAL_AS = 64_512;
const REMOTE_AS = 65_001;
const CLUSTER = 0x0a000001;
const GLOBAL = parseAddress('2001:db8::1')!;
const LINK_LOCAL = parseAddress('fe80::1')!;

const sequence = (...asns: number[]) => (asns.length > 0 ? [{ kind: 'sequence' as const, asns }] : []);

function context(options: SessionOptions = {}, changes: Partial<ExportContext> = {}): ExportContext {
  return {
    localAs: LOCAL_AS,
    role: 'spine',
    external: true,
    byAddress: true,
    remoteAs: REMOTE_AS,
    sendColour: true,
    aigp: true,
    aigpOrigin: 0n,
    aigpStep: 1n,
    clusterId: CLUSTER,
    options,
    ...changes,
  };
}

const internal = (options: SessionOptions = {}, changes: Partial<ExportContext> = {}) =>
  context(options, { external: false, remoteAs: LOCAL_AS, ...changes });

function told(attributes: Partial<PathAttributes>, to: ExportContext, source: RouteSource = 'external') {
  return exportAttributes({ attributes: { origin: 0, asPath: sequence(66_000), ...attributes }, source }, to);
}

const pathTold = (path: PathAttributes['asPath'], options: SessionOptions) =>
  told({ asPath: path }, context(options))?.asPath.flatMap(({ asns }) => asns);

describe('remove-private-as', () => {
  it.each([
    ['private-paths', [65_010, 4_200_000_000], [LOCAL_AS]],
    ['private-paths', [65_010, 3356], [LOCAL_AS, 65_010, 3356]],
    ['private-paths', [], [LOCAL_AS]],
    ['all', [65_010, 3356, 65_534, 64_512 + 1], [LOCAL_AS, 3356]],
    ['all', [65_535, 64_511, 4_294_967_295], [LOCAL_AS, 65_535, 64_511, 4_294_967_295]],
    ['replace', [65_010, 3356, 4_294_967_294], [LOCAL_AS, LOCAL_AS, 3356, LOCAL_AS]],
  ] as const)('%s of %j is %j', (removePrivateAs, path, expected) => {
    expect(pathTold(sequence(...path), { removePrivateAs })).toEqual(expected);
  });

  it("leaves the neighbour's own number, so that it sees its loop", () => {
    expect(pathTold(sequence(65_010, REMOTE_AS), { removePrivateAs: 'all' })).toEqual([LOCAL_AS, REMOTE_AS]);
    expect(pathTold(sequence(65_010, REMOTE_AS), { removePrivateAs: 'replace' })).toEqual([
      LOCAL_AS,
      LOCAL_AS,
      REMOTE_AS,
    ]);
  });

  it('leaves out a segment that lost all its numbers', () => {
    const path = [...sequence(65_010), { kind: 'set' as const, asns: [65_011, 3356] }];
    expect(told({ asPath: path }, context({ removePrivateAs: 'all' }))?.asPath).toEqual([
      ...sequence(LOCAL_AS),
      { kind: 'set', asns: [3356] },
    ]);
  });

  it('is not for internal neighbours', () => {
    expect(told({ asPath: sequence(65_010) }, internal({ removePrivateAs: 'all' }))?.asPath).toEqual(sequence(65_010));
  });
});

describe('as-override', () => {
  it("puts our AS wherever the neighbour's was", () => {
    expect(pathTold(sequence(REMOTE_AS, 66_000, REMOTE_AS), { asOverride: true })).toEqual([
      LOCAL_AS,
      LOCAL_AS,
      66_000,
      LOCAL_AS,
    ]);
  });

  it('puts the AS that we have towards it', () => {
    const localAs = { asn: 65_099, prependReceived: false, replaceAs: true };
    expect(pathTold(sequence(REMOTE_AS), { asOverride: true, localAs })).toEqual([65_099, 65_099]);
  });
});

describe('local-as', () => {
  const localAs = { asn: 65_099, prependReceived: true, replaceAs: false };

  it('stands before our own AS', () => {
    expect(pathTold(sequence(66_000), { localAs })).toEqual([65_099, LOCAL_AS, 66_000]);
  });

  it('with replace-as stands in its place', () => {
    expect(pathTold(sequence(66_000), { localAs: { ...localAs, replaceAs: true } })).toEqual([65_099, 66_000]);
  });
});

describe('send-communities', () => {
  const attributes: Partial<PathAttributes> = {
    communities: [65_000],
    largeCommunities: [[1, 2, 3]],
    extendedCommunities: [{ type: 0, subtype: 2, value: new Uint8Array(6) }, colourCommunity(4)],
  };
  const kinds = (options: SessionOptions, changes: Partial<ExportContext> = {}) => {
    const sent = told(attributes, context(options, changes));
    return [sent?.communities?.length, sent?.extendedCommunities?.length, sent?.largeCommunities?.length];
  };

  it('leaves out the kinds that are not named, but no colour', () => {
    expect(kinds({})).toEqual([1, 2, 1]);
    expect(kinds({ sendCommunities: ['standard', 'large'] })).toEqual([1, 1, 1]);
    expect(told(attributes, context({ sendCommunities: [] }))?.extendedCommunities).toEqual([colourCommunity(4)]);
  });

  it('and send-colour do not know of each other', () => {
    expect(kinds({ sendCommunities: ['extended'] }, { sendColour: false })).toEqual([undefined, 1, undefined]);
    expect(kinds({ sendCommunities: [] }, { sendColour: false })).toEqual([undefined, undefined, undefined]);
  });

  it('holds for what a policy added too', () => {
    const tag = bound([policy('tag', { set: { communities: { add: [{ kind: 'standard', value: 1 }] } } })]);
    expect(told({}, context({ sendCommunities: ['large'] }, { policy: tag }))).not.toHaveProperty('communities');
  });
});

describe('the next hop', () => {
  const both: Partial<PathAttributes> = { nextHop: { global: GLOBAL, linkLocal: LINK_LOCAL } };
  const onlyLinkLocal: Partial<PathAttributes> = { nextHop: { linkLocal: LINK_LOCAL } };
  const kept = { global: GLOBAL };

  it.each<[string, ExportContext, RouteSource, Partial<PathAttributes>, unknown]>([
    ['is ourselves to external neighbours', context(), 'external', both, undefined],
    ['stays to external neighbours with next-hop-unchanged', context({ nextHop: 'unchanged' }), 'border', both, kept],
    ['stays to internal neighbours', internal(), 'external', both, kept],
    ['is ourselves with next-hop-self', internal({ nextHop: 'self' }), 'external', both, undefined],
    ['stays in reflected routes with next-hop-self', internal({ nextHop: 'self' }), 'client', both, kept],
    ['is ourselves in all with force', internal({ nextHop: 'self-always' }), 'client', both, undefined],
    ['is ourselves where it is link-local alone', internal(), 'external', onlyLinkLocal, undefined],
    ['is ourselves where it is link-local alone, reflected too', internal(), 'client', onlyLinkLocal, undefined],
  ])('%s', (_name, to, source, attributes, expected) => {
    expect(told(attributes, to, source)?.nextHop).toEqual(expected);
  });

  it.each([
    ['grows by the step when we are it', internal({ nextHop: 'self' }), 6n],
    ['stays when another is it', internal(), 5n],
    [
      'grows by the step when a policy makes us it',
      internal({}, { policy: bound([policy('self', { set: { nextHop: 'self' } })]) }),
      6n,
    ],
    [
      'is what a policy sets it to',
      internal({}, { policy: bound([policy('set', { set: { nextHop: 'self', aigp: 9n } })]) }),
      9n,
    ],
  ])('AIGP %s', (_name, to, metric) => {
    expect(told({ ...both, aigp: { metric: 5n, otherTlvs: [] } }, to)?.aigp?.metric).toBe(metric);
  });

  it('that goes on keeps what was said of it', () => {
    const nextHopCharacteristics = { afi: 2, safi: 1, nextHop: GLOBAL, tlvs: [] };
    expect(told({ ...both, nextHopCharacteristics }, internal())).toHaveProperty('nextHopCharacteristics');
    expect(told({ ...both, nextHopCharacteristics }, context())).not.toHaveProperty('nextHopCharacteristics');
    const policies = [policy('self', { set: { nextHop: 'self' } })];
    const to = internal({}, { policy: bound(policies) });
    expect(told({ ...both, nextHopCharacteristics }, to)).not.toHaveProperty('nextHopCharacteristics');
  });
});

describe('reflection', () => {
  const client = internal({ reflectorClient: true });
  const reflector: Partial<PathAttributes> = { originatorId: 7, clusterList: [2], localPref: 150, med: 3 };

  it.each<[RouteSource, string, ExportContext, boolean]>([
    ['client', 'a client', client, true],
    ['client', 'a non-client', internal(), true],
    ['client', 'another AS', context(), true],
    ['internal', 'a client', client, true],
    ['internal', 'a non-client', internal(), false],
    ['internal', 'another AS', context(), true],
    ['external', 'a client', client, true],
    ['border', 'a non-client', internal(), true],
  ])('tells what it heard of %s to %s: %s', (source, _to, to, expected) => {
    expect(told(reflector, to, source) !== undefined).toBe(expected);
    const route = { attributes: { origin: 0 as const, asPath: [] }, source };
    expect(withheldReason(route, to)).toBe(expected ? undefined : 'an internal neighbour said it');
  });

  it('adds our cluster in front and changes nothing else', () => {
    expect(told(reflector, client, 'internal')).toEqual({
      origin: 0,
      asPath: sequence(66_000),
      localPref: 150,
      med: 3,
      originatorId: 7,
      clusterList: [CLUSTER, 2],
    });
  });

  it('marks nothing that comes from another AS, or goes there', () => {
    expect(told({}, client, 'border')).not.toHaveProperty('clusterList');
    const outside = told(reflector, context(), 'client');
    for (const name of ['clusterList', 'originatorId', 'localPref', 'med']) expect(outside).not.toHaveProperty(name);
  });
});

describe('a leaf', () => {
  const leaf = { role: 'leaf' as const };
  const fabric = context({}, { ...leaf, byAddress: false });

  it.each<[RouteSource, boolean]>([
    ['local', true],
    ['border', true],
    ['external', false],
    ['internal', false],
    ['client', false],
  ])('tells the fabric what is %s: %s', (source, expected) => {
    expect(told({}, fabric, source) !== undefined).toBe(expected);
  });

  it('tells neighbours configured by address what the fabric said, as their policy allows', () => {
    expect(told({}, context({}, leaf), 'external')).toBeDefined();
    expect(told({}, internal({}, leaf), 'external')).toBeDefined();
    const strict = bound([], { strict: true, direction: 'export' });
    expect(told({}, context({}, { ...leaf, policy: strict }), 'external')).toBeUndefined();
  });

  it('says why it does not', () => {
    const reason = (source: RouteSource) => withheldReason({ attributes: originatedAttributes(), source }, fabric);
    expect(reason('external')).toBe('a leaf carries no transit: it tells only what it originates');
    expect(reason('internal')).toBe('a leaf tells the fabric nothing that an internal neighbour said');
  });
});
