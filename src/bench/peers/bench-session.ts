/**
 * One BGP session of the bench's own: it connects until it is heard, says what it is told to say, and looks at nothing closely,
 * so that it is never what is waited for. It keeps how late KEEPALIVEs came.
 */
import { connect, type Socket } from 'node:net';
import { now } from '../../app/lab/monotonic.js';
import { MessageFramer } from '../../core/wire/bgp/framer.js';
import { encodeKeepalive } from '../../core/wire/bgp/keepalive.js';
import { MESSAGE_TYPE } from '../../core/wire/bgp/message.js';
import { encodeOpen } from '../../core/wire/bgp/open.js';
import type { Gap } from './lateness.js';
import type { TableFamily } from './path-attributes.js';

const PORT = 179;
/** Milliseconds between attempts to connect. */
const RETRY = 50;
const keepalive = encodeKeepalive();

export interface SessionOptions {
  /** Of its OPEN; the number is its BGP identifier. */
  readonly asn: number;
  readonly number: number;
  readonly family: TableFamily;
  /** Seconds. */
  readonly holdTime: number;
  /** Who is called. */
  readonly target: string;
  /** Its own end; the kernel chooses without one. */
  readonly address?: string;
  /** The body of an UPDATE; valid during the call. `at` is when its octets came. */
  readonly update: (body: Uint8Array, at: number) => void;
  /** The connection ended while nobody wanted it to. */
  readonly lost: () => void;
}

export class BenchSession {
  private readonly open: Uint8Array;
  private readonly interval: number;
  private gaps: Gap[] = [];
  private socket: Socket | undefined;
  private established = false;
  private heard = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SessionOptions) {
    this.open = openMessage(options);
    this.interval = (options.holdTime * 1000) / 3;
  }

  /** Tries until the session is up. */
  connect(): Promise<void> {
    return new Promise((resolve) => this.dial(resolve));
  }

  /** Resolves when the kernel has all of it. */
  send(octets: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket!.write(octets, (error) => (error ? reject(error) : resolve()));
    });
  }

  drop(): void {
    this.end();
    this.socket?.resetAndDestroy();
  }

  /** Since they were taken last: one a KEEPALIVE, and what is overdue now. */
  takeGaps(): readonly Gap[] {
    const { gaps } = this;
    this.gaps = [];
    const at = now();
    const late = at - this.heard - this.interval;
    return this.established && late > 0 ? [...gaps, { since: this.heard, late }] : gaps;
  }

  private dial(up: () => void): void {
    const { target, address } = this.options;
    const socket = connect({ port: PORT, host: target, localAddress: address, noDelay: true });
    const framer = new MessageFramer();
    this.socket = socket;
    socket.on('connect', () => socket.write(this.open));
    socket.on('data', (octets) => {
      const at = now();
      framer.push(octets, (type, body) => this.hear({ type, body, at }, up));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.established) {
        this.end();
        this.options.lost();
      } else if (this.heard === 0) setTimeout(() => this.dial(up), RETRY);
    });
  }

  private end(): void {
    this.established = false;
    clearInterval(this.timer);
  }

  private hear(message: { readonly type: number; readonly body: Uint8Array; readonly at: number }, up: () => void) {
    const { type, body, at } = message;
    if (type === MESSAGE_TYPE.open) this.socket!.write(keepalive);
    if (type === MESSAGE_TYPE.update) this.options.update(body, at);
    if (this.established) this.alive(type, at);
    else if (type === MESSAGE_TYPE.keepalive) {
      this.established = true;
      this.heard = at;
      // Sooner than due: it is not our lateness that is measured.
      this.timer = setInterval(() => this.socket?.write(keepalive), this.interval * 0.8);
      up();
    }
  }

  /** Every message keeps a session alive, so others than KEEPALIVEs count only when they are late. */
  private alive(type: number, at: number): void {
    const late = Math.max(0, at - this.heard - this.interval);
    if (type === MESSAGE_TYPE.keepalive || late > 0) this.gaps.push({ since: this.heard, late });
    this.heard = at;
  }
}

function openMessage({ asn, number, family, holdTime }: SessionOptions): Uint8Array {
  return encodeOpen({
    version: 4,
    asn,
    asField: asn,
    holdTime,
    identifier: 0x0a090000 + number,
    capabilities: [
      { kind: 'multiprotocol', afi: family === 'ipv6' ? 2 : 1, safi: 1 },
      { kind: 'route-refresh' },
      { kind: 'four-octet-as', asn },
    ],
  });
}
