import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import type { TcpSegment } from './packet/tcp-segment.js';
import { type TcpEvent, TcpReassembler } from './tcp-reassembly.js';

const CLIENT = Uint8Array.of(10, 0, 0, 1);
const SERVER = Uint8Array.of(10, 0, 0, 2);

interface Sent {
  readonly seq: number;
  readonly text?: string;
  readonly flags?: string;
  readonly ack?: number;
  readonly fromServer?: boolean;
  readonly clientPort?: number;
}

function feed(reassembler: TcpReassembler<number>, sent: Sent, origin = 0): TcpEvent<number>[] {
  const { seq, text = '', flags = '', ack, fromServer = false, clientPort = 40000 } = sent;
  const payload = Uint8Array.from([...text].map((c) => c.charCodeAt(0)));
  const segment: TcpSegment = {
    sourcePort: fromServer ? 179 : clientPort,
    destinationPort: fromServer ? clientPort : 179,
    sequence: seq >>> 0,
    acknowledgment: ack === undefined ? 0 : ack >>> 0,
    syn: flags.includes('S'),
    ack: ack !== undefined,
    fin: flags.includes('F'),
    rst: flags.includes('R'),
    signed: undefined,
    payload,
    payloadLength: payload.length,
  };
  const [source, destination] = fromServer ? [SERVER, CLIENT] : [CLIENT, SERVER];
  return reassembler.push({ source, destination, link: '', segment, origin });
}

function describeEvent(event: TcpEvent<number>): string {
  const who = 'fromFirst' in event ? `${event.connection.id}${event.fromFirst ? '>' : '<'}` : `${event.connection.id}`;
  if (event.kind === 'data') return `${who}${String.fromCharCode(...event.bytes)}`;
  if (event.kind === 'hole') return `${who}hole(${event.octets})`;
  return `${who}${event.kind}`;
}

/** Consecutive data of one direction joined. */
function run(segments: readonly Sent[]): string[] {
  const reassembler = new TcpReassembler<number>();
  const events = [...segments.flatMap((sent) => feed(reassembler, sent)), ...reassembler.flush()];
  const lines: string[] = [];
  let joins = false;
  for (const event of events) {
    const line = describeEvent(event);
    const head = line.slice(0, 2);
    if (joins && event.kind === 'data' && lines.at(-1)!.startsWith(head)) lines.push(lines.pop()! + line.slice(2));
    else lines.push(line);
    joins = event.kind === 'data';
  }
  return lines;
}

const SYN: Sent = { seq: 99, flags: 'S' };

describe('TCP reassembly', () => {
  it.each<[string, Sent[], string[]]>([
    ['in order', [SYN, { seq: 100, text: 'abc' }, { seq: 103, text: 'def' }], ['1opened', '1>abcdef']],
    ['out of order', [SYN, { seq: 103, text: 'def' }, { seq: 100, text: 'abc' }], ['1opened', '1>abcdef']],
    ['retransmitted', [SYN, { seq: 100, text: 'abc' }, { seq: 100, text: 'abcd' }], ['1opened', '1>abcd']],
    [
      'retransmitted with other bytes: the first win',
      [SYN, { seq: 102, text: 'CD' }, { seq: 100, text: 'abcde' }, { seq: 100, text: 'xxxxx' }],
      ['1opened', '1>abCDe'],
    ],
    [
      'a later piece over two earlier ones',
      [SYN, { seq: 101, text: 'B' }, { seq: 103, text: 'D' }, { seq: 100, text: 'abcde' }],
      ['1opened', '1>aBcDe'],
    ],
    [
      'sequence numbers that wrap around',
      [
        { seq: 0xfffffffd, flags: 'S' },
        { seq: 1, text: 'de' },
        { seq: 0xfffffffe, text: 'abc' },
      ],
      ['1opened', '1>abcde'],
    ],
    [
      'a capture that begins in the middle',
      [
        { seq: 500, text: 'abc' },
        { seq: 900, text: 'xyz', fromServer: true },
        { seq: 503, text: 'def' },
      ],
      ['1opened', '1>abc', '1<xyz', '1>def'],
    ],
    [
      'a hole that the receiver acknowledges',
      [SYN, { seq: 105, text: 'fg' }, { seq: 1, ack: 107, fromServer: true }, { seq: 107, text: 'h' }],
      ['1opened', '1>hole(5)', '1>fgh'],
    ],
    [
      'a hole acknowledged before anything comes after it',
      [SYN, { seq: 1, ack: 105, fromServer: true }, { seq: 105, text: 'fg' }],
      ['1opened', '1>hole(5)', '1>fg'],
    ],
    ['a hole nobody filled', [SYN, { seq: 105, text: 'fg' }], ['1opened', '1>hole(5)', '1>fg']],
    [
      'FIN before the last data',
      [SYN, { seq: 103, flags: 'F' }, { seq: 100, text: 'abc' }],
      ['1opened', '1>abc', '1>end'],
    ],
    [
      'FIN with data, then a FIN from the other side',
      [SYN, { seq: 100, text: 'abc', flags: 'F' }, { seq: 300, flags: 'F', fromServer: true }],
      ['1opened', '1>abc', '1>end', '1<end'],
    ],
    ['RST', [SYN, { seq: 0, ack: 100, flags: 'R', fromServer: true }], ['1opened', '1<reset']],
    [
      'a keepalive probe',
      [SYN, { seq: 100, text: 'abc' }, { seq: 102, text: '?' }, { seq: 103, text: 'd' }],
      ['1opened', '1>abcd'],
    ],
    [
      'a SYN sent twice',
      [SYN, SYN, { seq: 300, ack: 100, flags: 'S', fromServer: true }, { seq: 301, text: 'x', fromServer: true }],
      ['1opened', '1<x'],
    ],
    [
      'the ports used again',
      [SYN, { seq: 100, text: 'abc' }, { seq: 104, text: 'e' }, { seq: 7000, flags: 'S' }, { seq: 7001, text: 'new' }],
      ['1opened', '1>abc', '1>hole(1)', '1>e', '2opened', '2>new'],
    ],
    [
      'two connections between the same hosts',
      [SYN, { ...SYN, clientPort: 40001 }, { seq: 100, text: 'a' }, { seq: 100, text: 'b', clientPort: 40001 }],
      ['1opened', '2opened', '1>a', '2>b'],
    ],
    [
      'a simultaneous open is one connection',
      [SYN, { seq: 299, flags: 'S', fromServer: true }, { seq: 300, text: 'x', fromServer: true }],
      ['1opened', '1<x'],
    ],
  ])('%s', (_name, segments, expected) => {
    expect(run(segments)).toEqual(expected);
  });

  it('says which segment made octets deliverable', () => {
    const reassembler = new TcpReassembler<number>();
    const segments: Sent[] = [
      SYN,
      { seq: 103, text: 'd' },
      { seq: 100, text: 'abc' },
      { seq: 106, text: 'g' },
      { seq: 1, ack: 107, fromServer: true },
    ];
    const events = segments.flatMap((sent, origin) => feed(reassembler, sent, origin));
    expect(events.map((event) => ('origin' in event ? [event.kind, event.origin] : [event.kind]))).toEqual([
      ['opened'],
      ['data', 2],
      ['data', 2],
      ['hole', 3],
      ['data', 3],
    ]);
  });

  it('gives up on a gap when too much waits behind it', () => {
    const reassembler = new TcpReassembler<number>();
    feed(reassembler, SYN);
    const lines = [];
    for (let i = 0; i < 300; i++) lines.push(...feed(reassembler, { seq: 110 + i * 2, text: 'x' }).map(describeEvent));
    expect(lines.slice(0, 2)).toEqual(['1>hole(10)', '1>x']);
  });

  it('puts any order of any overlapping pieces together again', () => {
    const whole = Array.from({ length: 64 }, (_, i) => String.fromCharCode(33 + i)).join('');
    const piece = fc.tuple(fc.nat(63), fc.integer({ min: 1, max: 12 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(0xffffffff), (pieces, start) => {
        const segments = pieces.map(([at, length]) => ({ seq: start + 1 + at, text: whole.slice(at, at + length) }));
        // The beginning last: everything waits for it; then the whole once more fills the gaps.
        const lines = run([{ seq: start, flags: 'S' }, ...segments, { seq: start + 1, text: whole }]);
        expect(lines.slice(1).join('').replaceAll('1>', '')).toBe(whole);
      }),
    );
  });
});
