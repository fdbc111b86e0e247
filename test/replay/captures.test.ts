/** Every capture of real peers, message by message and field by field, against what tshark says of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BGP_PORT, replayCaptures } from '../../src/app/replay/replay-captures.js';
import { readCapture } from '../../src/core/wire/pcap/read-capture.js';
import { type Shape, tsharkShape } from './tshark-shape.js';

const FOLDER = new URL('../../pcaps/', import.meta.url);
const NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.pcap'))
  .map((file) => file.slice(0, -'.pcap'.length));

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

function expectation(name: string): Shape[] {
  const text = readFileSync(new URL(`${name}.json`, FOLDER), 'utf8');
  return JSON.parse(text, function (this: unknown, key: string, value: unknown) {
    return key in NOT_COMPARED ? undefined : value;
  });
}

function ours(name: string): Shape[] {
  const capture = readCapture(readFileSync(new URL(`${name}.pcap`, FOLDER)));
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

describe.each(NAMES)('%s', (name) => {
  const expected = expectation(name);
  const actual = ours(name);

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

it('compares all fifteen captures', () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(15);
});
