/**
 * A request that the kernel has answered when the call returns, on a socket of its own: for what must have happened before the next event
 * is looked at. The kernel does what rtnetlink asks for while it is sent, so nothing is waited for.
 */
import { type KoffiPackage, loadKoffi } from '../native.js';
import {
  DatagramWriter,
  FLAG,
  MESSAGE,
  type NetlinkError,
  type NetlinkMessage,
  type NetlinkRequest,
  octetsOf,
  parseError,
  parseMessages,
} from './message.js';
import { NETLINK_ROUTE } from './socket-options.js';

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0x80000;
const MSG_DONTWAIT = 0x40;
/** More than the kernel puts into one datagram of a dump. */
const ANSWER_OCTETS = 65_536;

interface Library {
  readonly koffi: KoffiPackage;
  readonly socket: (...values: unknown[]) => number;
  readonly send: (...values: unknown[]) => number;
  readonly receive: (...values: unknown[]) => number;
  readonly close: (...values: unknown[]) => number;
}

let loaded: Library | undefined;

function library(): Library {
  loaded ??= open();
  return loaded;
}

function open(): Library {
  const koffi = loadKoffi();
  const libc = koffi.load(null);
  return {
    koffi,
    socket: libc.func('int socket(int family, int type, int protocol)'),
    send: libc.func('long send(int fd, const void *octets, unsigned long length, int flags)'),
    receive: libc.func('long recv(int fd, void *octets, unsigned long length, int flags)'),
    close: libc.func('int close(int fd)'),
  };
}

/** What the kernel has against it; `undefined` when it is done. Throws when there is no socket. */
export function requestNow(request: NetlinkRequest): NetlinkError | undefined {
  const answers = exchange({ ...request, flags: request.flags | FLAG.ack });
  const verdict = answers.find(({ type }) => type === MESSAGE.error);
  return verdict && parseError(verdict);
}

/** The whole table; nothing where the kernel refuses to tell. Throws when there is no socket. */
export function dumpNow(request: Omit<NetlinkRequest, 'flags'>): readonly NetlinkMessage[] {
  return exchange({ ...request, flags: FLAG.dump }).filter(
    ({ type }) => type !== MESSAGE.done && type !== MESSAGE.error,
  );
}

function exchange(request: NetlinkRequest): readonly NetlinkMessage[] {
  const { koffi, socket, send, receive, close } = library();
  const descriptor = socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_ROUTE);
  if (descriptor < 0) throw new Error(`no netlink socket: errno ${koffi.errno()}`);
  try {
    const datagram = new DatagramWriter(octetsOf(request.payload));
    datagram.append(request, 1);
    if (Number(send(descriptor, datagram.bytes, datagram.bytes.length, 0)) < 0)
      throw new Error(`a netlink request cannot be sent: errno ${koffi.errno()}`);
    return answersAt(descriptor, receive);
  } finally {
    close(descriptor);
  }
}

/** A dump goes on as what there is of it is read, up to its end. */
function answersAt(descriptor: number, receive: Library['receive']): readonly NetlinkMessage[] {
  const answers: NetlinkMessage[] = [];
  for (;;) {
    const octets = new Uint8Array(ANSWER_OCTETS);
    const length = Number(receive(descriptor, octets, octets.length, MSG_DONTWAIT));
    if (length <= 0) return answers;
    answers.push(...parseMessages(octets.subarray(0, length)));
    if (answers.some(({ type }) => type === MESSAGE.done || type === MESSAGE.error)) return answers;
  }
}
