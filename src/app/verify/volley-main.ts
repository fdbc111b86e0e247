/**
 * Sends volleys of UDP datagrams from a host's namespace, one for each line on standard input (volley-protocol.ts), and ends with it. It
 * takes in what others send there, so that no ICMP errors go back; the counters of the links tell what came.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Volley, VolleyAnswer, VolleyTask } from './volley-protocol.js';

const PAYLOAD = Buffer.alloc(32);

function say(answer: VolleyAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function bound(port: number, address: string): Promise<Socket> {
  const socket = createSocket('udp6');
  // The counts tell what is lost.
  socket.on('error', () => undefined);
  const listening = once(socket, 'listening');
  socket.bind(port, address);
  await listening;
  return socket;
}

function sent(socket: Socket, port: number, destination: string): Promise<void> {
  return new Promise((resolve) => socket.send(PAYLOAD, port, destination, () => resolve()));
}

const task: VolleyTask = JSON.parse(process.argv[2] ?? '{}');
const sink = await bound(task.port, '::');
sink.on('message', () => undefined);
/** By source address: the same for all volleys of a colour. */
const senders = new Map<string, readonly Socket[]>();
say({ kind: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const { source, destination }: Volley = JSON.parse(line);
  const sockets =
    senders.get(source) ?? (await Promise.all(Array.from({ length: task.sourcePorts }, () => bound(0, source))));
  senders.set(source, sockets);
  for (let number = 0; number < task.count; number++)
    await sent(sockets[number % sockets.length]!, task.port, destination);
  say({ kind: 'sent' });
}
process.exit(0);
