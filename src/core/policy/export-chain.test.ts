/** The operator's export policy and the DPF role together. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { colourOf } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { originatedAttributes } from './dpf-policy.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { exportAttributes } from './export-policy.js';
import { bound, communities, community, policy } from './policy.fixture.js';
import type { Policy } from './policy.js';

const BASE = { localAs: 65100, external: true, sendColour: true, aigp: true, aigpOrigin: 0n, aigpStep: 1n } as const;

function leaf(colour: number, ...chain: Policy[]): ExportContext {
  return { ...BASE, role: 'leaf', colour, policy: bound(chain, { direction: 'export' }) };
}

function spine(...chain: Policy[]): ExportContext {
  return { ...BASE, role: 'spine', policy: bound(chain, { direction: 'export' }) };
}

const own = (colour?: number): ExportRoute => ({ attributes: originatedAttributes(colour), source: 'local' });
const learned = (changes: Partial<PathAttributes> = {}): ExportRoute => ({
  attributes: {
    origin: 0,
    asPath: [{ kind: 'sequence', asns: [65001] }],
    nextHop: { linkLocal: parseAddress('fe80::1')! },
    ...changes,
  },
  source: 'external',
});
const metric = (value: bigint) => ({ aigp: { metric: value, otherTlvs: [] } });

describe('an export policy behind DPF', () => {
  it('sees the colour and the AIGP that would be sent', () => {
    const only = policy('only', { match: { aigp: [{ absent: true }] }, action: 'reject' });
    expect(exportAttributes(own(1), leaf(1, only))?.aigp?.metric).toBe(0n);
    expect(exportAttributes(own(1), leaf(2, only))).toBeUndefined();
    const stepped = policy('p', { match: { aigp: [{ least: 6n, most: 6n }] }, set: { med: 6 } });
    expect(exportAttributes(learned(metric(5n)), spine(stepped))?.med).toBe(6);
  });

  it('sees an AS_PATH without our own AS, and what it prepends stands behind that', () => {
    const ours = policy('ours', { match: { asPath: ['^$'] }, set: { prepend: { own: 1 } } }, { action: 'accept' });
    expect(exportAttributes(own(), leaf(1, ours))?.asPath).toEqual([{ kind: 'sequence', asns: [65100, 64512] }]);
    expect(exportAttributes(learned(), spine(ours))?.asPath).toEqual([{ kind: 'sequence', asns: [65100, 65001] }]);
  });

  it('does not touch the colour unless it sets one', () => {
    const strip = policy('strip', { set: { communities: { remove: [communities('color:*:*')], replace: [] } } });
    expect(colourOf(exportAttributes(own(3), leaf(3, strip))!)).toBe(3);
  });

  it('gives an originated route AIGP by the colour that it set', () => {
    const recolour = policy('recolour', { set: { colour: 2 } });
    const onTwo = exportAttributes(own(1), leaf(2, recolour))!;
    expect([colourOf(onTwo), onTwo.aigp?.metric]).toEqual([2, 0n]);
    expect(exportAttributes(own(1), leaf(1, recolour))!.aigp).toBeUndefined();
  });

  it('does not step the AIGP of a learned route again when it sets a colour', () => {
    const recolour = policy('recolour', { set: { colour: 2 } });
    expect(exportAttributes(learned(metric(5n)), spine(recolour))?.aigp?.metric).toBe(6n);
  });

  it('has the last word on AIGP, but none on a session without it (RFC 7311 section 3.2)', () => {
    const both = policy('both', { set: { colour: 2, aigp: 40n } });
    expect(exportAttributes(own(1), leaf(2, both))?.aigp?.metric).toBe(40n);
    expect(exportAttributes(own(1), leaf(2, policy('none', { set: { aigp: 'none' } })))?.aigp).toBeUndefined();
    expect(exportAttributes(own(1), { ...leaf(2, both), aigp: false })?.aigp).toBeUndefined();
  });

  it('cannot make a leaf carry transit, nor override NO_EXPORT (RFC 1997)', () => {
    const everything = policy('everything', { set: { communities: { replace: [] } }, action: 'accept' });
    expect(exportAttributes(learned(), leaf(1, everything))).toBeUndefined();
    expect(exportAttributes(learned({ communities: [0xffffff01] }), spine(everything))).toBeUndefined();
  });

  it('sends the MED that it sets to another AS, not the one received, and never LOCAL_PREF', () => {
    const set = policy('set', { set: { med: 9, localPref: 7 } });
    const told = exportAttributes(learned({ med: 5, localPref: 1 }), spine(set))!;
    expect([told.med, 'localPref' in told]).toEqual([9, false]);
    expect(exportAttributes(learned({ med: 5 }), spine())?.med).toBeUndefined();
    expect(exportAttributes(learned(), { ...spine(set), external: false })).toMatchObject({ med: 9, localPref: 7 });
  });

  it('keeps a non-transitive community that it adds', () => {
    const add = policy('add', { set: { communities: { add: [community('4004fde800000001')] } } });
    expect(exportAttributes(learned(), spine(add))?.extendedCommunities).toHaveLength(1);
  });

  it('matches the next hop of the route, and sends another one only where it sets it', () => {
    const other = parseAddress('2001:db8::1')!;
    const match = { nextHop: [{ address: parseAddress('fe80::1')!, length: 128 }] };
    const set = policy('set', { match, set: { nextHop: other } });
    expect(exportAttributes(learned(), spine(set))?.nextHop).toEqual({ global: other });
    expect(exportAttributes(learned(), spine(policy('p', { match, set: { med: 1 } })))).toMatchObject({ med: 1 });
    expect(exportAttributes(learned(), spine(policy('p')))?.nextHop).toBeUndefined();
    const back = policy('back', { set: { nextHop: 'self' } });
    expect(exportAttributes(learned(), spine(set, back))?.nextHop).toBeUndefined();
  });
});
