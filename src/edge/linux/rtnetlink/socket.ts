/**
 * One NETLINK_ROUTE socket: datagrams in and out, with every call-back made outside the native package's own. That
 * package aborts the process when its call-back throws and crashes when it is closed inside one, so its call-backs only
 * queue, and the queue is handled on the next turn of the event loop. It aborts on ENOBUFS too: the kernel is told not to report
 * that (NETLINK_NO_ENOBUFS), and the socket's count of drops says instead that something was lost.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { loadKoffi, loadNetlink, type RawNetlinkSocket } from '../native.js';
import { LITTLE_ENDIAN, viewOf } from './attributes.js';
import { type NetlinkMessage, parseMessages } from './message.js';

const NETLINK_ROUTE = 0;
const RECEIVE_BUFFER = 4 * 1024 * 1024;
const SEND_BUFFER = 1024 * 1024;

const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const SO_RCVBUFFORCE = 33;
const SO_MEMINFO = 55;
const SK_MEMINFO_DROPS = 8;
const SOL_NETLINK = 270;
const NETLINK_NO_ENOBUFS = 5;
const NETLINK_EXT_ACK = 11;
/** Dumps heed the filter fields in their header. */
const NETLINK_GET_STRICT_CHK = 12;

export interface NetlinkSocketHandlers {
  message(message: NetlinkMessage): void;
  /** Messages in one direction or the other were lost; the socket goes on. `reason` is an errno's name. */
  lost(reason: string): void;
}

export class NetlinkSocket {
  private readonly native: RawNetlinkSocket;
  private readonly datagrams: Uint8Array[] = [];
  private readonly readDrops: () => number;
  private drops = 0;
  private failure: NodeJS.ErrnoException | undefined;
  private scheduled = false;
  private closed = false;

  /** Throws a plain error when a package is missing or the kernel refuses. */
  constructor(
    private readonly handlers: NetlinkSocketHandlers,
    groups: readonly number[] = [],
    filter?: Uint8Array,
  ) {
    const { RawNetlinkSocket } = loadNetlink();
    this.native = new RawNetlinkSocket(NETLINK_ROUTE, { recvBufferSize: RECEIVE_BUFFER, sendBufferSize: SEND_BUFFER });
    this.native.on('message', (datagram) => {
      this.datagrams.push(datagram);
      this.schedule();
    });
    this.native.on('error', (error) => this.fail(error));
    this.readDrops = prepare(this.port, filter);
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
    this.failure = error;
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
    // Before the messages: a full buffer makes the next delivery certain, so no drop is missed for long.
    const drops = this.readDrops();
    const reason = this.failure?.code ?? (drops === this.drops ? undefined : 'ENOBUFS');
    this.drops = drops;
    this.failure = undefined;
    for (const datagram of this.datagrams.splice(0)) {
      for (const message of parseMessages(datagram)) if (!this.closed) this.handlers.message(message);
    }
    if (reason && !this.closed) this.handlers.lost(reason);
  }
}

/** Sets what the netlink package has no call for; the result reads how many messages the socket has dropped. */
function prepare(port: number, filter: Uint8Array | undefined): () => number {
  const koffi = loadKoffi();
  const libc = koffi.load(null);
  const setsockopt = libc.func('int setsockopt(int fd, int level, int option, const void *value, unsigned int length)');
  const getsockopt = libc.func('int getsockopt(int fd, int level, int option, void *value, void *length)');
  const fd = descriptorOf(port);
  const set = (level: number, option: number, value: number) =>
    setsockopt(fd, level, option, new Uint8Array(Int32Array.of(value).buffer), 4);
  set(SOL_NETLINK, NETLINK_NO_ENOBUFS, 1);
  set(SOL_NETLINK, NETLINK_EXT_ACK, 1);
  set(SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1);
  set(SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER);
  if (filter) {
    const program = filterProgram(filter, koffi.address(filter));
    if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, program, program.length) !== 0) {
      throw new Error(`the kernel refused the event filter: errno ${koffi.errno()}`);
    }
  }
  const counters = new Uint8Array(4 * (SK_MEMINFO_DROPS + 1));
  const length = new Uint8Array(Uint32Array.of(counters.length).buffer);
  return () => {
    getsockopt(fd, SOL_SOCKET, SO_MEMINFO, counters, length);
    return viewOf(counters).getUint32(4 * SK_MEMINFO_DROPS, LITTLE_ENDIAN);
  };
}

/** struct sock_fprog: the number of instructions and where they are. */
function filterProgram(instructions: Uint8Array, address: bigint): Uint8Array {
  const program = new Uint8Array(16);
  viewOf(program).setUint16(0, instructions.length / 8, LITTLE_ENDIAN);
  viewOf(program).setBigUint64(8, address, LITTLE_ENDIAN);
  return program;
}

/** The file descriptor of our own netlink socket with this port, through the inode that /proc shows for both. */
function descriptorOf(port: number): number {
  const line = readFileSync('/proc/thread-self/net/netlink', 'latin1')
    .split('\n')
    .map((text) => text.trim().split(/\s+/))
    .find((fields) => fields[1] === String(NETLINK_ROUTE) && fields[2] === String(port));
  const target = `socket:[${line?.at(-1)}]`;
  const found = readdirSync('/proc/self/fd').find((fd) => linkTarget(`/proc/self/fd/${fd}`) === target);
  if (found === undefined) throw new Error('the netlink socket was not found under /proc: is /proc mounted?');
  return Number(found);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
