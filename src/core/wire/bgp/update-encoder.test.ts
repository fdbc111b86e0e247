import { describe, expect, it } from 'vitest';
import { classicAttributes, multiprotocolAttributes } from '../../../../test/harness/arbitrary-attributes.js';
import { bytes } from '../../../../test/harness/bgp-bytes.js';
import { capturedMessages } from '../../../../test/harness/captured-messages.js';
import fc from '../../../../test/harness/properties.js';
import type { Family } from '../../net/family.js';
import { decodeAttributes } from './attributes/decode-attributes.js';
import { colourCommunity } from './colour.js';
import { MessageFramer } from './framer.js';
import type { UpdateContext } from './message.js';
import { encodeNextHop } from './next-hop.js';
import { NlriCursor } from './nlri-cursor.js';
import { hex } from './octets.js';
import type { PathAttributes } from './path-attributes.js';
import { isEndOfRib, splitUpdate } from './update.js';
import { encodeAttributes, encodeEndOfRib, MP_NEXT_HOP_OFFSET, UpdateBuilder } from './update-encoder.js';
import { UpdateView } from './update-view.js';

const CONTEXT: UpdateContext = { fourOctetAs: true, addPath: [], externalPeer: false, aigp: true, asSets: true };
const FOUR_OCTETS = { fourOctetAs: true };
const LINK_LOCAL = bytes('fe80000000000000 0000000000000001');
const V4 = bytes('0a000001');
const COLOURED: PathAttributes = {
  origin: 0,
  asPath: [{ kind: 'sequence', asns: [65001] }],
  extendedCommunities: [colourCommunity(3)],
  aigp: { metric: 0n, otherTlvs: [] },
};

interface Sent {
  readonly messages: Uint8Array[];
  readonly offsets: number[];
  readonly builder: UpdateBuilder;
}

function building(family: Family, options: { addPath?: boolean; maximum?: number } = {}): Sent {
  const messages: Uint8Array[] = [];
  const offsets: number[] = [];
  const builder = new UpdateBuilder({ family, addPath: false, maximum: 4096, ...options }, (message, offset) => {
    messages.push(message);
    offsets.push(offset);
  });
  return { messages, offsets, builder };
}

/** Each message through framer, scan and cursor: the routes of the field that `open` opens. */
function routesIn(
  messages: readonly Uint8Array[],
  open: 'openNlri' | 'openReach' | 'openWithdrawn' | 'openUnreach',
  context = CONTEXT,
) {
  const view = new UpdateView();
  const cursor = new NlriCursor();
  const routes: string[] = [];
  const framer = new MessageFramer();
  framer.setExtended(true);
  for (const message of messages) {
    const error = framer.push(message, (_, body) => {
      expect(splitUpdate(body, context, view)).toBeUndefined();
      expect(view.faults).toEqual([]);
      cursor[open](view);
      while (cursor.next()) {
        const octets = body.subarray(cursor.offset, cursor.offset + ((cursor.bits + 7) >> 3));
        routes.push(`${cursor.pathId}:${hex(octets)}/${cursor.bits}`);
      }
      expect(cursor.malformed).toBe(false);
    });
    expect(error).toBeUndefined();
  }
  return routes;
}

/** IPv6 /64s numbered from 0, eight octets each. */
function numberedPrefixes(count: number): Uint8Array {
  const addresses = new Uint8Array(count * 16);
  const view = new DataView(addresses.buffer);
  for (let i = 0; i < count; i++) {
    view.setUint16(i * 16, 0xfd00);
    view.setUint32(i * 16 + 4, i);
  }
  return addresses;
}

describe('encodeAttributes', () => {
  it('writes what BIRD wrote for the same route', () => {
    const view = new UpdateView();
    const bird = capturedMessages('k-add-path').find(({ type, body }) => type === 2 && body.length === 133 - 19);
    expect(splitUpdate(bird!.body, CONTEXT, view)).toBeUndefined();
    const attributes: PathAttributes = {
      origin: 0,
      asPath: [{ kind: 'sequence', asns: [65002] }],
      communities: [(65002 << 16) | 2].map((value) => value >>> 0),
      extendedCommunities: [colourCommunity(2)],
      aigp: { metric: 7n, otherTlvs: [] },
      largeCommunities: [[65002, 1, 2]],
    };
    // All that follows MP_REACH_NLRI, which BIRD puts first as we do.
    const others = bird!.body.subarray(view.reachNlriEnd);
    expect(hex(encodeAttributes(attributes, FOUR_OCTETS))).toBe(hex(others));
  });

  it('orders unknown attributes among the others and marks them partial', () => {
    const unknown = [{ flags: 0xc0, type: 23, value: bytes('0102') }];
    const encoded = encodeAttributes({ ...COLOURED, unknown }, FOUR_OCTETS);
    expect(hex(encoded)).toBe(
      `40010100 4002060201${'0000fde9'} c01008030b000000000003 e017020102 801a0b01000b${'00'.repeat(8)}`.replaceAll(
        ' ',
        '',
      ),
    );
  });

  it('masks the low flag bits of what it passes on', () => {
    const unknown = [{ flags: 0xc5, type: 99, value: bytes('') }];
    expect(hex(encodeAttributes({ ...COLOURED, unknown }, FOUR_OCTETS)).endsWith('e06300')).toBe(true);
  });

  it('sends no large community twice', () => {
    const encoded = encodeAttributes(
      {
        ...COLOURED,
        largeCommunities: [
          [1, 2, 3],
          [1, 2, 3],
        ],
      },
      FOUR_OCTETS,
    );
    expect(hex(encoded).endsWith('c0200c000000010000000200000003')).toBe(true);
  });

  it('tells a 2-octet peer AS_TRANS, and the truth in AS4_PATH', () => {
    const attributes: PathAttributes = {
      origin: 0,
      asPath: [{ kind: 'sequence', asns: [65001, 4200000001] }],
      aggregator: { asn: 4200000001, address: V4 },
      nextHop: { global: V4 },
      localPref: 100,
    };
    const { messages, builder } = building('ipv4-unicast');
    builder.announce(encodeAttributes(attributes, { fourOctetAs: false }), V4);
    builder.add(V4, 0, 8);
    builder.flush();
    const view = new UpdateView();
    splitUpdate(messages[0]!.subarray(19), { ...CONTEXT, fourOctetAs: false }, view);
    expect(decodeAttributes(view, 'classic').attributes).toEqual(attributes);
    expect(hex(messages[0]!)).toContain('0202fde95ba0');
    expect(hex(encodeAttributes({ ...attributes, asPath: [] }, FOUR_OCTETS))).not.toContain('5ba0');
  });

  it('splits a sequence of more than 255 AS numbers', () => {
    const asns = Array.from({ length: 300 }, (_, index) => index + 1);
    const encoded = encodeAttributes({ origin: 0, asPath: [{ kind: 'sequence', asns }] }, FOUR_OCTETS);
    expect(hex(encoded.subarray(4, 10))).toBe('500204b402ff');
    expect(hex(encoded.subarray(10 + 255 * 4, 12 + 255 * 4))).toBe('022d');
  });
});

describe('encode and decode', () => {
  function roundTrip(attributes: PathAttributes, family: Family) {
    const { messages, builder } = building(family, { maximum: 65535 });
    expect(
      builder.announce(encodeAttributes(attributes, FOUR_OCTETS), encodeNextHop(attributes.nextHop!, 'double')!),
    ).toBe(true);
    builder.add(new Uint8Array(16), 0, 24);
    builder.flush();
    const view = new UpdateView();
    expect(splitUpdate(messages[0]!.subarray(19), CONTEXT, view)).toBeUndefined();
    return decodeAttributes(view, view.hasRoutes('mp') ? 'mp' : 'classic');
  }

  it.each([
    { name: 'classic routes', arbitrary: classicAttributes, family: 'ipv4-unicast' },
    { name: 'IPv6 routes', arbitrary: multiprotocolAttributes, family: 'ipv6-unicast' },
    { name: 'IPv4 routes with an IPv6 next hop', arbitrary: multiprotocolAttributes, family: 'ipv4-unicast' },
  ] as const)('give back the attributes of $name', ({ arbitrary, family }) => {
    fc.assert(
      fc.property(arbitrary, (attributes) => {
        expect(roundTrip(attributes, family)).toEqual({ attributes, errors: [], action: undefined });
      }),
      { numRuns: 200 },
    );
  });
});

describe('UpdateBuilder', () => {
  it('puts MP_REACH_NLRI first, its next hop at the known offset', () => {
    const { messages, offsets, builder } = building('ipv6-unicast');
    builder.announce(encodeAttributes(COLOURED, FOUR_OCTETS), LINK_LOCAL);
    builder.add(bytes('fc00000100020003 0000000000000000'), 0, 64);
    builder.flush();
    expect(hex(messages[0]!.subarray(19, 31))).toBe(hex(bytes('0000 0048 90 0e 001e 0002 01 10')));
    expect(offsets).toEqual([MP_NEXT_HOP_OFFSET]);
    expect(messages[0]!.subarray(MP_NEXT_HOP_OFFSET, MP_NEXT_HOP_OFFSET + 16)).toEqual(LINK_LOCAL);
    expect(routesIn(messages, 'openReach')).toEqual(['0:fc00000100020003/64']);
  });

  it('puts an IPv4 next hop into NEXT_HOP, in its place among the others', () => {
    const { messages, offsets, builder } = building('ipv4-unicast');
    builder.announce(encodeAttributes(COLOURED, FOUR_OCTETS), V4);
    builder.add(bytes('0a010000'), 0, 16);
    builder.flush();
    expect(hex(messages[0]!.subarray(23, 43))).toBe('4001010040020602010000fde94003040a000001');
    expect(messages[0]!.subarray(offsets[0], offsets[0]! + 4)).toEqual(V4);
    expect(routesIn(messages, 'openNlri')).toEqual(['0:0a01/16']);
  });

  it('puts IPv4 routes with an IPv6 next hop into MP_REACH_NLRI', () => {
    const { messages, builder } = building('ipv4-unicast');
    builder.announce(encodeAttributes(COLOURED, FOUR_OCTETS), LINK_LOCAL);
    builder.add(bytes('0a010000'), 0, 16);
    builder.flush();
    expect(routesIn(messages, 'openReach')).toEqual(['0:0a01/16']);
    expect(hex(messages[0]!.subarray(27, 31))).toBe('00010110');
  });

  it.each([
    { family: 'ipv4-unicast', open: 'openWithdrawn' },
    { family: 'ipv6-unicast', open: 'openUnreach' },
  ] as const)('withdraws $family routes', ({ family, open }) => {
    const { messages, offsets, builder } = building(family);
    builder.withdraw();
    builder.add(bytes('0a010000'), 0, 16);
    builder.add(bytes('0a020000'), 0, 15);
    builder.flush();
    expect(routesIn(messages, open)).toEqual(['0:0a01/16', '0:0a02/15']);
    expect(offsets).toEqual([0]);
  });

  it('writes path identifiers where they were agreed', () => {
    const { messages, builder } = building('ipv6-unicast', { addPath: true });
    builder.announce(encodeAttributes(COLOURED, FOUR_OCTETS), LINK_LOCAL);
    builder.add(bytes('fd00'), 0, 16, 0xffffffff);
    builder.withdraw();
    builder.add(bytes('fd00'), 0, 16, 7);
    builder.flush();
    const context: UpdateContext = { ...CONTEXT, addPath: ['ipv6-unicast'] };
    expect(routesIn(messages.slice(0, 1), 'openReach', context)).toEqual(['4294967295:fd00/16']);
    expect(routesIn(messages.slice(1), 'openUnreach', context)).toEqual(['7:fd00/16']);
  });

  it.each([
    { name: 'announcements', maximum: 4096, open: 'openReach' },
    { name: 'announcements in extended messages', maximum: 65535, open: 'openReach' },
    { name: 'withdrawals', maximum: 4096, open: 'openUnreach' },
  ] as const)('fills messages up to the maximum: $name', ({ maximum, open }) => {
    const count = 10_000;
    const addresses = numberedPrefixes(count);
    const { messages, builder } = building('ipv6-unicast', { maximum });
    if (open === 'openReach') builder.announce(encodeAttributes(COLOURED, FOUR_OCTETS), LINK_LOCAL);
    else builder.withdraw();
    for (let i = 0; i < count; i++) builder.add(addresses, i * 16, 64);
    builder.flush();
    const routes = routesIn(messages, open);
    expect(new Set(routes).size).toBe(count);
    expect(messages.length).toBeGreaterThan(1);
    for (const message of messages) expect(message.length).toBeLessThanOrEqual(maximum);
    for (const message of messages.slice(0, -1)) expect(message.length).toBeGreaterThan(maximum - 9);
  });

  it('sends nothing when nothing was added', () => {
    const { messages, builder } = building('ipv6-unicast');
    builder.announce(encodeAttributes(COLOURED, FOUR_OCTETS), LINK_LOCAL);
    builder.withdraw();
    builder.flush();
    expect(messages).toEqual([]);
  });

  it('refuses attributes that leave no room for a route', () => {
    const { messages, builder } = building('ipv6-unicast');
    const room = 4096 - MP_NEXT_HOP_OFFSET - 16 - 1 - 17;
    expect(builder.announce(new Uint8Array(room + 1), LINK_LOCAL)).toBe(false);
    expect(builder.announce(new Uint8Array(room), LINK_LOCAL)).toBe(true);
    builder.add(new Uint8Array(16), 0, 128);
    builder.flush();
    expect(messages[0]).toHaveLength(4096);
  });
});

describe('encodeEndOfRib', () => {
  it('writes the markers that FRR writes', () => {
    const captured = capturedMessages('j-enhe-ipv4-over-ipv6').filter(
      ({ type, body }) => type === 2 && body.length <= 10,
    );
    const bodies = new Set(captured.map(({ body }) => hex(body)));
    expect(bodies.size).toBe(2);
    for (const family of ['ipv4-unicast', 'ipv6-unicast'] as const) {
      const marker = encodeEndOfRib(family).subarray(19);
      expect(bodies).toContain(hex(marker));
      const view = new UpdateView();
      expect(splitUpdate(marker, CONTEXT, view)).toBeUndefined();
      expect(isEndOfRib(view)).toBe(family);
    }
  });
});
