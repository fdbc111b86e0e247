/**
 * One end of sixteen flows that send in bursts, a process of its own in a namespace. The sender's flows take turns: each
 * bursts for 40 ms and is silent for 80, shifted against the others, and what a late timer missed is sent when it fires.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { BurstsAnswer, BurstsTask } from './bursts-protocol.js';

const PACKET = 1000;
/** Milliseconds. */
const BURST = 40;
const PERIOD = 120;
const TICK = 2;

function say(answer: BurstsAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function bound(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp6', recvBufferSize: 1 << 21 });
  // An ICMP error for an earlier datagram: the octets tell.
  socket.on('error', () => undefined);
  const listening = once(socket, 'listening');
  socket.bind(port, address);
  await listening;
  return socket;
}

/** Resolves at the next command; ends the process when standard input ends without one. */
async function go(): Promise<void> {
  for await (const _ of createInterface({ input: process.stdin })) return;
  process.exit(0);
}

async function receive({ address, port }: Extract<BurstsTask, { kind: 'receive' }>): Promise<void> {
  const socket = await bound(address, port);
  let octets = 0;
  socket.on('message', (datagram) => {
    octets += datagram.length;
  });
  say({ kind: 'ready' });
  await go();
  say({ kind: 'octets', octets });
}

async function send(task: Extract<BurstsTask, { kind: 'send' }>): Promise<void> {
  const { source, address, port, sourcePorts, rate, duration } = task;
  const flows = await Promise.all(sourcePorts.map((sourcePort) => bound(source, sourcePort)));
  const inBurst = (rate / flows.length) * (PERIOD / BURST);
  const payload = new Uint8Array(PACKET);
  const due = flows.map(() => 0);
  say({ kind: 'ready' });
  await go();
  const start = performance.now();
  let octets = 0;
  await new Promise<void>((resolve) => {
    const tick = (last: number): void => {
      const now = performance.now() - start;
      if (now >= duration) return resolve();
      for (const [place, socket] of flows.entries()) {
        const phase = (now + (place * PERIOD) / flows.length) % PERIOD;
        if (phase >= BURST) continue;
        due[place]! += (inBurst * Math.min(now - last, phase)) / 1000;
        for (; due[place]! >= PACKET; due[place]! -= PACKET, octets += PACKET) socket.send(payload, port, address);
      }
      setTimeout(tick, TICK, now);
    };
    tick(0);
  });
  say({ kind: 'octets', octets });
}

const task: BurstsTask = JSON.parse(process.argv[2] ?? '{}');
await (task.kind === 'send' ? send(task) : receive(task));
process.exit(0);
