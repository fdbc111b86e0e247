/** Captures with pieces missing or wrong: what is whole is told, what is not is said, and nothing throws. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { messageJson } from '../../src/app/replay/message-json.js';
import { messageText } from '../../src/app/replay/message-text.js';
import { receiverJson } from '../../src/app/replay/receiver-json.js';
import { replayReceivers } from '../../src/app/replay/receivers.js';
import { replayCaptures } from '../../src/app/replay/replay-captures.js';
import type { ReplayEvent } from '../../src/app/replay/replay-event.js';
import { parseAddress } from '../../src/core/net/address.js';
import { encodeKeepalive } from '../../src/core/wire/bgp/keepalive.js';
import { readCapture } from '../../src/core/wire/pcap/read-capture.js';
import { CaptureBuilder } from './capture-builder.js';

const FOLDER = new URL('../../pcaps/', import.meta.url);
const CAPTURES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.pcap'))
  .map((file) => [file, new Uint8Array(readFileSync(new URL(file, FOLDER)))] as const);

/** Steps that share no factor with a record's size. */
const CUT_STEP = 211;
const FLIP_STEP = 53;
const SEEDS = 8;

/** Everything `heddle replay` does with a file, but the printing. */
function replay(bytes: Uint8Array): { events: ReplayEvent[]; problems: number } {
  const capture = readCapture(bytes);
  if (capture.format === 'none') return { events: [], problems: 1 };
  const events = replayCaptures([capture], { port: 179 });
  for (const event of events) {
    messageText(event.content);
    JSON.stringify(messageJson(event, ['x']));
  }
  for (const receiver of replayReceivers(events)) JSON.stringify(receiverJson(receiver, ['x']));
  return { events, problems: capture.problems.length };
}

function told(events: readonly ReplayEvent[]): string[] {
  return events
    .filter(({ content }) => content.kind !== 'note' && content.kind !== 'closed')
    .map(({ frame, content }) => `${frame} ${content.kind} ${messageText(content).summary}`);
}

describe.each(CAPTURES)('%s', (_file, bytes) => {
  it('cut anywhere gives the beginning of what the whole gives', () => {
    const whole = told(replay(bytes).events);
    for (let length = 24; length < bytes.length; length += CUT_STEP) {
      const cut = replay(bytes.subarray(0, length));
      const beginning = told(cut.events);
      expect(beginning).toEqual(whole.slice(0, beginning.length));
    }
  });

  it('with bits flipped is replayed to the end', () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const damaged = Uint8Array.from(bytes);
      for (let at = 24 + seed; at < damaged.length; at += FLIP_STEP) damaged[at]! ^= 1 << ((at + seed) % 8);
      const { events, problems } = replay(damaged);
      expect(events.length + problems).toBeGreaterThan(0);
    }
  });

  it('with the payload of single frames damaged keeps the other frames', () => {
    const whole = replay(bytes).events;
    for (let seed = 0; seed < SEEDS; seed++) {
      const capture = readCapture(Uint8Array.from(bytes));
      if (capture.format === 'none') throw new Error(capture.reason);
      const victim = capture.packets[(seed * 7) % capture.packets.length]!;
      victim.data.fill(seed, Math.min(54, victim.data.length));
      const events = replayCaptures([capture], { port: 179 });
      const frames = new Set(events.map(({ frame }) => frame));
      const intact = whole.filter(({ frame, content }) => frame < victim.frame && content.kind !== 'note');
      expect(intact.filter(({ frame }) => !frames.has(frame))).toEqual([]);
    }
  });
});

describe('streams with holes', () => {
  it('go on at the next marker after octets that were not captured', () => {
    const capture = new CaptureBuilder();
    const session = capture.connect(parseAddress('fe80::1')!, parseAddress('fe80::2')!);
    const keepalive = encodeKeepalive();
    session.send('client', keepalive, keepalive.subarray(0, 7));
    session.lose('client', 100);
    session.send('client', Uint8Array.of(1, 2, 3), keepalive);
    const { events } = replay(capture.bytes);
    expect(events.filter(({ content }) => content.kind === 'bgp').map(({ frame }) => frame)).toEqual([3, 4]);
    expect(
      events.map(({ content }) => (content.kind === 'note' ? content.text : '')).filter((text) => text !== ''),
    ).toEqual([
      '100 octets of the TCP stream not in the capture',
      '7 octets left out: no whole BGP message',
      '3 octets left out: no whole BGP message',
    ]);
  });

  it('find the first whole message when the capture begins inside one', () => {
    const capture = new CaptureBuilder();
    const ends = [
      { address: parseAddress('fe80::1')!, port: 179 },
      { address: parseAddress('fe80::2')!, port: 4000 },
    ] as const;
    const keepalive = encodeKeepalive();
    const payload = Uint8Array.of(...keepalive.subarray(5), ...keepalive);
    capture.segment({ from: ends[0], to: ends[1], sequence: 77, flags: 16, payload });
    const { events } = replay(capture.bytes);
    expect(told(events)).toEqual(['1 bgp ']);
  });
});
