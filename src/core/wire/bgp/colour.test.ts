import { describe, expect, it } from 'vitest';
import { bytes } from '../../../../test/harness/bgp-bytes.js';
import { formatExtendedCommunity } from './attributes/extended-communities.js';
import { colourCommunity, colourOf, isTransitive } from './colour.js';
import type { ExtendedCommunity } from './path-attributes.js';

function community(text: string): ExtendedCommunity {
  const octets = bytes(text);
  return { type: octets[0]!, subtype: octets[1]!, value: octets.slice(2) };
}

describe('colour', () => {
  const ROUTES = [
    { name: 'no communities', communities: undefined, colour: undefined },
    { name: 'one colour', communities: ['030b 0000 00000003'], colour: 3 },
    { name: 'colour 0', communities: ['030b 0000 00000000'], colour: 0 },
    {
      name: 'the highest of several',
      communities: ['030b 0000 00000003', '030b c000 80000000', '030b 0000 00000004'],
      colour: 0x80000000,
    },
    {
      name: 'sub-type 0b of another type',
      communities: ['010b 0000 00000003', '430b 0000 00000009'],
      colour: undefined,
    },
    { name: 'another opaque community', communities: ['030c 0000 00000003'], colour: undefined },
  ];

  it.each(ROUTES)('$name', ({ communities, colour }) => {
    const attributes = communities ? { extendedCommunities: communities.map(community) } : {};
    expect(colourOf(attributes)).toBe(colour);
  });

  it('makes the community it reads', () => {
    const made = colourCommunity(0xfffffffe);
    expect(made).toEqual(community('030b 0000 fffffffe'));
    expect(colourOf({ extendedCommunities: [made] })).toBe(0xfffffffe);
  });
});

describe('isTransitive', () => {
  it.each([
    ['00', true],
    ['03', true],
    ['80', true],
    ['83', true],
    ['40', false],
    ['43', false],
    ['c0', false],
    // 0x41 has bit 0 in common with 0x03: only the one bit decides.
    ['41', false],
    ['3f', true],
  ])('type %s', (type, transitive) => {
    expect(isTransitive(community(`${type} 00 000000000000`))).toBe(transitive);
  });
});

describe('formatExtendedCommunity', () => {
  it.each([
    ['030b 0000 00000003', 'color:00:3'],
    ['030b 4000 00000003', 'color:01:3'],
    ['030b bfff 00000003', 'color:10:3'],
    ['030b c000 ffffffff', 'color:11:4294967295'],
    ['0002 fde8 00000001', 'rt:65000:1'],
    ['0003 fde8 00000001', 'soo:65000:1'],
    ['0102 0a000001 0001', 'rt:10.0.0.1:1'],
    ['0203 fa56ea01 0001', 'soo:4200000001:1'],
    ['4004 fde8 4cbebc20', 'bandwidth-non-transitive:65000:100000000'],
    ['430b 0000 00000003', '430b000000000003'],
  ])('%s is %s', (octets, text) => {
    expect(formatExtendedCommunity(community(octets))).toBe(text);
  });
});
