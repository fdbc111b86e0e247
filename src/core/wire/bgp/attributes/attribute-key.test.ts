import { describe, expect, it } from 'vitest';
import { type UpdateParts, updateBody } from '../../../../../test/harness/bgp-bytes.js';
import type { UpdateContext } from '../message.js';
import { hex } from '../octets.js';
import { splitUpdate } from '../update.js';
import { type NlriField, UpdateView } from '../update-view.js';
import { attributeKey, MAX_KEY_OCTETS, readAttributeKey } from './attribute-key.js';
import { decodeAttributes } from './decode-attributes.js';

const CONTEXT: UpdateContext = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true };
const ORIGIN = '40 01 01 00';
const AS_PATH = '40 02 06 02 01 0000fde9';
const NEXT_HOP = '40 03 04 0a000001';
const REACH = '80 0e 1e 0002 01 10 fe800000000000000000000000000001 00 40fc00000100020003';

function key(parts: UpdateParts, field: NlriField = 'mp', context = CONTEXT): string {
  const view = new UpdateView();
  expect(splitUpdate(updateBody(parts), context, view)).toBeUndefined();
  const scratch = new Uint8Array(MAX_KEY_OCTETS);
  return hex(scratch.subarray(0, attributeKey(view, field, scratch)));
}

const BASE = { attributes: [REACH, ORIGIN, AS_PATH] };

describe('attributeKey', () => {
  const SAME = [
    { name: 'other routes', parts: { attributes: [REACH.replace('40fc', '3ffc'), ORIGIN, AS_PATH] } },
    { name: 'more routes', parts: { attributes: [REACH.replace('0e 1e', '0e 1f').concat('00'), ORIGIN, AS_PATH] } },
    { name: 'withdrawn routes besides', parts: { attributes: [REACH, '80 0f 04 0002 01 00', ORIGIN, AS_PATH] } },
    { name: 'MP_REACH_NLRI last', parts: { attributes: [ORIGIN, AS_PATH, REACH] } },
    { name: 'a NEXT_HOP besides', parts: { attributes: [REACH, ORIGIN, AS_PATH, NEXT_HOP] } },
  ];

  it.each(SAME)('is the same with $name', ({ parts }) => {
    expect(key(parts)).toBe(key(BASE));
  });

  const OTHER = [
    { name: 'another next hop', parts: { attributes: [REACH.replace('0001 00 40', '0002 00 40'), ORIGIN, AS_PATH] } },
    { name: 'another value', parts: { attributes: [REACH, '40 01 01 02', AS_PATH] } },
    { name: 'another attribute', parts: { attributes: [REACH, ORIGIN, AS_PATH, '80 04 04 00000000'] } },
    { name: 'one attribute fewer', parts: { attributes: [REACH, ORIGIN] } },
    { name: 'another family', parts: { attributes: [REACH.replace('0002 01', '0001 01'), ORIGIN, AS_PATH] } },
    { name: 'a 2-octet peer', parts: BASE, context: { ...CONTEXT, fourOctetAs: false } },
    { name: 'an internal peer', parts: BASE, context: { ...CONTEXT, externalPeer: false } },
    { name: 'AIGP turned off', parts: BASE, context: { ...CONTEXT, aigp: false } },
    { name: 'AS_SETs accepted', parts: BASE, context: { ...CONTEXT, asSets: true } },
  ];

  it.each(OTHER)('differs with $name', ({ parts, context }) => {
    expect(key(parts, 'mp', context)).not.toBe(key(BASE));
  });

  it('of the classic field has NEXT_HOP and not MP_REACH_NLRI in it', () => {
    const classic = { attributes: [ORIGIN, AS_PATH, NEXT_HOP], nlri: '00' };
    expect(key(classic, 'classic')).toBe(key({ ...classic, attributes: [REACH, ...classic.attributes] }, 'classic'));
    expect(key(classic, 'classic')).not.toBe(key({ ...classic, attributes: [ORIGIN, AS_PATH] }, 'classic'));
  });

  it('does not exist for an UPDATE with faults', () => {
    expect(key({ attributes: [...BASE.attributes, ORIGIN] })).toBe('');
  });
});

describe('readAttributeKey', () => {
  const UNKNOWN = 'c0 c8 03 010203';
  const classic = { attributes: [ORIGIN, AS_PATH, NEXT_HOP], nlri: '00' };
  const CASES: readonly { name: string; parts: UpdateParts; field?: NlriField; context?: UpdateContext }[] = [
    { name: 'routes in MP_REACH_NLRI', parts: BASE },
    { name: 'routes in the classic field', parts: classic, field: 'classic' },
    { name: 'routes in both, read for one', parts: { ...classic, attributes: [REACH, ...classic.attributes] } },
    {
      name: 'routes in both, read for the other',
      parts: { ...classic, attributes: [REACH, ...classic.attributes] },
      field: 'classic',
    },
    { name: 'routes in the other field alone', parts: classic },
    { name: 'no routes', parts: { attributes: [ORIGIN, AS_PATH] }, field: 'classic' },
    { name: 'attributes that nobody knows', parts: { attributes: [REACH, ORIGIN, AS_PATH, UNKNOWN] } },
    { name: 'one that is missing', parts: { attributes: [REACH, ORIGIN] } },
    { name: 'one that is wrong', parts: { attributes: [REACH, '40 01 01 07', AS_PATH] } },
    {
      name: 'a next hop of an impossible length',
      parts: { attributes: ['80 0e 08 0002 01 02 fe80 00 00', ORIGIN, AS_PATH] },
    },
    {
      name: 'a 2-octet peer',
      parts: { attributes: [REACH, ORIGIN, '40 02 04 02 01 fde9'] },
      context: { ...CONTEXT, fourOctetAs: false },
    },
    { name: 'an internal peer', parts: BASE, context: { ...CONTEXT, externalPeer: false } },
    { name: 'an extended length', parts: { attributes: [REACH, ORIGIN, `50 02 0006 02 01 0000fde9`] } },
  ];

  it.each(CASES)('decodes to the same: $name', ({ parts, field = 'mp', context = CONTEXT }) => {
    const view = new UpdateView();
    expect(splitUpdate(updateBody(parts), context, view)).toBeUndefined();
    const scratch = new Uint8Array(MAX_KEY_OCTETS);
    const length = attributeKey(view, field, scratch);
    expect(length).toBeGreaterThan(0);
    const again = new UpdateView();
    expect(readAttributeKey(scratch.slice(0, length), again)).toBe(field);
    expect(decodeAttributes(again, field)).toEqual(decodeAttributes(view, field));
  });
});
