/**
 * A scripted BGP speaker, a process of its own in a spine's namespace: connects until it is heard, says what it is told to say
 * and reads without looking. It is no router: the same octets reach everyone who is measured, at the same pace, and nothing
 * that it does takes long.
 */
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { now } from '../../app/lab/monotonic.js';
import { MessageFramer } from '../../core/wire/bgp/framer.js';
import { encodeKeepalive } from '../../core/wire/bgp/keepalive.js';
import { MESSAGE_TYPE } from '../../core/wire/bgp/message.js';
import { encodeOpen } from '../../core/wire/bgp/open.js';
import { encodeEndOfRib } from '../../core/wire/bgp/update-encoder.js';
import { HOLD_TIME, leafAddress, spineAddress, spineAs } from './plan.js';
import { encodeRoutes, encodeWithdrawal } from './routes.js';
import type { SpeakerAnswer, SpeakerCommand, SpeakerTask } from './speaker-protocol.js';

const PORT = 179;
/** Milliseconds. */
const RETRY = 100;
const CONNECT_PATIENCE = 500;
const KEEPALIVE_INTERVAL = (HOLD_TIME * 1000) / 3;
const IPV6_UNICAST = { afi: 2, safi: 1 };

const { uplink }: SpeakerTask = JSON.parse(process.argv[2] ?? '{}');
const keepalive = encodeKeepalive();
const endOfRib = encodeEndOfRib('ipv6-unicast');
const open = encodeOpen({
  version: 4,
  asn: spineAs(uplink),
  asField: spineAs(uplink),
  holdTime: HOLD_TIME,
  identifier: 0x0a000000 + uplink,
  capabilities: [
    { kind: 'multiprotocol', ...IPV6_UNICAST },
    { kind: 'route-refresh' },
    { kind: 'four-octet-as', asn: spineAs(uplink) },
    {
      kind: 'graceful-restart',
      restarted: false,
      notification: false,
      restartTime: 120,
      families: [{ ...IPV6_UNICAST, forwardingPreserved: true }],
    },
  ],
});

let socket: Socket | undefined;
let silent = true;
let established = false;
let sessions = 0;
let count = 0;
let table: Uint8Array = new Uint8Array(0);

function dial(): void {
  if (silent) return;
  const next = connect({ port: PORT, host: leafAddress(uplink), localAddress: spineAddress(uplink), noDelay: true });
  const framer = new MessageFramer();
  socket = next;
  const patience = setTimeout(() => next.destroy(), CONNECT_PATIENCE);
  next.on('connect', () => {
    clearTimeout(patience);
    next.write(open);
  });
  next.on('data', (octets) => {
    framer.push(octets, (type) => hear(next, type));
  });
  next.on('error', () => undefined);
  next.on('close', () => {
    clearTimeout(patience);
    if (next !== socket) return;
    established = false;
    socket = undefined;
    setTimeout(redial, RETRY);
  });
}

function redial(): void {
  if (!socket) dial();
}

/** An OPEN is answered with a KEEPALIVE; the first KEEPALIVE ends the handshake (RFC 4271 section 8.2.2). */
function hear(from: Socket, type: number): void {
  if (type === MESSAGE_TYPE.open) from.write(keepalive);
  if (type !== MESSAGE_TYPE.keepalive || established) return;
  established = true;
  sessions++;
  from.write(table);
  from.write(endOfRib);
}

setInterval(() => {
  if (established) socket?.write(keepalive);
}, KEEPALIVE_INTERVAL);

function say(answer: SpeakerAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Resolves when the kernel has all of it. */
function write(octets: Uint8Array): Promise<number> {
  const at = now();
  return new Promise((resolve) => {
    if (established && socket) socket.write(octets, () => resolve(at));
    else resolve(at);
  });
}

async function obey(command: SpeakerCommand): Promise<void> {
  switch (command.kind) {
    case 'routes': {
      const added = encodeRoutes(uplink, { from: Math.min(count, command.count), to: command.count });
      const removed = encodeWithdrawal({ from: command.count, to: Math.max(count, command.count) });
      count = command.count;
      table = encodeRoutes(uplink, { from: 0, to: count });
      await write(removed);
      say({ kind: 'written', at: await write(added) });
      return;
    }
    case 'cut': {
      const withdrawal = encodeWithdrawal({ from: 0, to: count });
      count = 0;
      table = new Uint8Array(0);
      execFileSync('ip', ['link', 'set', command.interface, 'down']);
      say({ kind: 'written', at: await write(withdrawal) });
      return;
    }
    case 'reset':
      silent = command.silent;
      if (socket) socket.resetAndDestroy();
      else redial();
      return;
    case 'state':
      say({ kind: 'state', established, sessions });
      return;
  }
}

for await (const line of createInterface({ input: process.stdin })) await obey(JSON.parse(line));
process.exit(0);
