/**
 * One end of flows that send in bursts, a process of its own in a namespace (bursts.ts starts it). The sender's flows take turns:
 * each bursts and is silent, shifted against the others, and what a late timer missed is sent when it fires, a datagram of each in turn.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { BurstsAnswer, BurstsTask } from './bursts-protocol.js';

/** Octets of a datagram. */
const PACKET = 1000;
/** Milliseconds. */
const TICK = 2;

const commands = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

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
async function command(): Promise<void> {
  if ((await commands.next()).done) process.exit(0);
}

async function receive({ address, port }: Extract<BurstsTask, { kind: 'receive' }>): Promise<void> {
  const socket = await bound(address, port);
  let octets = 0;
  socket.on('message', (datagram) => {
    octets += datagram.length;
  });
  say({ kind: 'ready' });
  await command();
  say({ kind: 'octets', octets });
}

async function send(task: Extract<BurstsTask, { kind: 'send' }>): Promise<void> {
  const { source, address, port, sourcePorts, rate, burst, pause } = task;
  const flows = await Promise.all(sourcePorts.map((sourcePort) => bound(source, sourcePort)));
  const period = burst + pause;
  /** Octets a millisecond of one flow while it sends. */
  const pace = (rate / flows.length / 1000) * (period / burst);
  const payload = new Uint8Array(PACKET);
  const due = flows.map(() => 0);
  say({ kind: 'ready' });
  await command();
  const start = performance.now();
  let octets = 0;
  let running = true;
  const tick = (last: number): void => {
    if (!running) return;
    const now = performance.now() - start;
    for (const place of flows.keys()) {
      const phase = (now + (place * period) / flows.length) % period;
      if (phase < burst) due[place]! += pace * (pause > 0 ? Math.min(now - last, phase) : now - last);
    }
    while (due.some((owed) => owed >= PACKET)) {
      for (const [place, socket] of flows.entries()) {
        if (due[place]! < PACKET) continue;
        due[place]! -= PACKET;
        octets += PACKET;
        socket.send(payload, port, address);
      }
    }
    setTimeout(tick, TICK, now);
  };
  tick(0);
  await command();
  running = false;
  say({ kind: 'octets', octets });
}

const task: BurstsTask = JSON.parse(process.argv[2] ?? '{}');
await (task.kind === 'send' ? send(task) : receive(task));
process.exit(0);
