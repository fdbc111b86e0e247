/**
 * `node dist/fuzz/attacker.js ATTACK LOCAL REMOTE`: one neighbour that does what it should not, as hard as it can, until its input
 * ends.
 */
import type { Socket } from 'node:net';
import { encodeMessage } from '../core/wire/bgp/message-header.js';
import { HOSTILE_AS, keepalive, rawMessage } from '../simulator/hostile-peer.js';
import { dial, type Ends, shortOpen } from './raw-session.js';

const IDENTIFIER = 0x0a09_0909;
const REFRESH = rawMessage(5, Uint8Array.of(0, 2, 0, 1));
const MILLION = 1_000_000;
const PREFIXES_PER_UPDATE = 300;
const LINK_LOCAL = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x66];

/** A session that comes up; `then` is called once the router has said OPEN. */
function session(ends: Ends, then: (socket: Socket) => void, identifier = IDENTIFIER): void {
  let isOpen = false;
  const socket = dial(ends, () => socket.write(shortOpen(identifier)));
  const beat = setInterval(() => isOpen && socket.write(keepalive), 700);
  socket.on('data', () => {
    if (isOpen) return;
    isOpen = true;
    socket.write(keepalive);
    setTimeout(() => then(socket), 100);
  });
  socket.on('close', () => {
    clearInterval(beat);
    setTimeout(() => session(ends, then, identifier), 200);
  });
}

function routes(first: number, count: number): Uint8Array {
  const nlri: number[] = [];
  for (let i = first; i < first + count; i++)
    nlri.push(64, 0xfc, 0x66, 0, i >> 24, (i >> 16) & 255, (i >> 8) & 255, i & 255, 0);
  const reach = [0, 2, 1, 16, ...LINK_LOCAL, 0, ...nlri];
  const asn = [HOSTILE_AS >> 24, (HOSTILE_AS >> 16) & 255, (HOSTILE_AS >> 8) & 255, HOSTILE_AS & 255];
  const attributes = [
    0x90,
    14,
    reach.length >> 8,
    reach.length & 255,
    ...reach,
    0x40,
    1,
    1,
    0,
    0x40,
    2,
    6,
    2,
    1,
    ...asn,
  ];
  return encodeMessage(2, Uint8Array.of(0, 0, attributes.length >> 8, attributes.length & 255, ...attributes));
}

/** As fast as the router takes them. */
function announce(socket: Socket, from: number, end: number): void {
  let at = from;
  while (at < end) {
    const count = Math.min(PREFIXES_PER_UPDATE, end - at);
    const isFree = socket.write(routes(at, count));
    at += count;
    if (!isFree) return void socket.once('drain', () => announce(socket, at, end));
  }
}

function askWithoutEnd(socket: Socket): void {
  if (socket.destroyed) return;
  const requests = Buffer.concat(Array.from({ length: 100 }, () => REFRESH));
  if (socket.write(requests)) setImmediate(() => askWithoutEnd(socket));
  else socket.once('drain', () => askWithoutEnd(socket));
}

function openAgain(ends: Ends): void {
  const socket = dial(ends, () => socket.end(shortOpen(IDENTIFIER)));
  socket.resume().on('close', () => setImmediate(() => openAgain(ends)));
}

function flap(ends: Ends): void {
  const socket = dial(ends, () => socket.write(shortOpen(IDENTIFIER)));
  socket.once('data', () => {
    socket.write(keepalive);
    setTimeout(() => announce(socket, 0, 3000), 100);
  });
  socket.on('data', () => {});
  setTimeout(() => socket.destroy(), 1000);
  setTimeout(() => flap(ends), 1000);
}

function dribble(ends: Ends): void {
  const octets = shortOpen(IDENTIFIER);
  let at = 0;
  const socket = dial(ends, () => {});
  const drip = setInterval(() => socket.write(octets.subarray(at, ++at)), 1000);
  socket.resume().on('close', () => {
    clearInterval(drip);
    setTimeout(() => dribble(ends), 50);
  });
}

function anotherIdentifier(ends: Ends): void {
  const identifier = 1 + Math.floor(Math.random() * 0xffff_fffe);
  const socket = dial(ends, () => socket.write(shortOpen(identifier)));
  socket.on('data', () => socket.write(keepalive));
  socket.on('close', () => setTimeout(() => anotherIdentifier(ends), 10));
  setTimeout(() => socket.destroy(), 300);
}

const several = (times: number, attack: (ends: Ends) => void) => (ends: Ends) => {
  for (let left = times; left > 0; left--) attack(ends);
};

const ATTACKS: Readonly<Record<string, (ends: Ends) => void>> = {
  'stops reading': (ends) =>
    session(ends, (socket) => {
      socket.pause();
      askWithoutEnd(socket);
    }),
  'asks for routes without end': (ends) => session(ends, askWithoutEnd),
  'floods opens': several(8, openAgain),
  'flaps every second': flap,
  'sends one octet a second': several(8, dribble),
  'announces a million prefixes': (ends) => session(ends, (socket) => announce(socket, 0, MILLION)),
  'answers every OPEN with another identifier': several(3, anotherIdentifier),
};

const [name = '', local, remote] = process.argv.slice(2);
const attack = ATTACKS[name];
if (!attack || local === undefined || remote === undefined) {
  console.error(`usage: attacker ATTACK LOCAL%INTERFACE REMOTE%INTERFACE\nattacks: ${Object.keys(ATTACKS).join(', ')}`);
  process.exit(2);
}
attack({ local, remote });
process.stdin.on('end', () => process.exit(0)).resume();
