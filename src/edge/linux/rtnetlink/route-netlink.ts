/**
 * rtnetlink as heddle uses it: requests in batches, dumps, and multicast events. Kernel tables and links are built on it.
 *
 *   const netlink = new RouteNetlink();
 *   const failures = await netlink.request([{ type, flags, payload }, ...]);   // [] when all went well
 *   const messages = await netlink.dump(MESSAGE.getRoute, header);             // the whole table
 *   const stop = netlink.subscribe([GROUP.link], (event) => ...);              // a message, or 'overrun'
 *   netlink.close();
 *
 * A batch is cut into datagrams of many messages; only the last message of each asks for an acknowledgement, while a
 * failed one answers by itself. Sequence numbers say which request an error belongs to. The kernel handles messages in
 * the order they are given, also across calls; a failed one does not stop the rest.
 */

import {
  DatagramWriter,
  FLAG,
  MESSAGE,
  type NetlinkMessage,
  type NetlinkRequest,
  octetsOf,
  parseError,
} from './message.js';
import { type NetlinkFailure, RequestQueue } from './request-queue.js';
import { NetlinkSocket } from './socket.js';

/** The table changed on every try while it was read. */
const DUMP_TRIES = 5;

export type NetlinkEvent =
  | { readonly kind: 'message'; readonly message: NetlinkMessage }
  /** Events were lost: only a dump tells the truth. The subscription goes on. */
  | { readonly kind: 'overrun' };

type Reader<Item> = (message: NetlinkMessage) => Item | undefined;

interface Dump {
  readonly sequence: number;
  readonly take: (message: NetlinkMessage) => void;
  interrupted: boolean;
  readonly settle: (outcome: { error?: Error }) => void;
}

export class RouteNetlink {
  private readonly socket: NetlinkSocket;
  private readonly queue: RequestQueue;
  private currentDump: Dump | undefined;
  private lastDump: Promise<unknown> = Promise.resolve();
  private sequence = 0;
  private readonly subscriptions = new Set<() => void>();
  private closed = false;

  /** Throws a plain error when the netlink package is missing or the kernel refuses the socket. */
  constructor() {
    this.socket = new NetlinkSocket({
      message: (message) => this.receive(message),
      lost: (reason) => this.abandon(new Error(`answers of the kernel were lost (${reason})`)),
    });
    this.queue = new RequestQueue(
      (datagram) => this.socket.send(datagram),
      (count) => this.take(count),
    );
  }

  /** What events caused by our requests carry as their port. */
  get port(): number {
    return this.socket.port;
  }

  /**
   * Sends all of `requests` in order; resolves with the failed ones, in order. Rejects when answers were lost or the socket was
   * closed: then nobody knows what was done, and a dump must tell.
   */
  request(requests: readonly NetlinkRequest[]): Promise<readonly NetlinkFailure[]> {
    if (this.closed) return Promise.reject(closedError());
    return this.queue.add(requests);
  }

  /** All messages of a dump (RTM_GET*), one dump at a time. Rejects with the kernel's error. */
  dump(type: number, header: Uint8Array): Promise<readonly NetlinkMessage[]>;
  /** What `read` makes of each message as it comes, without those that are nothing to it. */
  dump<Item>(type: number, header: Uint8Array, read: Reader<Item>): Promise<readonly Item[]>;
  dump(type: number, header: Uint8Array, read: Reader<unknown> = (message) => message): Promise<readonly unknown[]> {
    const result = this.lastDump.then(() => this.dumpConsistently(type, header, read));
    this.lastDump = result.catch(() => undefined);
    return result;
  }

  /**
   * Calls `listener` for every message of the multicast `groups` (GROUP); the result ends it. `filter` is a classic BPF
   * program (array of struct sock_filter) that says which messages are let in.
   */
  subscribe(groups: readonly number[], listener: (event: NetlinkEvent) => void, filter?: Uint8Array): () => void {
    const socket = new NetlinkSocket(
      {
        message: (message) => listener({ kind: 'message', message }),
        lost: () => listener({ kind: 'overrun' }),
      },
      groups,
      filter,
    );
    const stop = () => {
      socket.close();
      this.subscriptions.delete(stop);
    };
    this.subscriptions.add(stop);
    return stop;
  }

  close(): void {
    this.closed = true;
    this.socket.close();
    for (const stop of [...this.subscriptions]) stop();
    this.abandon(closedError());
  }

  private async dumpConsistently<Item>(type: number, header: Uint8Array, read: Reader<Item>): Promise<Item[]> {
    for (let attempt = 1; ; attempt++) {
      const items: Item[] = [];
      const dump = await this.dumpOnce(type, header, (message) => {
        const item = read(message);
        if (item !== undefined) items.push(item);
      });
      if (!dump.interrupted || attempt === DUMP_TRIES) return items;
    }
  }

  private dumpOnce(type: number, header: Uint8Array, take: Dump['take']): Promise<Dump> {
    return new Promise((resolve, reject) => {
      if (this.closed) throw closedError();
      const sequence = this.take(1);
      const settle = ({ error }: { error?: Error }) => {
        this.currentDump = undefined;
        if (error) reject(error);
        else resolve(dump);
      };
      const dump: Dump = { sequence, take, interrupted: false, settle };
      this.currentDump = dump;
      const datagram = new DatagramWriter(octetsOf(header));
      datagram.append({ type, flags: FLAG.dump, payload: header }, sequence);
      this.socket.send(datagram.bytes);
    });
  }

  private receive(message: NetlinkMessage): void {
    const dump = this.currentDump;
    if (dump?.sequence === message.sequence) receiveDump(dump, message);
    else if (message.type === MESSAGE.error) this.queue.answered(message.sequence, parseError(message));
  }

  /** The first of `count` sequence numbers in a row. */
  private take(count: number): number {
    if (this.sequence + count > 0xffffffff) this.sequence = 0;
    const first = this.sequence + 1;
    this.sequence += count;
    return first;
  }

  private abandon(error: Error): void {
    this.currentDump?.settle({ error });
    this.queue.abandon(error);
  }
}

function receiveDump(dump: Dump, message: NetlinkMessage): void {
  if (message.flags & FLAG.dumpInterrupted) dump.interrupted = true;
  if (message.type !== MESSAGE.error && message.type !== MESSAGE.done) {
    dump.take(message);
    return;
  }
  const error = parseError(message);
  dump.settle(error ? { error: new Error(`the kernel refused a dump: ${error.message} (${error.code})`) } : {});
}

function closedError(): Error {
  return new Error('the netlink socket is closed');
}
