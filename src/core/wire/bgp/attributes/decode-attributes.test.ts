import { describe, expect, it } from 'vitest';
import { bytes, type UpdateParts, updateBody } from '../../../../../test/harness/bgp-bytes.js';
import type { UpdateContext } from '../message.js';
import { splitUpdate } from '../update.js';
import { type NlriField, UpdateView } from '../update-view.js';
import { type DecodedAttributes, decodeAttributes, resetError } from './decode-attributes.js';

const EXTERNAL: UpdateContext = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true };
const INTERNAL: UpdateContext = { ...EXTERNAL, externalPeer: false };
const TWO_OCTET: UpdateContext = { ...EXTERNAL, fourOctetAs: false };

const ORIGIN = '40 01 01 00';
const AS_PATH = '40 02 06 02 01 0000fde9';
const NEXT_HOP = '40 03 04 0a000001';
const LOCAL_PREF = '40 05 04 00000064';
const GOOD = [ORIGIN, AS_PATH, NEXT_HOP];
const PREFIX = '18 0a0101';
const LINK_LOCAL = 'fe800000000000000000000000000001';
const UNREACH = '80 0f 0c 0002 01 40fc00000100020003';

function reach(nextHop: string, nlri = '40fc00000100020003', family = '0002 01'): string {
  const value = `${family}${(nextHop.length / 2).toString(16).padStart(2, '0')}${nextHop}00${nlri}`.replaceAll(' ', '');
  return `80 0e ${(value.length / 2).toString(16).padStart(2, '0')} ${value}`;
}

function decode(parts: UpdateParts, context = EXTERNAL, field: NlriField = 'classic'): DecodedAttributes {
  const view = new UpdateView();
  const error = splitUpdate(updateBody(parts), context, view);
  if (error) throw new Error(error.reason);
  return decodeAttributes(view, field);
}

/** The good attributes with one replaced (same type) or added. */
function withAttribute(attribute: string): readonly string[] {
  const type = bytes(attribute)[1];
  return [...GOOD.filter((good) => bytes(good)[1] !== type), attribute];
}

describe('RFC 7606 outcomes', () => {
  const WITHDRAWN = [
    { name: 'ORIGIN of no octets', attribute: '40 01 00' },
    { name: 'ORIGIN of two octets', attribute: '40 01 02 0000' },
    { name: 'ORIGIN 3', attribute: '40 01 01 03' },
    { name: 'ORIGIN optional', attribute: 'c0 01 01 00' },
    { name: 'ORIGIN not transitive', attribute: '00 01 01 00' },
    { name: 'AS_PATH with a segment that overruns', attribute: '40 02 06 02 02 0000fde9' },
    { name: 'AS_PATH with an octet left over', attribute: '40 02 07 02 01 0000fde9 02' },
    { name: 'AS_PATH with an empty segment', attribute: '40 02 02 02 00' },
    { name: 'AS_PATH with segment type 5', attribute: '40 02 06 05 01 0000fde9' },
    { name: 'AS_PATH with a confederation sequence', attribute: '40 02 06 03 01 0000fde9' },
    { name: 'AS_PATH with a confederation set', attribute: '40 02 06 04 01 0000fde9' },
    { name: 'AS_PATH with AS 0', attribute: '40 02 0a 02 02 0000fde9 00000000' },
    { name: 'NEXT_HOP of three octets', attribute: '40 03 03 0a0000' },
    { name: 'NEXT_HOP of sixteen octets', attribute: `40 03 10 ${LINK_LOCAL}` },
    { name: 'NEXT_HOP 0.0.0.0', attribute: '40 03 04 00000000' },
    { name: 'NEXT_HOP multicast', attribute: '40 03 04 e0000001' },
    { name: 'MULTI_EXIT_DISC of three octets', attribute: '80 04 03 000000' },
    { name: 'MULTI_EXIT_DISC transitive', attribute: 'c0 04 04 00000000' },
    { name: 'COMMUNITIES of no octets', attribute: 'c0 08 00' },
    { name: 'COMMUNITIES of five octets', attribute: 'c0 08 05 0000000000' },
    { name: 'COMMUNITIES not transitive', attribute: '80 08 04 00000000' },
    { name: 'EXTENDED COMMUNITIES of no octets', attribute: 'c0 10 00' },
    { name: 'EXTENDED COMMUNITIES of nine octets', attribute: 'c0 10 09 030b00000000000300' },
    { name: 'IPv6 extended communities of 21 octets', attribute: `c0 19 15 ${'00'.repeat(21)}` },
    { name: 'LARGE_COMMUNITY of no octets', attribute: 'c0 20 00' },
    { name: 'LARGE_COMMUNITY of 13 octets', attribute: `c0 20 0d ${'00'.repeat(13)}` },
    { name: 'ATOMIC_AGGREGATE optional', attribute: 'c0 06 00' },
    { name: 'AGGREGATOR not transitive', attribute: '80 07 08 0000fde9 0a000001' },
  ];

  it.each(WITHDRAWN)('treat as withdraw: $name', ({ attribute }) => {
    const decoded = decode({ attributes: withAttribute(attribute), nlri: PREFIX });
    expect(decoded.action).toBe('treat-as-withdraw');
    expect(decoded.attributes).toBeUndefined();
    expect(decoded.errors).toMatchObject([{ attribute: bytes(attribute)[1], data: bytes(attribute) }]);
  });

  const DISCARDED = [
    { name: 'ATOMIC_AGGREGATE with a value', attribute: '40 06 01 00' },
    { name: 'AGGREGATOR of six octets', attribute: 'c0 07 06 fde9 0a000001' },
    { name: 'AGGREGATOR with AS 0', attribute: 'c0 07 08 00000000 0a000001' },
    { name: 'LOCAL_PREF from outside', attribute: LOCAL_PREF },
    { name: 'malformed LOCAL_PREF from outside', attribute: '40 05 01 00' },
    { name: 'ORIGINATOR_ID from outside', attribute: '80 09 04 0a000001' },
    { name: 'CLUSTER_LIST from outside', attribute: '80 0a 03 0a0000' },
    { name: 'AS4_PATH from a 4-octet peer', attribute: 'c0 11 06 02 01 0000fdea' },
    { name: 'malformed AS4_PATH from a 4-octet peer', attribute: 'c0 11 01 02' },
    { name: 'AS4_AGGREGATOR from a 4-octet peer', attribute: 'c0 12 08 0000fde9 0a000001' },
    { name: 'AIGP transitive', attribute: 'c0 1a 0b 01 000b 0000000000000001' },
    { name: 'AIGP of no octets', attribute: '80 1a 00' },
    { name: 'AIGP with a short TLV', attribute: '80 1a 0a 01 000a 00000000000001' },
    { name: 'AIGP with a TLV that overruns', attribute: '80 1a 0b 01 000c 0000000000000001' },
    { name: 'AIGP with a TLV of length 2', attribute: '80 1a 03 01 0002' },
    { name: 'AIGP with a TLV header cut off', attribute: '80 1a 0d 01 000b 0000000000000001 0200' },
    { name: 'AIGP with no AIGP TLV', attribute: '80 1a 04 02 0004 00' },
    { name: 'infinite AIGP', attribute: '80 1a 0b 01 000b ffffffffffffffff' },
  ];

  it.each(DISCARDED)('discard the attribute: $name', ({ attribute }) => {
    const decoded = decode({ attributes: withAttribute(attribute), nlri: PREFIX });
    expect(decoded.action).toBe('attribute-discard');
    expect(decoded.errors).toMatchObject([{ attribute: bytes(attribute)[1] }]);
    expect(decoded.attributes).toEqual(decode({ attributes: GOOD, nlri: PREFIX }).attributes);
  });

  it('AIGP on a session where it is not enabled is discarded', () => {
    const attributes = withAttribute('80 1a 0b 01 000b 0000000000000001');
    const decoded = decode({ attributes, nlri: PREFIX }, { ...EXTERNAL, aigp: false });
    expect(decoded.action).toBe('attribute-discard');
    expect(decoded.attributes).not.toHaveProperty('aigp');
  });

  const MISSING = [
    { name: 'ORIGIN', attributes: [AS_PATH, NEXT_HOP], type: 1 },
    { name: 'AS_PATH', attributes: [ORIGIN, NEXT_HOP], type: 2 },
    { name: 'NEXT_HOP', attributes: [ORIGIN, AS_PATH], type: 3 },
    { name: 'LOCAL_PREF inside', attributes: GOOD, type: 5, context: INTERNAL },
  ];

  it.each(MISSING)('treat as withdraw: missing $name', ({ attributes, type, context }) => {
    const decoded = decode({ attributes, nlri: PREFIX }, context);
    expect(decoded.action).toBe('treat-as-withdraw');
    expect(decoded.errors).toMatchObject([{ attribute: type, subcode: 3, data: bytes(`0${type}`) }]);
  });

  const INTERNAL_ONLY = [
    { name: 'LOCAL_PREF of three octets', attribute: '40 05 03 000000' },
    { name: 'ORIGINATOR_ID of five octets', attribute: '80 09 05 0000000000' },
    { name: 'CLUSTER_LIST of no octets', attribute: '80 0a 00' },
    { name: 'CLUSTER_LIST of six octets', attribute: '80 0a 06 000000000000' },
  ];

  it.each(INTERNAL_ONLY)('treat as withdraw from inside: $name', ({ attribute }) => {
    const attributes = [LOCAL_PREF, ...GOOD].filter((good) => bytes(good)[1] !== bytes(attribute)[1]);
    const decoded = decode({ attributes: [...attributes, attribute], nlri: PREFIX }, INTERNAL);
    expect(decoded.action).toBe('treat-as-withdraw');
  });

  it('what a route reflector added is read from inside', () => {
    const attributes = [...GOOD, LOCAL_PREF, '80 09 04 0a000001', '80 0a 08 0a000002 0a000003'];
    const decoded = decode({ attributes, nlri: PREFIX }, INTERNAL);
    expect(decoded.errors).toEqual([]);
    expect(decoded.attributes).toMatchObject({ originatorId: 0x0a000001, clusterList: [0x0a000002, 0x0a000003] });
  });

  it('the first of two equal attributes counts', () => {
    const decoded = decode({ attributes: [...GOOD, '40 01 01 02'], nlri: PREFIX });
    expect(decoded.action).toBe('attribute-discard');
    expect(decoded.attributes?.origin).toBe(0);
  });

  it('an unknown well-known attribute resets the session', () => {
    const decoded = decode({ attributes: [...GOOD, '40 63 01 00'], nlri: PREFIX });
    expect(decoded.action).toBe('session-reset');
    expect(decoded.attributes).toBeUndefined();
    expect(resetError(decoded)).toMatchObject({ code: 3, subcode: 2, data: bytes('40 63 01 00') });
  });

  it('the strongest action of several wins', () => {
    const attributes = [...GOOD, '40 06 01 00', 'c0 08 00'];
    expect(decode({ attributes, nlri: PREFIX }).action).toBe('treat-as-withdraw');
    expect(decode({ attributes: [...attributes, '40 63 00'], nlri: PREFIX }).action).toBe('session-reset');
  });

  it('an overrun is treated as withdraw where the routes are known', () => {
    const decoded = decode({ attributes: [...GOOD, 'c0 08 ff 00'], nlri: PREFIX });
    expect(decoded).toMatchObject({ action: 'treat-as-withdraw', attributes: undefined });
  });

  it('wrong flags of MP_REACH_NLRI are treated as withdraw', () => {
    const attributes = [reach(LINK_LOCAL).replace('80', 'c0'), ORIGIN, AS_PATH];
    expect(decode({ attributes }, EXTERNAL, 'mp').action).toBe('treat-as-withdraw');
  });

  it.each([0, 8, 24, 48])('a next hop of %i octets resets the session', (length) => {
    const decoded = decode({ attributes: [reach('fe'.repeat(length)), ORIGIN, AS_PATH] }, EXTERNAL, 'mp');
    expect(decoded.action).toBe('session-reset');
    expect(resetError(decoded)).toMatchObject({ code: 3, subcode: 9 });
  });

  it('a next hop of :: is treated as withdraw', () => {
    const decoded = decode({ attributes: [reach('00'.repeat(16)), ORIGIN, AS_PATH] }, EXTERNAL, 'mp');
    expect(decoded).toMatchObject({ action: 'treat-as-withdraw', errors: [{ attribute: 14, subcode: 8 }] });
  });

  describe('without reachable routes (section 5.2)', () => {
    it('an error that is more than a discard resets the session', () => {
      const decoded = decode({ attributes: [UNREACH, '40 01 01 03'] });
      expect(decoded.action).toBe('session-reset');
      expect(resetError(decoded)).toMatchObject({ code: 3, subcode: 6 });
    });

    it('a discard stays one', () => {
      expect(decode({ attributes: [UNREACH, '40 06 01 00'] }).action).toBe('attribute-discard');
    });

    it('nothing is missing', () => {
      expect(decode({ attributes: [UNREACH] })).toEqual({ attributes: undefined, errors: [], action: undefined });
    });
  });
});

describe('what broke others', () => {
  it('NEXT_HOP beside MP_REACH_NLRI is ignored, whatever it holds', () => {
    for (const nextHop of ['40 03 04 00000000', '40 03 01 00', '40 03 00']) {
      const decoded = decode({ attributes: [reach(LINK_LOCAL), ORIGIN, AS_PATH, nextHop] }, EXTERNAL, 'mp');
      expect(decoded.errors).toEqual([]);
      expect(decoded.attributes?.nextHop).toEqual({ linkLocal: bytes(LINK_LOCAL) });
    }
  });

  it('both fields in one UPDATE have their own next hop', () => {
    const parts = { attributes: [reach(LINK_LOCAL), ...GOOD], nlri: PREFIX };
    expect(decode(parts, EXTERNAL, 'classic').attributes?.nextHop).toEqual({ global: bytes('0a000001') });
    expect(decode(parts, EXTERNAL, 'mp').attributes?.nextHop).toEqual({ linkLocal: bytes(LINK_LOCAL) });
  });

  it.each([
    { name: 'entropy label (28)', attribute: 'c0 1c 03 abcdef' },
    { name: 'tunnel encapsulation (23)', attribute: 'c0 17 05 ffffffffff' },
    { name: 'prefix SID (40)', attribute: 'c0 28 02 ffff' },
    { name: 'only-to-customer (35)', attribute: 'c0 23 01 00' },
  ])('garbage in an attribute that is not used is passed on unread: $name', ({ attribute }) => {
    const decoded = decode({ attributes: withAttribute(attribute), nlri: PREFIX });
    expect(decoded.errors).toEqual([]);
    const octets = bytes(attribute);
    expect(decoded.attributes?.unknown).toEqual([{ flags: 0xc0, type: octets[1], value: octets.slice(3) }]);
  });

  it('low flag bits and the extended length are no part of an unknown attribute', () => {
    const decoded = decode({ attributes: withAttribute('f5 63 0001 07'), nlri: PREFIX });
    expect(decoded.attributes?.unknown).toEqual([{ flags: 0xe0, type: 0x63, value: bytes('07') }]);
  });

  it('an unknown optional non-transitive attribute is dropped silently', () => {
    const decoded = decode({ attributes: withAttribute('80 63 01 07'), nlri: PREFIX });
    expect(decoded.errors).toEqual([]);
    expect(decoded.attributes).not.toHaveProperty('unknown');
  });

  it('a NEXT_HOP that is too short is reported once and read no further', () => {
    expect(decode({ attributes: [ORIGIN, AS_PATH, '40 03 01 0a'], nlri: PREFIX }).errors).toHaveLength(1);
  });

  describe('an AS_SET (RFC 9774 section 3)', () => {
    const SET = '40 02 0c 02 01 0000fde9 01 01 0000fdea';
    // AS_PATH 23456 as a 2-octet peer sends it, and what stands behind it.
    const TRANS = '40 02 04 02 01 5ba0';
    const AS4_SET = 'c0 11 06 01 01 fa56ea01';

    it('in AS_PATH is treated as withdraw, and used where an operator says so', () => {
      const update = { attributes: [ORIGIN, SET, NEXT_HOP], nlri: PREFIX };
      expect(decode(update)).toMatchObject({ attributes: undefined, action: 'treat-as-withdraw' });
      expect(decode(update, { ...EXTERNAL, asSets: true }).attributes?.asPath).toEqual([
        { kind: 'sequence', asns: [65001] },
        { kind: 'set', asns: [65002] },
      ]);
    });

    it('in AS4_PATH too', () => {
      const update = { attributes: [ORIGIN, TRANS, NEXT_HOP, AS4_SET], nlri: PREFIX };
      expect(decode(update, TWO_OCTET)).toMatchObject({ attributes: undefined, action: 'treat-as-withdraw' });
      const accepted = decode(update, { ...TWO_OCTET, asSets: true });
      expect(accepted.attributes?.asPath).toEqual([{ kind: 'set', asns: [4200000001] }]);
    });

    it('of a confederation is treated as withdraw always', () => {
      const update = { attributes: [ORIGIN, SET.replace('01 01 0000fdea', '04 01 0000fdea'), NEXT_HOP], nlri: PREFIX };
      expect(decode(update, { ...EXTERNAL, asSets: true }).action).toBe('treat-as-withdraw');
    });
  });

  it('an empty AS_PATH is no error', () => {
    const decoded = decode({ attributes: [ORIGIN, '40 02 00', NEXT_HOP], nlri: PREFIX });
    expect(decoded.attributes?.asPath).toEqual([]);
  });

  it('AIGP 0 is a value', () => {
    const decoded = decode({ attributes: withAttribute('80 1a 0b 01 000b 0000000000000000'), nlri: PREFIX });
    expect(decoded.attributes?.aigp).toEqual({ metric: 0n, otherTlvs: [] });
  });

  it('later and unknown TLVs of AIGP are kept in order', () => {
    const aigp = '80 1a 1c 07 0006 aabbcc 01 000b 0000000100000002 01 000b 0000000000000009';
    const decoded = decode({ attributes: withAttribute(aigp), nlri: PREFIX });
    expect(decoded.attributes?.aigp).toEqual({
      metric: 0x100000002n,
      otherTlvs: [
        { type: 7, value: bytes('aabbcc') },
        { type: 1, value: bytes('0000000000000009') },
      ],
    });
  });

  it('attributes are decoded the same in any order', () => {
    const attributes = [...GOOD, '80 04 04 00000007', 'c0 08 04 fde80001'];
    const forwards = decode({ attributes, nlri: PREFIX }).attributes;
    expect(decode({ attributes: attributes.toReversed(), nlri: PREFIX }).attributes).toEqual(forwards);
  });
});

describe('from a peer with 2-octet AS numbers (RFC 6793)', () => {
  const CASES = [
    { name: 'AS_PATH alone', path: '02 02 fde9 fdea', as4: undefined, merged: [65001, 65002] },
    {
      name: 'AS4_PATH that covers the end',
      path: '02 03 fde9 5ba0 fdea',
      as4: '02 02 fa56ea01 0000fdea',
      merged: [65001, 4200000001, 65002],
    },
    { name: 'AS4_PATH that covers all', path: '02 01 5ba0', as4: '02 01 fa56ea01', merged: [4200000001] },
    { name: 'AS4_PATH longer than AS_PATH', path: '02 01 fde9', as4: '02 02 fa56ea01 0000fdea', merged: [65001] },
    { name: 'malformed AS4_PATH', path: '02 01 fde9', as4: '02 02 fa56ea01', merged: [65001] },
  ];

  it.each(CASES)('$name', ({ path, as4, merged }) => {
    const attribute = (header: string, value: string) =>
      `${header} ${bytes(value).length.toString(16).padStart(2, '0')} ${value}`;
    const list = [ORIGIN, NEXT_HOP, attribute('40 02', path), ...(as4 ? [attribute('c0 11', as4)] : [])];
    const decoded = decode({ attributes: list, nlri: PREFIX }, TWO_OCTET);
    expect(decoded.attributes?.asPath).toEqual([{ kind: 'sequence', asns: merged }]);
    expect(decoded.attributes).not.toHaveProperty('as4Path');
  });

  const PATH = '40 02 04 02 01 5ba0';
  const AS4_PATH = 'c0 11 06 02 01 fa56ea01';
  const AS4_AGGREGATOR = 'c0 12 08 fa56ea01 0a000009';

  it('AS4_AGGREGATOR replaces AS_TRANS', () => {
    const attributes = [ORIGIN, PATH, NEXT_HOP, 'c0 07 06 5ba0 0a000001', AS4_PATH, AS4_AGGREGATOR];
    const decoded = decode({ attributes, nlri: PREFIX }, TWO_OCTET);
    expect(decoded.attributes?.aggregator).toEqual({ asn: 4200000001, address: bytes('0a000009') });
    expect(decoded.attributes?.asPath).toEqual([{ kind: 'sequence', asns: [4200000001] }]);
  });

  it('another AGGREGATOR makes both AS4 attributes void', () => {
    const attributes = [ORIGIN, PATH, NEXT_HOP, 'c0 07 06 fde9 0a000001', AS4_PATH, AS4_AGGREGATOR];
    const decoded = decode({ attributes, nlri: PREFIX }, TWO_OCTET);
    expect(decoded.attributes?.aggregator).toEqual({ asn: 65001, address: bytes('0a000001') });
    expect(decoded.attributes?.asPath).toEqual([{ kind: 'sequence', asns: [23456] }]);
  });
});
