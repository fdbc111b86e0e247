/**
 * One NETLINK_ROUTE socket: datagrams in and out, with every call-back made outside the native package's own. That
 * package aborts the process when its call-back throws and crashes when it is closed inside one, so its call-backs only
 * queue, and the queue is handled on the next turn of the event loop.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { loadKoffi, loadNetlink, type RawNetlinkSocket } from '../native.js';
import { type NetlinkMessage, parseMessages } from './message.js';

const NETLINK_ROUTE = 0;
const RECEIVE_BUFFER = 4 * 1024 * 1024;
const SEND_BUFFER = 1024 * 1024;

const SOL_SOCKET = 1;
const SO_RCVBUFFORCE = 33;
const SOL_NETLINK = 270;
const NETLINK_EXT_ACK = 11;

export interface NetlinkSocketHandlers {
  message(message: NetlinkMessage): void;
  /** Answers or events were lost (ENOBUFS) or the socket broke; it is closed and must be opened anew. */
  failed(error: NodeJS.ErrnoException): void;
}

export class NetlinkSocket {
  private readonly native: RawNetlinkSocket;
  private readonly datagrams: Uint8Array[] = [];
  private failure: NodeJS.ErrnoException | undefined;
  private scheduled = false;
  private closed = false;

  /** Throws a plain error when the package is missing or the kernel refuses. */
  constructor(
    private readonly handlers: NetlinkSocketHandlers,
    groups: readonly number[] = [],
  ) {
    const { RawNetlinkSocket } = loadNetlink();
    this.native = new RawNetlinkSocket(NETLINK_ROUTE, { recvBufferSize: RECEIVE_BUFFER, sendBufferSize: SEND_BUFFER });
    this.native.on('message', (datagram) => {
      this.datagrams.push(datagram);
      this.schedule();
    });
    this.native.on('error', (error) => this.fail(error));
    setOptionalSocketOptions(this.native.address().port);
    for (const group of groups) this.native.addMembership(group);
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
    this.failure ??= error;
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.closed) return;
    this.scheduled = true;
    setImmediate(() => this.deliver());
  }

  private deliver(): void {
    this.scheduled = false;
    for (const datagram of this.datagrams.splice(0)) {
      for (const message of parseMessages(datagram)) if (!this.closed) this.handlers.message(message);
    }
    if (this.failure && !this.closed) {
      this.close();
      this.handlers.failed(this.failure);
    }
  }
}

/**
 * The netlink package has no general setsockopt. Where koffi is there, the kernel's error texts are switched on
 * and the receive buffer may pass net.core.rmem_max; without them everything still works, with errno texts.
 */
function setOptionalSocketOptions(port: number): void {
  const fd = descriptorOf(port);
  if (fd === undefined) return;
  try {
    const setsockopt = loadKoffi()
      .load(null)
      .func('int setsockopt(int fd, int level, int option, const void *value, unsigned int length)');
    const set = (level: number, option: number, value: number) =>
      setsockopt(fd, level, option, new Uint8Array(Int32Array.of(value).buffer), 4);
    set(SOL_NETLINK, NETLINK_EXT_ACK, 1);
    set(SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER);
  } catch {
    // koffi is optional here: see above.
  }
}

/** The file descriptor of our own netlink socket with this port, through the inode that /proc shows for both. */
function descriptorOf(port: number): number | undefined {
  const line = readFileSync('/proc/thread-self/net/netlink', 'latin1')
    .split('\n')
    .map((text) => text.trim().split(/\s+/))
    .find((fields) => fields[1] === String(NETLINK_ROUTE) && fields[2] === String(port));
  const target = `socket:[${line?.at(-1)}]`;
  const found = readdirSync('/proc/self/fd').find((fd) => linkTarget(`/proc/self/fd/${fd}`) === target);
  return found === undefined ? undefined : Number(found);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
