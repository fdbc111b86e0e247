/**
 * The prober, a process of its own that nothing delays: one session sends an UPDATE of one prefix every few milliseconds, and another
 * one looks at when it is told of them, whatever else it is told.
 */
import { createInterface } from 'node:readline';
import { setInterval as ticks } from 'node:timers/promises';
import { now } from '../../app/lab/monotonic.js';
import { parseAddress } from '../../core/net/address.js';
import { read16 } from '../../core/wire/bgp/octets.js';
import { BenchSession, type SessionOptions } from './bench-session.js';
import { eachPrefixes, prefixOctets } from './count-routes.js';
import type { SessionEnd } from './plan.js';
import type { ProberAnswer, ProberCommand, ProberTask } from './prober-protocol.js';
import { numberInBlock, tableStream } from './table-stream.js';

/** Of the length in a message's header. */
const LENGTH_AT = 16;

const { target, holdTime, sender, listener, probes }: ProberTask = JSON.parse(process.argv[2] ?? '{}');
const told: (number | null)[] = Array.from({ length: probes.prefixes }, () => null);
const updates = messagesOf(
  tableStream(probes, { asn: sender.asn, address: parseAddress(sender.address)! }).announcements,
);

function messagesOf(stream: Uint8Array): readonly Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let at = 0; at < stream.length; at += messages.at(-1)!.length)
    messages.push(stream.slice(at, at + read16(stream, at + LENGTH_AT)));
  return messages;
}

function session(end: SessionEnd, update: SessionOptions['update']): BenchSession {
  return new BenchSession({ ...end, target, holdTime, update, lost: () => process.exit(1) });
}

function hear(body: Uint8Array, time: number): void {
  const announced = (_: Uint8Array, from: number, to: number) => {
    for (let at = from; at < to; at += prefixOctets(body[at]!)) {
      const number = body[at] === 64 ? numberInBlock(probes.block, body, at + 1) : -1;
      if (number >= 0) told[number] ??= time;
    }
  };
  eachPrefixes(body, { announced, withdrawn: () => undefined });
}

const sending = session(sender, () => undefined);
const listening = session(listener, hear);

function say(answer: ProberAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function sendAll(interval: number): Promise<void> {
  const times: number[] = [];
  for await (const _ of ticks(interval)) {
    const update = updates[times.length];
    if (!update) break;
    times.push(now());
    void sending.send(update);
  }
  say({ kind: 'sent', times });
}

async function obey(command: ProberCommand): Promise<void> {
  switch (command.kind) {
    case 'connect':
      await Promise.all([sending.connect(), listening.connect()]);
      return say({ kind: 'connected' });
    case 'send':
      return sendAll(command.interval);
    case 'told':
      return say({ kind: 'told', times: told });
  }
}

for await (const line of createInterface({ input: process.stdin })) await obey(JSON.parse(line));
process.exit(0);
