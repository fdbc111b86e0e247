/** Every capture of real peers, message by message and field by field, against what tshark says of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BGP_PORT, replayCaptures } from '../../src/app/replay/replay-captures.js';
import { readCapture } from '../../src/core/wire/pcap/read-capture.js';
import { type Shape, tsharkShape } from './tshark-shape.js';

const FOLDER = new URL('../../pcaps/', import.meta.url);
/** A pcapng file is its namesake converted: the same is expected of it. */
const FILES = readdirSync(FOLDER).filter((file) => /\.pcap(ng)?$/.test(file));

/** Fields of tshark's reading that are not the packet's. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  '_ws.expert.message': "tshark's own comment on a capability",
  '_ws.expert.severity': "tshark's own comment on a capability",
  '_ws.expert.group': "tshark's own comment on a capability",
};

/** Fields of ours that tshark's reading lacks: the message they stand in, and why. */
const OURS_ONLY: readonly { readonly in: Shape; readonly field: string; readonly why: string }[] = [
  {
    in: { kind: 'NOTIFICATION', code: 2, subcode: 2 },
    field: 'minor_data',
    why: 'tshark gives the data of Bad Peer AS a field of its own, which the list leaves out',
  },
];

function expectation(file: string): Shape[] {
  const text = readFileSync(new URL(file.replace(/pcap(ng)?$/, 'json'), FOLDER), 'utf8');
  return JSON.parse(text, function (this: unknown, key: string, value: unknown) {
    return key in NOT_COMPARED ? undefined : value;
  });
}

function ours(file: string): Shape[] {
  const capture = readCapture(readFileSync(new URL(file, FOLDER)));
  if (capture.format === 'none') throw new Error(capture.reason);
  const events = replayCaptures([capture], { port: BGP_PORT });
  return tsharkShape(events, capture.packets[0]?.time ?? 0n).map(withoutOursOnly);
}

function withoutOursOnly(message: Shape): Shape {
  const excepted = OURS_ONLY.filter((exception) =>
    Object.entries(exception.in).every(([key, value]) => message[key] === value),
  ).map(({ field }) => field);
  return Object.fromEntries(Object.entries(message).filter(([key]) => !excepted.includes(key)));
}

function kinds(messages: readonly Shape[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of messages) counts[String(kind)] = (counts[String(kind)] ?? 0) + 1;
  return counts;
}

describe.each(FILES)('%s', (file) => {
  const expected = expectation(file);
  const actual = ours(file);

  it('holds the same messages', () => {
    expect(kinds(actual)).toEqual(kinds(expected));
  });

  it.each(expected.map((message, index) => [message.n, message.kind, index] as const))(
    'frame %d: %s',
    (_n, _k, index) => {
      expect(actual[index]).toEqual(expected[index]);
    },
  );
});

it('compares both formats, and no fewer captures than there were', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(17);
  expect(FILES.some((file) => file.endsWith('.pcapng'))).toBe(true);
});
