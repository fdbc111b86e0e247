import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { parseAddress } from '../net/address.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { originatedAttributes } from './dpf-policy.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { exportAttributes } from './export-policy.js';
import { bound, policy } from './policy.fixture.js';
import { withheldReason } from './withheld-reason.js';

const SPINE: ExportContext = {
  localAs: 65100,
  role: 'spine',
  external: true,
  sendColour: true,
  aigp: true,
  aigpOrigin: 0n,
  aigpStep: 1n,
};

function learned(changes: Partial<PathAttributes> = {}, source: ExportRoute['source'] = 'external'): ExportRoute {
  const nextHop = { linkLocal: parseAddress('fe80::1')! };
  return { attributes: { origin: 0, asPath: [{ kind: 'sequence', asns: [65001] }], nextHop, ...changes }, source };
}

const DRAIN = policy('drain', { action: 'reject' });
const LLGR_STALE = 0xffff0006;
const blue = { extendedCommunities: [colourCommunity(2)] };

describe('why a route is not told', () => {
  it.each<[string, ExportRoute, Partial<ExportContext>, RegExp]>([
    ['a leaf', learned(), { role: 'leaf' }, /no transit/],
    ['between internal neighbours (RFC 4271 section 9.2)', learned({}, 'internal'), { external: false }, /internal/],
    ['no-advertise (RFC 1997)', learned({ communities: [0xffffff02] }), { external: false }, /no-advertise/],
    ['no-export (RFC 1997)', learned({ communities: [0xffffff01] }), {}, /no-export/],
    ['long-lived stale (RFC 9494 section 4.3)', learned({ communities: [LLGR_STALE] }), {}, /long-lived stale/],
    ['another colour', learned(blue), { sessionColours: true, colour: 1 }, /colour 2, the session colour 1/],
    ['a policy', learned(), { policy: bound([DRAIN], { direction: 'export' }) }, /export policy drain term 1/],
    ['no policy (RFC 8212)', learned(), { policy: bound([], { direction: 'export', strict: true }) }, /RFC 8212/],
  ])('%s', (_name, route, changes, reason) => {
    expect(withheldReason(route, { ...SPINE, ...changes })).toMatch(reason);
  });

  it('is given for exactly the routes that the export leaves out', () => {
    const communities = fc.subarray([0xffffff01, 0xffffff02, 0xffffff03, LLGR_STALE, 7]);
    const colours = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
    const context = fc.record({
      role: fc.constantFrom('leaf' as const, 'spine' as const),
      external: fc.boolean(),
      sessionColours: fc.boolean(),
      takesLongLivedStale: fc.boolean(),
      colour: fc.constantFrom(1, 2),
      policy: fc.constantFrom(undefined, bound([DRAIN]), bound([policy('all', { action: 'accept' })])),
    });
    const source = fc.constantFrom('local' as const, 'external' as const, 'internal' as const);
    fc.assert(
      fc.property(communities, colours, source, context, (some, colour, from, changes) => {
        const base = originatedAttributes(colour, [3]);
        const route = from === 'local' ? { attributes: base, source: from } : learned({ ...base }, from);
        const tagged = { ...route, attributes: { ...route.attributes, communities: some } };
        const full = { ...SPINE, ...changes };
        expect(withheldReason(tagged, full) === undefined).toBe(exportAttributes(tagged, full) !== undefined);
      }),
    );
  });
});
