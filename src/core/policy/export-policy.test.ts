import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { colourCommunity } from '../wire/bgp/colour.js';
import type { ExtendedCommunity, PathAttributes } from '../wire/bgp/path-attributes.js';
import { originatedAttributes } from './dpf-policy.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { exportAttributes } from './export-policy.js';

const SPINE: ExportContext = {
  localAs: 65100,
  role: 'spine',
  external: true,
  sendColour: true,
  aigp: true,
  aigpOrigin: 0n,
  aigpStep: 1n,
};
const LEAF: ExportContext = { ...SPINE, role: 'leaf' };

function learned(changes: Partial<PathAttributes> = {}, source: ExportRoute['source'] = 'external'): ExportRoute {
  const nextHop = { linkLocal: parseAddress('fe80::1')! };
  return { attributes: { origin: 0, asPath: [{ kind: 'sequence', asns: [65001] }], nextHop, ...changes }, source };
}

function local(colour?: number): ExportRoute {
  return { attributes: originatedAttributes(colour), source: 'local' };
}

const metric = (value: bigint): Partial<PathAttributes> => ({ aigp: { metric: value, otherTlvs: [] } });
const community = (type: number, subtype = 0x0b): ExtendedCommunity => ({ type, subtype, value: new Uint8Array(6) });

describe('a long-lived stale route (RFC 9494 section 4.3)', () => {
  const stale = learned({ communities: [0xffff0006] });

  it('goes to neighbours that know what that means, marked, and to no others', () => {
    expect(exportAttributes(stale, SPINE)).toBeUndefined();
    expect(exportAttributes(stale, { ...SPINE, takesLongLivedStale: true })?.communities).toEqual([0xffff0006]);
  });
});

describe('to another AS', () => {
  it('puts our AS in front, and leaves next hop, MED and LOCAL_PREF behind', () => {
    const exported = exportAttributes(learned({ med: 5, localPref: 200, communities: [7] }), SPINE);
    expect(exported).toEqual({ origin: 0, asPath: [{ kind: 'sequence', asns: [65100, 65001] }], communities: [7] });
  });

  it.each([
    ['an empty path', [], [{ kind: 'sequence', asns: [65100] }]],
    [
      'a path that starts with a set',
      [{ kind: 'set', asns: [1, 2] }],
      [
        { kind: 'sequence', asns: [65100] },
        { kind: 'set', asns: [1, 2] },
      ],
    ],
    [
      'a full segment',
      [{ kind: 'sequence', asns: new Array(255).fill(9) }],
      [
        { kind: 'sequence', asns: [65100] },
        { kind: 'sequence', asns: new Array(255).fill(9) },
      ],
    ],
  ] as const)('prepends to %s (RFC 4271 section 5.1.2)', (_name, asPath, expected) => {
    expect(exportAttributes(learned({ asPath }), SPINE)?.asPath).toEqual(expected);
  });

  it.each([
    ['colour', 0x03, true],
    ['a route target', 0x00, true],
    ['an unknown transitive type', 0x3f, true],
    ['a transitive type that the IANA assigns', 0x83, true],
    ['link bandwidth, non-transitive', 0x40, false],
    ['non-transitive opaque', 0x43, false],
    ['any type with that bit', 0xc1, false],
  ])('%s (type %i) leaves the AS: %s', (_name, type, stays) => {
    const exported = exportAttributes(learned({ extendedCommunities: [community(type, 4)] }), SPINE);
    expect(exported?.extendedCommunities).toEqual(stays ? [community(type, 4)] : undefined);
  });

  it.each([
    ['NO_EXPORT', 0xffffff01, false, true],
    ['NO_ADVERTISE', 0xffffff02, false, false],
    ['NO_EXPORT_SUBCONFED', 0xffffff03, false, true],
    ['another', 0xffff0000, true, true],
  ])('%s is honoured (RFC 1997)', (_name, value, external, internal) => {
    const route = learned({ communities: [value] });
    expect(exportAttributes(route, SPINE) !== undefined).toBe(external);
    expect(exportAttributes(route, { ...SPINE, external: false }) !== undefined).toBe(internal);
  });
});

describe('within the AS', () => {
  it('keeps the path, and gives LOCAL_PREF', () => {
    const exported = exportAttributes(learned({ med: 5 }), { ...SPINE, external: false });
    expect(exported).toEqual({ origin: 0, asPath: [{ kind: 'sequence', asns: [65001] }], med: 5, localPref: 100 });
  });

  it('does not reflect (RFC 4271 section 9.2)', () => {
    expect(exportAttributes(learned({}, 'internal'), { ...SPINE, external: false })).toBeUndefined();
    expect(exportAttributes(learned({}, 'internal'), SPINE)).toBeDefined();
  });
});

describe('AIGP', () => {
  it.each([
    ['none: absent stays absent', undefined, undefined],
    ['0 is a value', 0n, 1n],
    ['more than 53 bits', 2n ** 53n, 2n ** 53n + 1n],
    ['the maximum does not wrap (RFC 7311 section 3.4)', 2n ** 64n - 1n, 2n ** 64n - 1n],
  ])('takes the step of a spine: %s', (_name, received, sent) => {
    const route = learned(received === undefined ? {} : metric(received));
    expect(exportAttributes(route, SPINE)?.aigp?.metric).toBe(sent);
  });

  it('keeps the other TLVs', () => {
    const otherTlvs = [{ type: 9, value: Uint8Array.of(1) }];
    const exported = exportAttributes(learned({ aigp: { metric: 1n, otherTlvs } }), { ...SPINE, aigpStep: 7n });
    expect(exported?.aigp).toEqual({ metric: 8n, otherTlvs });
  });

  it('does not leave on a session without it', () => {
    expect(exportAttributes(learned(metric(1n)), { ...SPINE, aigp: false })?.aigp).toBeUndefined();
    expect(exportAttributes(local(1), { ...LEAF, colour: 1, aigp: false })?.aigp).toBeUndefined();
  });

  it.each([
    ['the session of its colour', 1, 1, 5n],
    ['another session', 1, 2, undefined],
    ['a session without colour', 1, undefined, undefined],
    ['a route without colour', undefined, 1, undefined],
    ['neither with a colour', undefined, undefined, undefined],
    ['colour 0', 0, 0, 5n],
  ])('is originated on %s', (_name, colour, session, sent) => {
    const context = { ...LEAF, aigpOrigin: 5n, ...(session !== undefined && { colour: session }) };
    expect(exportAttributes(local(colour), context)?.aigp?.metric).toBe(sent);
  });
});

describe('colour', () => {
  const red = colourCommunity(3);
  const target = community(0x00, 2);

  it('passes a spine unchanged, flags and all', () => {
    const flagged: ExtendedCommunity = { ...red, value: Uint8Array.of(0xc0, 1, 0, 0, 0, 3) };
    const exported = exportAttributes(learned({ extendedCommunities: [target, flagged] }), SPINE);
    expect(exported?.extendedCommunities).toEqual([target, flagged]);
  });

  it('is left out, and only it, where it is not wanted', () => {
    const quiet = { ...SPINE, sendColour: false };
    const both = exportAttributes(learned({ extendedCommunities: [red, target] }), quiet);
    expect(both?.extendedCommunities).toEqual([target]);
    const only = exportAttributes(learned({ extendedCommunities: [red] }), quiet);
    expect(only && 'extendedCommunities' in only).toBe(false);
  });

  it('decides about AIGP even where it is not sent', () => {
    const exported = exportAttributes(local(3), { ...LEAF, colour: 3, sendColour: false });
    expect(exported).toMatchObject({ aigp: { metric: 0n } });
    expect(exported?.extendedCommunities).toBeUndefined();
  });
});

it('lets a leaf tell only what it originates', () => {
  expect(exportAttributes(learned(), LEAF)).toBeUndefined();
  expect(exportAttributes(local(), LEAF)).toEqual({ origin: 0, asPath: [{ kind: 'sequence', asns: [65100] }] });
});
