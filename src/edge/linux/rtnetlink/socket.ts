/**
 * One NETLINK_ROUTE socket: datagrams in and out, with every call-back made outside the native package's own. That
 * package aborts the process when its call-back throws and crashes when it is closed inside one, so its call-backs only
 * queue, and the queue is handled on the next turn of the event loop. It aborts on ENOBUFS too: the kernel is told not to report
 * that (NETLINK_NO_ENOBUFS), and the socket's count of drops says instead that something was lost.
 */
import { loadNetlink, type RawNetlinkSocket } from '../native.js';
import { type NetlinkMessage, parseMessages } from './message.js';
import {
  type MessageFilter,
  NETLINK_ROUTE,
  prepareSocket,
  RECEIVE_BUFFER,
  type ReceiveCounters,
} from './socket-options.js';

const SEND_BUFFER = 1024 * 1024;

export interface NetlinkSocketHandlers {
  message(message: NetlinkMessage): void;
  /**
   * Messages in one direction or the other were lost; the socket goes on, and what it delivers from now on happened after this
   * call. `reason` is an errno's name.
   */
  lost(reason: string): void;
}

export class NetlinkSocket {
  private readonly native: RawNetlinkSocket;
  private readonly datagrams: Uint8Array[] = [];
  private readonly readCounters: () => ReceiveCounters;
  private drops = 0;
  /** Why something was lost, until that is told. */
  private loss: string | undefined;
  private scheduled = false;
  private closed = false;

  /** Throws a plain error when a package is missing or the kernel refuses. */
  constructor(
    private readonly handlers: NetlinkSocketHandlers,
    groups: readonly number[] = [],
    filter?: MessageFilter,
  ) {
    const { RawNetlinkSocket } = loadNetlink();
    this.native = new RawNetlinkSocket(NETLINK_ROUTE, { recvBufferSize: RECEIVE_BUFFER, sendBufferSize: SEND_BUFFER });
    this.native.on('message', (datagram) => {
      this.datagrams.push(datagram);
      this.schedule();
    });
    this.native.on('error', (error) => this.fail(error));
    this.readCounters = prepareSocket(this.port, filter);
    for (const group of groups) this.native.addMembership(group);
  }

  /** The address that requests of this socket, and the events they cause, carry. */
  get port(): number {
    return this.native.address().port;
  }

  send(datagram: Uint8Array): void {
    if (this.closed) return;
    this.native.send(datagram, undefined, (error) => {
      if (error) this.fail(error);
    });
  }

  /** No handler is called after this. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    setImmediate(() => this.native.close());
  }

  private fail(error: NodeJS.ErrnoException): void {
    this.loss = error.code ?? error.message;
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.closed) return;
    this.scheduled = true;
    setImmediate(() => this.deliver());
  }

  private deliver(): void {
    this.scheduled = false;
    if (this.closed) return;
    // Read before the messages: a full buffer makes the next delivery certain, so no drop is missed.
    const { queued, drops } = this.readCounters();
    if (drops !== this.drops) this.loss ??= 'ENOBUFS';
    this.drops = drops;
    const datagrams = this.datagrams.splice(0);
    if (this.loss === undefined) this.handOver(datagrams);
    // What waited behind a loss is older than what the owner will ask for now.
    else if (queued === 0) this.tellLoss(this.loss);
  }

  private handOver(datagrams: readonly Uint8Array[]): void {
    for (const datagram of datagrams) {
      for (const message of parseMessages(datagram)) if (!this.closed) this.handlers.message(message);
    }
  }

  private tellLoss(reason: string): void {
    this.loss = undefined;
    this.handlers.lost(reason);
  }
}
