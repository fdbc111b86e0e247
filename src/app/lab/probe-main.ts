/**
 * One end of a traffic probe, a process of its own inside a host's namespace (probe.ts starts it). The task is its argument,
 * as JSON; answers are JSON lines on standard output. It ends when told to stop, or when its standard input closes, so it never
 * outlives the one who started it.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { addressItself } from './address-itself.js';
import { now } from './monotonic.js';
import { decodeProbe, encodeProbe } from './probe-datagram.js';
import type { ProbeAnswer, ProbeCommand, ProbeFlow, ProbeTask } from './probe-protocol.js';
import { type Arrival, reportFlow } from './probe-report.js';

/** Datagrams of a flow that are sent at once: a machine that stood still must not fill the receiver's buffer with what it missed. */
const AT_ONCE = 16;
/** Milliseconds that datagrams still under way get to arrive. */
const DRAIN = 200;
/** Datagrams of a burst that are sent before the sockets get a breath. */
const BURST_STEP = 32;

function say(answer: ProbeAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Resolves with the next command; exits the process when standard input ends without one. */
async function command(): Promise<ProbeCommand> {
  for await (const line of createInterface({ input: process.stdin })) {
    const next: ProbeCommand = JSON.parse(line);
    return next;
  }
  process.exit(0);
}

async function bound(address: string, port: number): Promise<Socket> {
  const type = address.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({ type, recvBufferSize: 1 << 21, lookup: addressItself });
  // An ICMP error for an earlier datagram: the counts tell.
  socket.on('error', () => undefined);
  const listening = once(socket, 'listening');
  socket.bind(port, address);
  await listening;
  return socket;
}

async function receive(flows: readonly ProbeFlow[], interval: number): Promise<void> {
  const arrivals = await Promise.all(flows.map((flow) => recordArrivals(flow)));
  say({ kind: 'ready' });
  const { sent, stoppedAt, marks } = await command();
  await drained(arrivals, sent);
  const reports = flows.map((flow, index) =>
    reportFlow(
      {
        flow: flow.name,
        sent: sent[index] ?? 0,
        interval: interval * (flow.every ?? 1),
        arrivals: arrivals[index] ?? [],
        stoppedAt,
      },
      marks,
    ),
  );
  say({ kind: 'reports', reports });
  process.exit(0);
}

/** Waits until all that was sent is there, or no more comes. */
async function drained(arrivals: readonly (readonly Arrival[])[], sent: readonly number[]): Promise<void> {
  const count = () => arrivals.reduce((sum, { length }) => sum + length, 0);
  const due = sent.reduce((sum, one) => sum + one, 0);
  for (let before = -1; count() < due && count() !== before; ) {
    before = count();
    await sleep(DRAIN);
    // A late timer comes before sockets that could have been read for long.
    await turn();
  }
}

async function recordArrivals(flow: ProbeFlow): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const socket = await bound(flow.destination, flow.port);
  socket.on('message', (datagram) => {
    arrivals.push({ ...decodeProbe(datagram), receivedAt: now() });
  });
  return arrivals;
}

type SendTask = Extract<ProbeTask, { kind: 'receive' | 'send' }>;

async function send({ flows, interval, burst, spread }: SendTask): Promise<void> {
  const sockets = await Promise.all(flows.map((flow) => bound(flow.source, 0)));
  const sent = flows.map(() => 0);
  const started = now();
  /** Of an interval: all flows have one, or one each. */
  const turns = spread ? flows.length : 1;
  let at = 0;
  let running = true;
  const timeOf = (place: number): number =>
    started + (place / turns) * interval + (burst ? Math.floor(place / turns / burst.datagrams) * burst.pause : 0);
  const sendFlow = (index: number, tick: number): void => {
    const { every = 1, port, destination } = flows[index]!;
    if (tick % every === 0) sockets[index]!.send(encodeProbe(sent[index]!++, now()), port, destination);
  };
  /** Timers fire late: sends what is due. */
  const sendDue = () => {
    for (const time = now(), last = at + AT_ONCE * turns; timeOf(at) <= time && at < last; at++) {
      const tick = Math.floor(at / turns);
      if (spread) sendFlow(at % turns, tick);
      else for (const index of flows.keys()) sendFlow(index, tick);
    }
    return timeOf(at);
  };
  const tick = () => {
    if (!running) return;
    if (interval >= 1) {
      sendDue();
      setTimeout(tick, interval);
    } else {
      sendFinely(sendDue);
      setImmediate(tick);
    }
  };
  tick();
  say({ kind: 'ready' });
  await command();
  running = false;
  say({ kind: 'sent', sent, stoppedAt: now() });
  process.exit(0);
}

/** Milliseconds for which the event loop stands still: timers know no less than one, so the thread itself sleeps. */
const FINE_TURN = 5;
const clockCell = new Int32Array(new SharedArrayBuffer(4));

function sendFinely(sendDue: () => number): void {
  const end = now() + FINE_TURN;
  for (let next = sendDue(); next < end; next = sendDue()) Atomics.wait(clockCell, 0, 0, Math.max(0, next - now()));
}

/** As many datagrams from as many source ports, so that a hash over ports spreads them. */
async function burst({ flow, count, ports, sourcePort }: Extract<ProbeTask, { kind: 'burst' }>): Promise<void> {
  const portOf = (index: number) => (sourcePort === undefined ? 0 : sourcePort + index);
  const sockets = await Promise.all(Array.from({ length: ports }, (_, index) => bound(flow.source, portOf(index))));
  say({ kind: 'ready' });
  await command();
  for (let sequence = 0; sequence < count; sequence++) {
    const socket = sockets[sequence % ports]!;
    await new Promise((resolve) => socket.send(encodeProbe(sequence, now()), flow.port, flow.destination, resolve));
    if (sequence % BURST_STEP === 0) await sleep(1);
  }
  say({ kind: 'sent', sent: [count], stoppedAt: now() });
  process.exit(0);
}

const task: ProbeTask = JSON.parse(process.argv[2] ?? '{}');
if (task.kind === 'burst') await burst(task);
else if (task.kind === 'send') await send(task);
else await receive(task.flows, task.interval);
