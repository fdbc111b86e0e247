/**
 * UDP sockets for single-hop BFD, made through koffi because Node binds before it lets options be set: bound to an interface, sending
 * with hop limit 255, and before they are bound deaf to anything that comes with less (RFC 5881 section 5).
 */
import { createSocket, type Socket } from 'node:dgram';
import { endianness } from 'node:os';
import type { Address } from '../../core/net/address.js';
import { HOP_LIMIT, withHopLimitFilter } from './hop-limit-filter.js';
import { loadKoffi } from './native.js';

const AF_INET6 = 10;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0x80000;
const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;
const SO_ATTACH_FILTER = 26;
const IPPROTO_IPV6 = 41;
const IPV6_UNICAST_HOPS = 16;
const IPV6_V6ONLY = 26;
const IPV6_TCLASS = 67;
const EPERM = 1;
const EADDRINUSE = 98;
/** Network control (CS6), as routing protocols are marked. */
const TRAFFIC_CLASS = 0xc0;
const LITTLE_ENDIAN = endianness() === 'LE';

/** RFC 5881 section 4. */
export const BFD_PORT = 3784;
const FIRST_SOURCE_PORT = 49152;
const LAST_SOURCE_PORT = 65535;
const PORT_TRIES = 32;

export interface BfdInterface {
  readonly interfaceName: string;
  readonly interfaceIndex: number;
}

/** Receives on port 3784 what arrives on this interface. */
export function openReceiver(link: BfdInterface): Socket {
  return open(link, new Uint8Array(16), () => BFD_PORT);
}

/** Sends from a port of its own between 49152 and 65535, the same for the life of the session. */
export function openSender(link: BfdInterface, local: Address): Socket {
  const ports = 1 + LAST_SOURCE_PORT - FIRST_SOURCE_PORT;
  return open(link, local, () => FIRST_SOURCE_PORT + Math.floor(Math.random() * ports));
}

function open(link: BfdInterface, address: Uint8Array, choosePort: () => number): Socket {
  const calls = libc();
  const fd = calls.socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw new Error(`no UDP socket: errno ${calls.errno()}`);
  try {
    configure(calls, fd, link);
    bind(calls, fd, { link, address, choosePort });
  } catch (error) {
    calls.close(fd);
    throw error;
  }
  const socket = createSocket({ type: 'udp6' });
  // An unreachable port or an interface that goes down needs no action: silence is what BFD listens for.
  socket.on('error', () => undefined);
  socket.bind({ fd, exclusive: true });
  return socket;
}

function configure(calls: Libc, fd: number, { interfaceName }: BfdInterface): void {
  const set = (level: number, option: number, value: Uint8Array): void => {
    if (calls.setsockopt(fd, level, option, value) === 0) return;
    const errno = calls.errno();
    const hint = errno === EPERM ? '; run heddle as root or with CAP_NET_RAW' : '';
    throw new Error(`BFD cannot be set up on ${interfaceName}: errno ${errno}${hint}`);
  };
  calls.withFilter((value) => set(SOL_SOCKET, SO_ATTACH_FILTER, value));
  set(SOL_SOCKET, SO_BINDTODEVICE, new TextEncoder().encode(`${interfaceName}\0`));
  set(IPPROTO_IPV6, IPV6_V6ONLY, int(1));
  set(IPPROTO_IPV6, IPV6_UNICAST_HOPS, int(HOP_LIMIT));
  set(IPPROTO_IPV6, IPV6_TCLASS, int(TRAFFIC_CLASS));
}

interface Place {
  readonly link: BfdInterface;
  readonly address: Uint8Array;
  choosePort(): number;
}

function bind(calls: Libc, fd: number, { link, address, choosePort }: Place): void {
  for (let tries = 1; ; tries++) {
    const port = choosePort();
    if (calls.bind(fd, socketAddress(address, port, link.interfaceIndex)) === 0) return;
    const errno = calls.errno();
    if (errno === EADDRINUSE && port !== BFD_PORT && tries < PORT_TRIES) continue;
    const why = errno === EADDRINUSE ? 'another program has the port (bfdd?)' : `errno ${errno}`;
    throw new Error(`UDP port ${port} cannot be had on ${link.interfaceName}: ${why}`);
  }
}

/** struct sockaddr_in6. */
function socketAddress(address: Uint8Array, port: number, scope: number): Uint8Array {
  const bytes = new Uint8Array(28);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET6, LITTLE_ENDIAN);
  view.setUint16(2, port);
  bytes.set(address, 8);
  view.setUint32(24, scope, LITTLE_ENDIAN);
  return bytes;
}

function int(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

interface Libc {
  socket(family: number, type: number, protocol: number): number;
  setsockopt(fd: number, level: number, option: number, value: Uint8Array): number;
  bind(fd: number, address: Uint8Array): number;
  close(fd: number): number;
  errno(): number;
  withFilter(attach: (value: Uint8Array) => void): void;
}

let loaded: Libc | undefined;

function libc(): Libc {
  loaded ??= load();
  return loaded;
}

function load(): Libc {
  const koffi = loadKoffi();
  const library = koffi.load(null);
  const socket = library.func('int socket(int family, int type, int protocol)');
  const setsockopt = library.func(
    'int setsockopt(int fd, int level, int option, const void *value, unsigned int size)',
  );
  const bindCall = library.func('int bind(int fd, const void *address, unsigned int size)');
  const close = library.func('int close(int fd)');
  return {
    socket: (family, type, protocol) => socket(family, type, protocol),
    setsockopt: (fd, level, option, value) => setsockopt(fd, level, option, value, value.length),
    bind: (fd, address) => bindCall(fd, address, address.length),
    close: (fd) => close(fd),
    errno: () => koffi.errno(),
    withFilter: (attach) => withHopLimitFilter(koffi, attach),
  };
}
