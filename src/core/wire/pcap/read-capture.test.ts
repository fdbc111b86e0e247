import { describe, expect, it } from 'vitest';
import fc from '../../../../test/harness/properties.js';
import { MAX_CAPTURED_OCTETS } from './capture.js';
import { readCapture } from './read-capture.js';

const PAYLOAD = Uint8Array.of(1, 2, 3, 4, 5);

class Writer {
  private readonly octets: number[] = [];
  constructor(private readonly little: boolean) {}

  u(size: 2 | 4, ...values: number[]): this {
    for (const value of values) {
      const octets = Array.from({ length: size }, (_, i) => (value / 2 ** (8 * (size - 1 - i))) & 255);
      this.octets.push(...(this.little ? octets.reverse() : octets));
    }
    return this;
  }

  raw(bytes: Iterable<number>): this {
    this.octets.push(...bytes);
    return this;
  }

  padded(bytes: Uint8Array): this {
    return this.raw(bytes).raw(new Uint8Array((4 - (bytes.length % 4)) % 4));
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.octets);
  }
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function pcap(little: boolean, magic: number, records: [number, number][]): Uint8Array {
  const writer = new Writer(little).u(4, magic).u(2, 2, 4).u(4, 0, 0, 65535, 1);
  for (const [seconds, fraction] of records) {
    writer.u(4, seconds, fraction, PAYLOAD.length, PAYLOAD.length + 2).raw(PAYLOAD);
  }
  return writer.bytes;
}

function block(little: boolean, type: number, body: Uint8Array): Uint8Array {
  return new Writer(little)
    .u(4, type, body.length + 12)
    .raw(body)
    .u(4, body.length + 12).bytes;
}

function section(little: boolean): Uint8Array {
  const body = new Writer(little).u(4, 0x1a2b3c4d).u(2, 1, 0).u(4, 0xffffffff, 0xffffffff).bytes;
  return block(little, 0x0a0d0d0a, body);
}

function iface(little: boolean, linkType: number, options: Uint8Array = new Uint8Array(0), snap = 0): Uint8Array {
  return block(little, 1, new Writer(little).u(2, linkType, 0).u(4, snap).raw(options).bytes);
}

function enhanced(little: boolean, id: number, high: number, low: number): Uint8Array {
  const head = new Writer(little).u(4, id, high, low, PAYLOAD.length, PAYLOAD.length);
  return block(little, 6, head.padded(PAYLOAD).bytes);
}

function resolution(little: boolean, value: number): Uint8Array {
  return new Writer(little).u(2, 9, 1).raw([value, 0, 0, 0]).u(2, 0, 0).bytes;
}

function packetsOf(bytes: Uint8Array) {
  const capture = readCapture(bytes);
  if (capture.format === 'none') throw new Error(capture.reason);
  return capture;
}

describe('pcap', () => {
  it.each([
    ['big endian, microseconds', false, 0xa1b2c3d4, 5_000_007_000n],
    ['little endian, microseconds', true, 0xa1b2c3d4, 5_000_007_000n],
    ['big endian, nanoseconds', false, 0xa1b23c4d, 5_000_000_007n],
    ['little endian, nanoseconds', true, 0xa1b23c4d, 5_000_000_007n],
  ])('reads %s', (_name, little, magic, time) => {
    const capture = packetsOf(
      pcap(little, magic, [
        [5, 7],
        [6, 8],
      ]),
    );
    expect(capture.format).toBe('pcap');
    expect(capture.problems).toEqual([]);
    expect(capture.packets).toHaveLength(2);
    expect(capture.packets[0]).toEqual({
      frame: 1,
      time,
      linkType: 1,
      interfaceIndex: 0,
      data: PAYLOAD,
      originalLength: 7,
    });
  });

  it('keeps the whole records of a file that is cut short, and says where the rest is missing', () => {
    const whole = pcap(true, 0xa1b2c3d4, [
      [5, 7],
      [6, 8],
    ]);
    for (let length = 25; length < whole.length; length++) {
      const capture = packetsOf(whole.subarray(0, length));
      expect(capture.packets).toHaveLength(length < 24 + 21 ? 0 : 1);
      expect(capture.problems.map(({ offset }) => offset)).toEqual(length === 45 ? [] : [length < 45 ? 24 : 45]);
    }
    expect(packetsOf(whole.subarray(0, 30)).problems[0]?.reason).toBe(
      'a record header is cut short: 16 octets expected, 6 present',
    );
    expect(packetsOf(whole.subarray(0, 20)).problems[0]?.reason).toContain('file header is cut short');
  });

  it('does not believe an impossible record length', () => {
    const bytes = pcap(false, 0xa1b2c3d4, [[5, 7]]);
    new DataView(bytes.buffer).setUint32(24 + 8, MAX_CAPTURED_OCTETS + 1);
    expect(packetsOf(bytes).problems).toEqual([{ offset: 24, reason: expect.stringContaining('damaged') }]);
  });
});

describe('pcapng', () => {
  it.each([false, true])('reads enhanced and simple packets (little endian: %s)', (little) => {
    const simple = block(little, 3, new Writer(little).u(4, PAYLOAD.length).padded(PAYLOAD).bytes);
    const capture = packetsOf(join(section(little), iface(little, 1), enhanced(little, 0, 1, 2), simple));
    expect(capture.format).toBe('pcapng');
    expect(capture.problems).toEqual([]);
    const [first, second] = capture.packets;
    expect(first).toMatchObject({ frame: 1, time: (2n ** 32n + 2n) * 1000n, linkType: 1, data: PAYLOAD });
    expect(second).toMatchObject({ frame: 2, time: undefined, data: PAYLOAD, originalLength: 5 });
  });

  it.each([
    ['nanoseconds', 9, 7n],
    ['milliseconds', 3, 7_000_000n],
    ['1/256 seconds', 0x88, 27_343_750n],
  ])('follows if_tsresol in %s', (_name, value, time) => {
    const capture = packetsOf(join(section(true), iface(true, 1, resolution(true, value)), enhanced(true, 0, 0, 7)));
    expect(capture.packets[0]?.time).toBe(time);
  });

  it('numbers interfaces over sections of different byte order', () => {
    const bytes = join(
      section(true),
      iface(true, 1),
      iface(true, 101),
      enhanced(true, 1, 0, 1),
      section(false),
      iface(false, 113),
      enhanced(false, 0, 0, 1),
    );
    expect(packetsOf(bytes).packets.map((p) => [p.frame, p.linkType, p.interfaceIndex])).toEqual([
      [1, 101, 1],
      [2, 113, 2],
    ]);
  });

  it('skips blocks it does not know and packets of interfaces nobody described', () => {
    const bytes = join(section(true), block(true, 5, new Uint8Array(8)), enhanced(true, 3, 0, 1), iface(true, 1));
    const capture = packetsOf(bytes);
    expect(capture.packets).toEqual([]);
    expect(capture.problems).toEqual([{ offset: 48, reason: expect.stringContaining('interface 3') }]);
  });

  it('cuts a simple packet to the snap length', () => {
    const simple = block(true, 3, new Writer(true).u(4, 5).padded(PAYLOAD).bytes);
    const capture = packetsOf(join(section(true), iface(true, 1, new Uint8Array(0), 2), simple));
    expect(capture.packets[0]).toMatchObject({ data: Uint8Array.of(1, 2), originalLength: 5 });
  });

  it('says where a file that is cut short or damaged stops making sense', () => {
    const whole = join(section(true), iface(true, 1), enhanced(true, 0, 0, 1));
    expect(packetsOf(whole.subarray(0, whole.length - 1)).problems).toEqual([
      { offset: 48, reason: 'a block is cut short: 40 octets expected, 39 present' },
    ]);
    const damaged = Uint8Array.from(whole);
    damaged[damaged.length - 1] = 9;
    expect(packetsOf(damaged).problems).toEqual([{ offset: 48, reason: expect.stringContaining('lengths differ') }]);
  });
});

describe('files that are no capture', () => {
  it.each([
    [[], 'is empty'],
    [[0x1f, 0x8b, 8, 0], 'is compressed with gzip; unpack it first (gunzip)'],
    [[...'router bgp 65001\n'].map((c) => c.charCodeAt(0)), 'is a text file, not a pcap or pcapng capture'],
    [[0, 1, 2, 3, 4], 'is neither pcap nor pcapng nor MRT: it begins with 00 01 02 03'],
    [[0xa1], 'is neither pcap nor pcapng nor MRT: it begins with a1'],
  ])('%j %s', (octets, reason) => {
    expect(readCapture(Uint8Array.from(octets))).toEqual({ format: 'none', reason });
  });

  it('never throws, whatever follows the magic number', () => {
    const magics = [
      [0xa1, 0xb2, 0xc3, 0xd4],
      [0x0a, 0x0d, 0x0d, 0x0a],
    ];
    const file = fc.tuple(fc.constantFrom(...magics), fc.uint8Array({ maxLength: 200 }));
    fc.assert(
      fc.property(file, ([magic, rest]) => {
        expect(readCapture(join(Uint8Array.from(magic), rest)).format).not.toBe('none');
      }),
    );
  });
});
