/** Socket options that the netlink package has no call for, set through koffi on the descriptor found under /proc. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { filterProgram } from '../classic-bpf.js';
import { loadKoffi } from '../native.js';
import { LITTLE_ENDIAN, viewOf } from './attributes.js';

export const NETLINK_ROUTE = 0;
export const RECEIVE_BUFFER = 4 * 1024 * 1024;

const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const SO_RCVBUFFORCE = 33;
const SO_ATTACH_BPF = 50;
const SO_MEMINFO = 55;
const SK_MEMINFO_RMEM_ALLOC = 0;
const SK_MEMINFO_DROPS = 8;
const SOL_NETLINK = 270;
const NETLINK_NO_ENOBUFS = 5;
const NETLINK_EXT_ACK = 11;
/** Dumps heed the filter fields in their header. */
const NETLINK_GET_STRICT_CHK = 12;

/** Says which messages are let in: a classic BPF program (array of struct sock_filter), or one of eBPF that is loaded. */
export type MessageFilter = Uint8Array | { readonly fileDescriptor: number };

export interface ReceiveCounters {
  /** Octets of memory that unread messages take. */
  readonly queued: number;
  /** Messages that found no room, since the socket was made. */
  readonly drops: number;
}

/** Prepares the netlink socket with this port; the result reads its counters. */
export function prepareSocket(port: number, filter: MessageFilter | undefined): () => ReceiveCounters {
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
    const classic = filter instanceof Uint8Array;
    const program = classic
      ? filterProgram(filter, koffi.address(filter))
      : new Uint8Array(Int32Array.of(filter.fileDescriptor).buffer);
    if (setsockopt(fd, SOL_SOCKET, classic ? SO_ATTACH_FILTER : SO_ATTACH_BPF, program, program.length) !== 0) {
      throw new Error(`the kernel refused the event filter: errno ${koffi.errno()}`);
    }
  }
  const counters = new Uint8Array(4 * (SK_MEMINFO_DROPS + 1));
  const length = new Uint8Array(Uint32Array.of(counters.length).buffer);
  const value = (index: number) => viewOf(counters).getUint32(4 * index, LITTLE_ENDIAN);
  return () => {
    getsockopt(fd, SOL_SOCKET, SO_MEMINFO, counters, length);
    return { queued: value(SK_MEMINFO_RMEM_ALLOC), drops: value(SK_MEMINFO_DROPS) };
  };
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
