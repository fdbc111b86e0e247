/**
 * TCP connections of a capture, each as two ordered streams of octets. A new SYN between the same ports is a new connection;
 * a connection met without its SYN is taken from the middle.
 */
import type { Address } from '../net/address.js';
import type { TcpSegment } from './packet/tcp-segment.js';
import { type StreamOutput, TcpStream } from './tcp-stream.js';

/** `Origin` is what the caller knows the segment by; it comes back with the data. */
export interface CapturedSegment<Origin> {
  readonly origin: Origin;
  readonly source: Address;
  readonly destination: Address;
  /** Keeps connections between equal addresses on different links apart. */
  readonly link: string;
  readonly segment: TcpSegment;
}

/** One end sends to the other: the two directions of a connection. */
export interface Endpoint {
  readonly address: Address;
  readonly port: number;
}

export interface TcpConnection {
  /** Counts from 1 in the order of appearance. */
  readonly id: number;
  /** The sender of the first segment seen, which is the client when the SYN was captured. */
  readonly first: Endpoint;
  readonly second: Endpoint;
}

export type TcpEvent<Origin> =
  | { readonly kind: 'opened'; readonly connection: TcpConnection }
  | ({ readonly connection: TcpConnection; readonly fromFirst: boolean } & StreamOutput<Origin>)
  | { readonly kind: 'reset'; readonly connection: TcpConnection; readonly fromFirst: boolean };

interface Tracked<Origin> {
  readonly connection: TcpConnection;
  readonly streams: { readonly first: TcpStream<Origin>; readonly second: TcpStream<Origin> };
  /** A SYN that differs now means a new connection, whatever its number. */
  used: boolean;
}

export class TcpReassembler<Origin> {
  private readonly current = new Map<string, Tracked<Origin>>();
  private count = 0;

  /** What a segment, in the order of capture, brings to light. */
  push(captured: CapturedSegment<Origin>): TcpEvent<Origin>[] {
    const events: TcpEvent<Origin>[] = [];
    const { segment, origin } = captured;
    const tracked = this.track(captured, events);
    const fromFirst = sends(tracked.connection.first, captured);
    const sender = fromFirst ? tracked.streams.first : tracked.streams.second;
    const receiver = fromFirst ? tracked.streams.second : tracked.streams.first;
    const dataAt = (segment.sequence + (segment.syn ? 1 : 0)) >>> 0;
    if (segment.syn && !sender.started) sender.start(dataAt);
    if (segment.ack) this.acknowledge(tracked, receiver, { segment, fromFirst }, events);
    if (segment.rst) {
      tracked.used = true;
      events.push({ kind: 'reset', connection: tracked.connection, fromFirst });
      return events;
    }
    if (segment.payloadLength > 0) tracked.used = true;
    const outputs = sender.accept(dataAt, segment.payload, origin);
    if (segment.fin) {
      tracked.used = true;
      outputs.push(...sender.finish((dataAt + segment.payloadLength) >>> 0, origin));
    }
    for (const output of outputs) events.push({ connection: tracked.connection, fromFirst, ...output });
    return events;
  }

  /** What still waits behind gaps when the capture ends. */
  flush(): TcpEvent<Origin>[] {
    return [...this.current.values()].flatMap(flushed);
  }

  private track(captured: CapturedSegment<Origin>, events: TcpEvent<Origin>[]): Tracked<Origin> {
    const key = connectionKey(captured);
    const known = this.current.get(key);
    if (known && !isNewConnection(known, captured)) return known;
    if (known) events.push(...flushed(known));
    this.count += 1;
    const first = { address: captured.source, port: captured.segment.sourcePort };
    const second = { address: captured.destination, port: captured.segment.destinationPort };
    const connection = { id: this.count, first, second };
    const tracked = {
      connection,
      streams: { first: new TcpStream<Origin>(), second: new TcpStream<Origin>() },
      used: false,
    };
    this.current.set(key, tracked);
    events.push({ kind: 'opened', connection });
    return tracked;
  }

  private acknowledge(
    tracked: Tracked<Origin>,
    receiver: TcpStream<Origin>,
    { segment, fromFirst }: { readonly segment: TcpSegment; readonly fromFirst: boolean },
    events: TcpEvent<Origin>[],
  ): void {
    // A SYN+ACK tells where the other side's data begins even when its SYN was not captured.
    if (segment.syn && !receiver.started) receiver.start(segment.acknowledgment);
    for (const output of receiver.acknowledge(segment.acknowledgment)) {
      events.push({ connection: tracked.connection, fromFirst: !fromFirst, ...output });
    }
  }
}

function isNewConnection<Origin>(known: Tracked<Origin>, captured: CapturedSegment<Origin>): boolean {
  const { segment } = captured;
  if (!segment.syn || segment.ack) return false;
  const fromFirst = sends(known.connection.first, captured);
  const sender = fromFirst ? known.streams.first : known.streams.second;
  return sender.started ? sender.contradicts(segment.sequence + 1) && (known.used || fromFirst) : known.used;
}

function flushed<Origin>(tracked: Tracked<Origin>): TcpEvent<Origin>[] {
  const of = (stream: TcpStream<Origin>, fromFirst: boolean): TcpEvent<Origin>[] =>
    stream.flush().map((output) => ({ connection: tracked.connection, fromFirst, ...output }));
  return [...of(tracked.streams.first, true), ...of(tracked.streams.second, false)];
}

function sends(endpoint: Endpoint, { source, segment }: CapturedSegment<unknown>): boolean {
  return endpoint.port === segment.sourcePort && endpoint.address.every((octet, index) => octet === source[index]);
}

function connectionKey({ source, destination, link, segment }: CapturedSegment<unknown>): string {
  const ends = [`${source.join('.')}:${segment.sourcePort}`, `${destination.join('.')}:${segment.destinationPort}`];
  return [link, ...ends.sort()].join(' ');
}
