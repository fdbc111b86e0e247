/** Nothing that a peer can send makes a decoder throw. */

import { describe, expect, it } from 'vitest';
import { capturedMessages, captureNames } from '../../../../test/harness/captured-messages.js';
import fc from '../../../../test/harness/properties.js';
import { attributeKey, MAX_KEY_OCTETS } from './attributes/attribute-key.js';
import { ATTRIBUTE_CODECS } from './attributes/attribute-table.js';
import { decodeAttributes, resetError } from './attributes/decode-attributes.js';
import { formatAttributes } from './format.js';
import { MessageFramer } from './framer.js';
import type { UpdateContext } from './message.js';
import { NlriCursor } from './nlri-cursor.js';
import { decodeNotification, describeNotification } from './notification.js';
import { hex } from './octets.js';
import { decodeOpen } from './open.js';
import { decodeRouteRefresh } from './route-refresh.js';
import { isEndOfRib, splitUpdate } from './update.js';
import { encodeAttributes } from './update-encoder.js';
import { UpdateView } from './update-view.js';

const RUNS = { numRuns: 1500 };
const octets = fc.uint8Array({ maxLength: 300 });
const context: fc.Arbitrary<UpdateContext> = fc.record({
  fourOctetAs: fc.boolean(),
  externalPeer: fc.boolean(),
  aigp: fc.boolean(),
  addPath: fc.subarray(['ipv4-unicast', 'ipv6-unicast'] as const),
});

const updates = captureNames()
  .flatMap(capturedMessages)
  .filter(({ type, body }) => type === 2 && body.length > 4)
  .map(({ body }) => body);

/** A captured UPDATE with a few octets overwritten: most of it still makes sense, which is where decoders break. */
const damagedUpdate = fc
  .record({
    original: fc.constantFrom(...updates),
    damage: fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 }),
    length: fc.option(fc.nat(400), { freq: 5 }),
  })
  .map(({ original, damage, length }) => {
    const body = original.slice(0, length ?? original.length);
    for (const [at, octet] of damage) if (body.length > 0) body[at % body.length] = octet;
    return body;
  });

/** A run of attributes with sound headers and random values. */
const soundHeaders = fc
  .array(
    fc.record({
      type: fc.oneof(fc.constantFrom(...ATTRIBUTE_CODECS.map(({ type }) => type), 14, 15), fc.nat(255)),
      flags: fc.constantFrom(0x40, 0x80, 0xc0, 0x00, 0xef),
      value: fc.uint8Array({ maxLength: 40 }),
    }),
    { maxLength: 12 },
  )
  .chain((attributes) =>
    octets.map((nlri) => {
      const list = attributes.flatMap(({ type, flags, value }) => [flags & 0xef, type, value.length, ...value]);
      return Uint8Array.from([0, 0, list.length >> 8, list.length, ...list, ...nlri]);
    }),
  );

const view = new UpdateView();
const cursor = new NlriCursor();
const scratch = new Uint8Array(MAX_KEY_OCTETS);

/** All that a RIB does with an UPDATE. */
function digest(body: Uint8Array, how: UpdateContext): void {
  if (splitUpdate(body, how, view)) return;
  isEndOfRib(view);
  for (const field of ['classic', 'mp'] as const) {
    attributeKey(view, field, scratch);
    const decoded = decodeAttributes(view, field);
    if (decoded.action === 'session-reset') expect(resetError(decoded).code).toBe(3);
    if (decoded.attributes) {
      expect(view.hasRoutes(field)).toBe(true);
      JSON.stringify(formatAttributes(decoded.attributes));
      encodeAttributes(decoded.attributes, how);
    }
  }
  for (const open of ['openWithdrawn', 'openNlri', 'openReach', 'openUnreach'] as const) {
    cursor[open](view);
    while (cursor.next()) expect(cursor.offset + ((cursor.bits + 7) >> 3)).toBeLessThanOrEqual(body.length);
  }
}

describe('random octets', () => {
  it.each([
    { name: 'at random', bodies: octets },
    { name: 'captured and damaged', bodies: damagedUpdate },
    { name: 'with sound headers', bodies: soundHeaders },
  ])('as UPDATE: $name', ({ bodies }) => {
    fc.assert(fc.property(bodies, context, digest), RUNS);
  });

  it('as OPEN', () => {
    const bodies = fc.oneof(
      octets,
      octets.map((rest) => Uint8Array.from([4, 1, 1, 0, 9, 1, 1, 1, 1, rest.length, ...rest])),
    );
    fc.assert(
      fc.property(bodies, (body) => ['open', 'error'].includes(decodeOpen(body).kind)),
      RUNS,
    );
  });

  it('as NOTIFICATION, printable', () => {
    const property = fc.property(fc.tuple(fc.nat(9), fc.nat(11), octets), ([code, subcode, data]) => {
      const decoded = decodeNotification(Uint8Array.from([code, subcode, ...data]));
      if (decoded.kind === 'notification') expect(describeNotification(decoded)).not.toMatch(/\p{Cc}/u);
    });
    fc.assert(property, RUNS);
  });

  it('as ROUTE-REFRESH', () => {
    fc.assert(
      fc.property(octets, fc.boolean(), (body, enhanced) => {
        decodeRouteRefresh(body, enhanced);
      }),
      RUNS,
    );
  });

  it('as a stream, in any chunks', () => {
    const marker = new Array<number>(16).fill(0xff);
    const messages = fc.array(
      fc
        .tuple(fc.nat(7), fc.nat(60), fc.uint8Array({ maxLength: 41 }))
        .map(([type, length, body]) => [...marker, 0, length, type, ...body]),
    );
    const property = fc.property(messages, fc.integer({ min: 1, max: 50 }), (parts, size) => {
      const stream = Uint8Array.from(parts.flat());
      const whole: string[] = [];
      const pieces: string[] = [];
      const framer = new MessageFramer();
      const error = new MessageFramer().push(stream, (type, body) => whole.push(`${type} ${hex(body)}`));
      let last: unknown;
      for (let at = 0; at < stream.length; at += size) {
        last = framer.push(stream.subarray(at, at + size), (type, body) => pieces.push(`${type} ${hex(body)}`));
      }
      expect(pieces).toEqual(whole);
      expect(last).toEqual(error);
    });
    fc.assert(property, { numRuns: 500 });
  });
});
