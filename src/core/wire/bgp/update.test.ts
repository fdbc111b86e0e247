import { describe, expect, it } from 'vitest';
import { bytes, type UpdateParts, updateBody } from '../../../../test/harness/bgp-bytes.js';
import type { UpdateContext } from './message.js';
import { NlriCursor } from './nlri-cursor.js';
import { invalidNetworkField, isEndOfRib, splitUpdate } from './update.js';
import { UpdateView } from './update-view.js';

const CONTEXT: UpdateContext = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true };
const ORIGIN = '40 01 01 00';
const AS_PATH = '40 02 06 02 01 0000fde9';
const NEXT_HOP = '40 03 04 0a000001';
const REACH = '80 0e 1e 0002 01 10 fe800000000000000000000000000001 00 40fc00000100020003';
const UNREACH = '80 0f 0c 0002 01 40fc00000100020003';

function split(parts: UpdateParts | Uint8Array, context = CONTEXT) {
  const view = new UpdateView();
  const error = splitUpdate(parts instanceof Uint8Array ? parts : updateBody(parts), context, view);
  return { view, error };
}

describe('splitUpdate', () => {
  it('finds every field', () => {
    const { view, error } = split({
      withdrawn: '18 0a0000',
      attributes: [REACH, ORIGIN, AS_PATH, NEXT_HOP, UNREACH],
      nlri: '18 0a0101 18 0a0102',
    });
    expect(error).toBeUndefined();
    expect(view.faults).toEqual([]);
    const range = (start: number, end: number) => view.body.slice(start, end);
    expect(range(view.withdrawnStart, view.withdrawnEnd)).toEqual(bytes('18 0a0000'));
    expect(range(view.nlriStart, view.nlriEnd)).toEqual(bytes('18 0a0101 18 0a0102'));
    expect([view.reachAfi, view.reachSafi, view.unreachAfi, view.unreachSafi]).toEqual([2, 1, 2, 1]);
    expect(range(view.reachNextHopStart, view.reachNextHopEnd)).toEqual(bytes('fe800000000000000000000000000001'));
    expect(range(view.reachNlriStart, view.reachNlriEnd)).toEqual(bytes('40fc00000100020003'));
    expect(range(view.unreachNlriStart, view.unreachNlriEnd)).toEqual(bytes('40fc00000100020003'));
    const types = Array.from(view.attributeOffsets.subarray(0, view.attributeCount), (at) => view.body[at + 1]);
    expect(types).toEqual([1, 2, 3]);
  });

  it('forgets the message before', () => {
    const { view } = split({ attributes: [REACH, ORIGIN, ORIGIN, UNREACH], nlri: '00' });
    expect(view.faults).toHaveLength(1);
    expect(splitUpdate(bytes('0000 0000'), CONTEXT, view)).toBeUndefined();
    const counted = { ...view, attributeOffsets: [] };
    expect(counted).toEqual({ ...split(bytes('0000 0000')).view, attributeOffsets: [] });
  });

  it('ignores the reserved octet of MP_REACH_NLRI', () => {
    const { view, error } = split({ attributes: [REACH.replace('00 40fc', 'ff 40fc')] });
    expect(error).toBeUndefined();
    expect(view.hasRoutes('mp')).toBe(true);
  });

  const RESETS = [
    { name: 'three octets', update: bytes('0000 00'), subcode: 1 },
    { name: 'withdrawn routes that overrun', update: bytes('0003 0000'), subcode: 1 },
    { name: 'attributes that overrun', update: bytes('0000 0001'), subcode: 1 },
    { name: 'MP_REACH_NLRI twice', update: { attributes: [REACH, REACH] }, subcode: 1 },
    { name: 'MP_UNREACH_NLRI twice', update: { attributes: [UNREACH, UNREACH] }, subcode: 1 },
    { name: 'MP_REACH_NLRI of four octets', update: { attributes: ['80 0e 04 0002 01 00'] }, subcode: 9 },
    {
      name: 'a next hop that overruns MP_REACH_NLRI',
      update: { attributes: ['80 0e 06 0002 01 02 fe80'] },
      subcode: 9,
    },
    { name: 'MP_UNREACH_NLRI of two octets', update: { attributes: ['80 0f 02 0002'] }, subcode: 9 },
    { name: 'an overrun with no routes to withdraw', update: { attributes: [ORIGIN, '40 02 0f 02'] }, subcode: 1 },
    { name: 'an overrun of MP_REACH_NLRI itself', update: { attributes: ['80 0e 1f 0002'], nlri: '00' }, subcode: 1 },
    { name: 'an attribute of one octet, with no routes', update: { attributes: ['40'] }, subcode: 1 },
  ];

  it.each(RESETS)('resets the session for $name', ({ update, subcode }) => {
    expect(split(update).error).toMatchObject({ code: 3, subcode });
  });

  it('has the attribute as data when it is MP_REACH_NLRI', () => {
    expect(split({ attributes: [ORIGIN, '80 0e 04 0002 01 00'] }).error?.data).toEqual(bytes('80 0e 04 0002 01 00'));
  });

  const FAULTS = [
    { name: 'overrun in the length', update: { attributes: [ORIGIN, '40 02 0f 02'], nlri: '00' }, attribute: 2 },
    { name: 'overrun in the header', update: { attributes: [ORIGIN, '40 02'], nlri: '00' }, attribute: 0 },
    { name: 'overrun in the long header', update: { attributes: [ORIGIN, '50 02 00'], nlri: '00' }, attribute: 0 },
    { name: 'overrun after MP_REACH_NLRI', update: { attributes: [REACH, '40 02 0f 02'] }, attribute: 2 },
    { name: 'transitive MP_REACH_NLRI', update: { attributes: [REACH.replace('80', 'c0')] }, attribute: 14 },
    { name: 'well-known MP_UNREACH_NLRI', update: { attributes: [UNREACH.replace('80', '40')] }, attribute: 15 },
  ];

  it.each(FAULTS)('treats as withdraw: $name', ({ update, attribute }) => {
    const { view, error } = split(update);
    expect(error).toBeUndefined();
    expect(view.faults).toMatchObject([{ action: 'treat-as-withdraw', attribute }]);
  });

  it('keeps the first of two equal attributes', () => {
    const { view, error } = split({ attributes: [ORIGIN, AS_PATH, '40 01 01 02'], nlri: '00' });
    expect(error).toBeUndefined();
    expect(view.attributeCount).toBe(2);
    expect(view.faults).toMatchObject([{ action: 'attribute-discard', attribute: 1 }]);
  });
});

describe('isEndOfRib', () => {
  const CASES = [
    { name: 'IPv4', update: bytes('0000 0000'), family: 'ipv4-unicast' },
    { name: 'IPv6', update: { attributes: ['80 0f 03 0002 01'] }, family: 'ipv6-unicast' },
    { name: 'IPv4 in MP_UNREACH_NLRI', update: { attributes: ['90 0f 0003 0001 01'] }, family: 'ipv4-unicast' },
    { name: 'a family that is not carried', update: { attributes: ['80 0f 03 0002 80'] }, family: undefined },
    { name: 'flags that are wrong', update: { attributes: ['c0 0f 03 0002 01'] }, family: undefined },
    { name: 'a withdrawal', update: { attributes: [UNREACH] }, family: undefined },
    { name: 'a classic withdrawal', update: { withdrawn: '00' }, family: undefined },
    { name: 'an attribute besides', update: { attributes: ['80 0f 03 0002 01', ORIGIN] }, family: undefined },
    { name: 'classic routes besides', update: { attributes: ['80 0f 03 0002 01'], nlri: '00' }, family: undefined },
    { name: 'routes', update: { attributes: [REACH] }, family: undefined },
  ];

  it.each(CASES)('$name', ({ update, family }) => {
    expect(isEndOfRib(split(update).view)).toBe(family);
  });
});

describe('NlriCursor', () => {
  function walk(nlri: string, addPath = false) {
    const { view } = split({ nlri }, { ...CONTEXT, addPath: addPath ? ['ipv4-unicast'] : [] });
    const cursor = new NlriCursor();
    cursor.openNlri(view);
    const routes: string[] = [];
    while (cursor.next()) {
      const octets = view.body.subarray(cursor.offset, cursor.offset + ((cursor.bits + 7) >> 3));
      routes.push(`${cursor.pathId} ${[...octets].join('.')}/${cursor.bits}`);
    }
    return { routes, malformed: cursor.malformed, again: cursor.next() };
  }

  const CASES = [
    { name: 'nothing', nlri: '', routes: [] },
    { name: 'the default route', nlri: '00', routes: ['0 /0'] },
    { name: 'several lengths', nlri: '08 0a 09 0a80 20 0a010203', routes: ['0 10/8', '0 10.128/9', '0 10.1.2.3/32'] },
    {
      name: 'path identifiers',
      nlri: '00000007 08 0a ffffffff 00',
      addPath: true,
      routes: ['7 10/8', '4294967295 /0'],
    },
  ];

  it.each(CASES)('walks $name', ({ nlri, addPath, routes }) => {
    expect(walk(nlri, addPath)).toEqual({ routes, malformed: false, again: false });
  });

  const MALFORMED = [
    { name: 'a length above 32', nlri: '08 0a 21 0a01020300', routes: ['0 10/8'] },
    { name: 'a prefix that is cut off', nlri: '08 0a 18 0a01', routes: ['0 10/8'] },
    { name: 'a path identifier that is cut off', nlri: '000000', addPath: true, routes: [] },
    { name: 'a path identifier alone', nlri: '00000001', addPath: true, routes: [] },
  ];

  it.each(MALFORMED)('stops at $name', ({ nlri, addPath, routes }) => {
    expect(walk(nlri, addPath)).toEqual({ routes, malformed: true, again: false });
    expect(invalidNetworkField('NLRI')).toMatchObject({ code: 3, subcode: 10 });
  });

  it('allows 128 bits, and no more, in an IPv6 field', () => {
    const reach = (nlri: string) =>
      `80 0e ${(21 + nlri.length / 2).toString(16)} 0002 01 10 ${'fe'.repeat(16)} 00 ${nlri}`;
    for (const [nlri, malformed] of [
      [`80${'11'.repeat(16)}`, false],
      [`81${'11'.repeat(17)}`, true],
    ] as const) {
      const cursor = new NlriCursor();
      expect(cursor.openReach(split({ attributes: [reach(nlri)] }).view)).toBe('ipv6-unicast');
      expect(cursor.next()).toBe(!malformed);
      expect(cursor.malformed).toBe(malformed);
    }
  });

  it('walks nothing of a family that is not carried', () => {
    const cursor = new NlriCursor();
    expect(cursor.openReach(split({ attributes: [REACH.replace('0002 01', '0002 80')] }).view)).toBeUndefined();
    expect(cursor.next()).toBe(false);
    expect(cursor.malformed).toBe(false);
  });

  it('uses path identifiers in the withdrawn fields too', () => {
    const context: UpdateContext = { ...CONTEXT, addPath: ['ipv4-unicast', 'ipv6-unicast'] };
    const unreach = '80 0f 08 0002 01 00000009 00';
    const { view } = split({ withdrawn: '00000008 00', attributes: [unreach] }, context);
    const cursor = new NlriCursor();
    cursor.openWithdrawn(view);
    expect([cursor.next(), cursor.pathId]).toEqual([true, 8]);
    cursor.openUnreach(view);
    expect([cursor.next(), cursor.pathId]).toEqual([true, 9]);
  });
});
