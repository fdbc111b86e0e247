/**
 * The load generator, a process of its own: sessions that announce tables encoded beforehand, and sessions that count what is
 * told to them. It decides nothing and looks at nothing closely, so that it is never what is waited for.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { now } from '../../app/lab/monotonic.js';
import { parseAddress } from '../../core/net/address.js';
import { MessageFramer } from '../../core/wire/bgp/framer.js';
import { encodeKeepalive } from '../../core/wire/bgp/keepalive.js';
import { MESSAGE_TYPE } from '../../core/wire/bgp/message.js';
import { encodeOpen } from '../../core/wire/bgp/open.js';
import { countRoutes } from './count-routes.js';
import type { GeneratorAnswer, GeneratorCommand, GeneratorSession, GeneratorTask } from './generator-protocol.js';
import { type TableStream, tableStream } from './table-stream.js';

const PORT = 179;
/** Milliseconds between attempts to connect. */
const RETRY = 50;
/** Milliseconds between KEEPALIVEs; shorter than any hold time in use. */
const KEEPALIVE_INTERVAL = 900;

const { target, holdTime, sessions }: GeneratorTask = JSON.parse(process.argv[2] ?? '{}');
const keepalive = encodeKeepalive();
const counts = { announced: 0, withdrawn: 0 };
let last = 0;
let lost = 0;
let lateness: number[] = [];

class Session {
  readonly table: TableStream | undefined;
  private socket: Socket | undefined;
  private established = false;
  private heard = 0;

  constructor(
    private readonly session: GeneratorSession,
    private readonly number: number,
  ) {
    const sender = { asn: session.asn, address: parseAddress(session.address)! };
    this.table = session.table && tableStream(session.table, sender);
  }

  /** Tries until the session is up. */
  open(): Promise<void> {
    return new Promise((resolve) => this.dial(resolve));
  }

  send(octets: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket!.write(octets, (error) => (error ? reject(error) : resolve()));
    });
  }

  drop(): void {
    this.established = false;
    this.socket?.resetAndDestroy();
  }

  private dial(up: () => void): void {
    const { address } = this.session;
    const socket = connect({ port: PORT, host: target, localAddress: address, noDelay: true });
    const framer = new MessageFramer();
    this.socket = socket;
    socket.on('connect', () => socket.write(this.openMessage()));
    socket.on('data', (octets) => {
      framer.push(octets, (type, body) => this.hear(type, body, up));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.established) lost++;
      else if (this.heard === 0) setTimeout(() => this.dial(up), RETRY);
    });
  }

  private hear(type: number, body: Uint8Array, up: () => void): void {
    if (type === MESSAGE_TYPE.open) this.socket!.write(keepalive);
    if (type === MESSAGE_TYPE.update) {
      const before = counts.announced + counts.withdrawn;
      if (!this.table) countRoutes(body, counts);
      if (counts.announced + counts.withdrawn > before) last = now();
    }
    if (this.established) this.alive();
    else if (type === MESSAGE_TYPE.keepalive) {
      this.established = true;
      this.heard = now();
      setInterval(() => this.established && this.socket?.write(keepalive), KEEPALIVE_INTERVAL).unref();
      up();
    }
  }

  private alive(): void {
    const at = now();
    lateness.push(Math.max(0, at - this.heard - (holdTime * 1000) / 3));
    this.heard = at;
  }

  private openMessage(): Uint8Array {
    const { asn, address } = this.session;
    return encodeOpen({
      version: 4,
      asn,
      asField: asn,
      holdTime,
      identifier: 0x0a090000 + this.number,
      capabilities: [
        { kind: 'multiprotocol', afi: address.includes(':') ? 2 : 1, safi: 1 },
        { kind: 'route-refresh' },
        { kind: 'four-octet-as', asn },
      ],
    });
  }
}

const all = sessions.map((session, index) => new Session(session, index + 1));
const senders = all.filter(({ table }) => table);

function say(answer: GeneratorAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function sendAll(octetsOf: (table: TableStream) => Uint8Array): Promise<void> {
  const from = now();
  await Promise.all(senders.map((sender) => sender.send(octetsOf(sender.table!))));
  say({ kind: 'sent', from, to: now() });
}

async function obey(command: GeneratorCommand): Promise<void> {
  switch (command.kind) {
    case 'connect':
      await Promise.all(all.map((session) => session.open()));
      return say({ kind: 'connected' });
    case 'announce':
      return sendAll(({ announcements }) => announcements);
    case 'withdraw':
      return sendAll(({ withdrawals }) => withdrawals);
    case 'drop': {
      const from = now();
      for (const sender of senders) sender.drop();
      return say({ kind: 'sent', from, to: now() });
    }
    case 'counts':
      say({ kind: 'counts', ...counts, last, lost, lateness });
      lateness = [];
      return;
  }
}

for await (const line of createInterface({ input: process.stdin })) await obey(JSON.parse(line));
process.exit(0);
