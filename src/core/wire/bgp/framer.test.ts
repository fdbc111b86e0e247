import { describe, expect, it } from 'vitest';
import { bytes } from '../../../../test/harness/bgp-bytes.js';
import { MessageFramer } from './framer.js';
import { encodeKeepalive } from './keepalive.js';
import { encodeMessage, writeHeader } from './message-header.js';
import { concat, hex } from './octets.js';

const keepalive = encodeKeepalive();
const update = encodeMessage(2, bytes('0000 0000'));
const notification = encodeMessage(3, bytes('0604'));

/** A message of exactly this length; the body says nothing. */
function message(type: number, length: number): Uint8Array {
  const whole = new Uint8Array(Math.max(19, length));
  writeHeader(whole, type, length);
  return whole;
}

function feed(framer: MessageFramer, chunks: readonly Uint8Array[]) {
  const messages: { type: number; body: string }[] = [];
  const errors = chunks.map((chunk) =>
    framer.push(chunk, (type, body) => messages.push({ type, body: Buffer.from(body).toString('hex') })),
  );
  return { messages, error: errors.find((error) => error !== undefined) };
}

const STREAMS = [
  { name: 'one message', parts: [keepalive] },
  { name: 'three messages', parts: [update, keepalive, notification] },
  { name: 'a message of 4096 octets between others', parts: [keepalive, message(2, 4096), update] },
];

describe('MessageFramer', () => {
  describe.each(STREAMS)('$name', ({ parts }) => {
    const whole = concat(parts);
    const expected = parts.map((part) => ({ type: part[18], body: hex(part.subarray(19)) }));

    it('in one chunk', () => {
      expect(feed(new MessageFramer(), [whole])).toEqual({ messages: expected, error: undefined });
    });

    it('octet by octet', () => {
      const chunks = Array.from(whole, (octet) => Uint8Array.of(octet));
      expect(feed(new MessageFramer(), chunks).messages).toEqual(expected);
    });

    it('cut in two at every octet', () => {
      for (let cut = 0; cut <= whole.length; cut++) {
        const { messages, error } = feed(new MessageFramer(), [whole.subarray(0, cut), whole.subarray(cut)]);
        expect(error).toBeUndefined();
        expect(messages).toEqual(expected);
      }
    });
  });

  it('hands a whole message on in place', () => {
    let buffer: ArrayBufferLike | undefined;
    new MessageFramer().push(update, (_, body) => {
      buffer = body.buffer;
    });
    expect(buffer).toBe(update.buffer);
  });

  const BAD_HEADERS = [
    { name: 'marker', header: bytes(`${'ff'.repeat(15)}fe 0013 04`), code: [1, 1], data: '' },
    { name: 'length 18', header: message(4, 18), code: [1, 2], data: '0012' },
    { name: 'length 4097', header: message(2, 4097), code: [1, 2], data: '1001' },
    { name: 'OPEN of 28', header: message(1, 28), code: [1, 2], data: '001c' },
    { name: 'UPDATE of 22', header: message(2, 22), code: [1, 2], data: '0016' },
    { name: 'NOTIFICATION of 20', header: message(3, 20), code: [1, 2], data: '0014' },
    { name: 'KEEPALIVE of 20', header: message(4, 20), code: [1, 2], data: '0014' },
    { name: 'type 0', header: message(0, 19), code: [1, 3], data: '00' },
    { name: 'type 6', header: message(6, 19), code: [1, 3], data: '06' },
  ];

  it.each(BAD_HEADERS)('refuses a bad header: $name', ({ header, code, data }) => {
    const framer = new MessageFramer();
    const { messages, error } = feed(framer, [concat([keepalive, header]), keepalive]);
    expect(messages).toHaveLength(1);
    expect([error?.code, error?.subcode]).toEqual(code);
    expect(error?.data).toEqual(bytes(data));
    expect(feed(framer, [keepalive]).error).toBe(error);
    const bytewise = feed(
      new MessageFramer(),
      Array.from(header, (octet) => Uint8Array.of(octet)),
    );
    expect(bytewise.error).toEqual(error);
  });

  it.each([4095, 4096])('takes an UPDATE of %i octets', (length) => {
    expect(feed(new MessageFramer(), [message(2, length)]).messages[0]?.body).toHaveLength(2 * (length - 19));
  });

  describe('with extended messages', () => {
    const extended = () => {
      const framer = new MessageFramer();
      framer.setExtended(true);
      return framer;
    };

    it('takes an UPDATE of 65535 octets, whole and in pieces', () => {
      const large = message(2, 65535);
      expect(feed(extended(), [large]).messages).toHaveLength(1);
      expect(feed(extended(), [large.subarray(0, 4097), large.subarray(4097)]).messages).toHaveLength(1);
    });

    it.each([
      ['OPEN', 1],
      ['KEEPALIVE', 4],
    ])('still refuses %s above 4096', (_, type) => {
      expect(feed(extended(), [message(type, 4097)]).error).toMatchObject({ code: 1, subcode: 2 });
    });

    it('keeps the start of a message that was held when they were agreed', () => {
      const framer = new MessageFramer();
      feed(framer, [update.subarray(0, 21)]);
      framer.setExtended(true);
      expect(feed(framer, [update.subarray(21)]).messages).toEqual([{ type: 2, body: '00000000' }]);
    });
  });
});
