/**
 * One byte stream to a neighbour: bytes to messages, message counters, and the order of what is written. A session may hold two
 * of them for a moment (RFC 4271 section 6.8); the arbiter says which one lives.
 */
import type { Stream } from '../ports/transport.js';
import { MessageFramer } from '../wire/bgp/framer.js';
import { MESSAGE_TYPE, type MessageError } from '../wire/bgp/message.js';
import { encodeMessage } from '../wire/bgp/message-header.js';

export interface MessageCounters {
  open: number;
  update: number;
  notification: number;
  keepalive: number;
  routeRefresh: number;
}

/** Messages that monitoring shows whole, as they were on the wire. */
export interface Transcript {
  openSent?: Uint8Array;
  openReceived?: Uint8Array;
  notificationSent?: Uint8Array;
  notificationReceived?: Uint8Array;
}

export interface ConnectionHandlers {
  message(type: number, body: Uint8Array): void;
  fault(error: MessageError): void;
  /** All messages of one read have been handed over. */
  readCompleted(): void;
  drained(): void;
  closed(reason: string): void;
}

const COUNTER_OF: Readonly<Record<number, keyof MessageCounters>> = {
  [MESSAGE_TYPE.open]: 'open',
  [MESSAGE_TYPE.update]: 'update',
  [MESSAGE_TYPE.notification]: 'notification',
  [MESSAGE_TYPE.keepalive]: 'keepalive',
  [MESSAGE_TYPE.routeRefresh]: 'routeRefresh',
};
const TYPE_OFFSET = 18;

export class Connection {
  private readonly framer = new MessageFramer();
  private closing = false;
  /** Grows with every read: tells whether anything came since a timer was looked at. */
  reads = 0;
  readonly transcript: Transcript = {};

  constructor(
    readonly stream: Stream,
    private readonly counters: { sent: MessageCounters; received: MessageCounters },
    private readonly handlers: ConnectionHandlers,
  ) {}

  get hopLimit(): number | undefined {
    return this.stream.hopLimit;
  }

  start(): void {
    this.stream.start({
      data: (bytes) => this.read(bytes),
      drain: () => this.handlers.drained(),
      closed: (error) => {
        this.closing = true;
        this.handlers.closed(error?.message ?? 'closed by the neighbour');
      },
    });
  }

  /** RFC 8654: both sides sent the capability. */
  extendMessages(): void {
    this.framer.setExtended(true);
  }

  /** Writes one whole message; false when the caller should wait for `drained`. */
  send(message: Uint8Array): boolean {
    if (this.closing) return false;
    const counter = COUNTER_OF[message[TYPE_OFFSET] ?? 0];
    if (counter) this.counters.sent[counter]++;
    if (counter === 'open') this.transcript.openSent = message;
    else if (counter === 'notification') this.transcript.notificationSent = message;
    return this.stream.write(message);
  }

  /** Flushes what is queued, a NOTIFICATION above all, then closes. */
  close(): void {
    this.closing = true;
    this.stream.end();
  }

  abort(): void {
    this.closing = true;
    this.stream.destroy();
  }

  private read(bytes: Uint8Array): void {
    if (this.closing) return;
    this.reads++;
    const error = this.framer.push(bytes, (type, body) => {
      if (this.closing) return;
      const counter = COUNTER_OF[type];
      if (counter) this.counters.received[counter]++;
      if (counter === 'open') this.transcript.openReceived = encodeMessage(type, body);
      else if (counter === 'notification') this.transcript.notificationReceived = encodeMessage(type, body);
      this.handlers.message(type, body);
    });
    if (this.closing) return;
    if (error) this.handlers.fault(error);
    else this.handlers.readCompleted();
  }
}
