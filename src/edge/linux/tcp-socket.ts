/**
 * What a TCP socket of the kernel can do and Node has no call for: hop limits (RFC 5082), MD5 signatures (RFC 2385), and a socket that
 * has both before its first SYN. Through koffi, on the descriptor.
 */
import { getSystemErrorName } from 'node:util';
import { type Address, isLinkLocal, parseAddress } from '../../core/net/address.js';
import { loadKoffi } from './native.js';
import { LITTLE_ENDIAN, viewOf } from './rtnetlink/attributes.js';

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const IPPROTO_TCP = 6;
const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;
/** Options for hop limits: to send one, to have it noted, the least that is let in, where it is noted, and as what. */
const IPV4_HOPS = { level: 0, send: 2, note: 12, least: 21, noted: 9, type: 2 } as const;
const IPV6_HOPS = { level: 41, send: 16, note: 51, least: 73, noted: 6, type: 52 } as const;
const TCP_MD5SIG = 14;
const SOCKADDR_OCTETS = { 4: 16, 16: 28 } as const;
/** struct tcp_md5sig: a sockaddr_storage, flags and prefix length, key length, interface, key. */
const MD5SIG = { octets: 216, keyLength: 130, key: 136 };
/** RFC 5082 section 3. */
export const FULL_HOP_LIMIT = 255;

type Call = (...values: unknown[]) => number;

interface Libc {
  readonly socket: Call;
  readonly setsockopt: Call;
  readonly getsockopt: Call;
  readonly bind: Call;
  readonly close: Call;
  readonly if_nametoindex: Call;
  errno(): number;
}

let loaded: Libc | undefined;

function libc(): Libc {
  if (loaded) return loaded;
  const koffi = loadKoffi();
  const library = koffi.load(null);
  loaded = {
    socket: library.func('int socket(int domain, int type, int protocol)'),
    setsockopt: library.func('int setsockopt(int fd, int level, int option, const void *value, unsigned int length)'),
    getsockopt: library.func('int getsockopt(int fd, int level, int option, void *value, void *length)'),
    bind: library.func('int bind(int fd, const void *address, unsigned int length)'),
    close: library.func('int close(int fd)'),
    if_nametoindex: library.func('unsigned int if_nametoindex(const char *name)'),
    errno: () => koffi.errno(),
  };
  return loaded;
}

export interface LocalEnd {
  readonly interfaceName: string;
  readonly local: Address;
}

/** A socket that is bound to our address and says hop limit 255 from its SYN on; throws an error with the kernel's code. */
export function boundSocket({ interfaceName, local }: LocalEnd): number {
  const { bind } = libc();
  const fd = streamSocket(local);
  try {
    sendHopLimit(fd, local, FULL_HOP_LIMIT);
    const scope = isLinkLocal(local) ? scopeOf(interfaceName) : 0;
    if (scope === 0 && interfaceName !== '')
      set(fd, SOL_SOCKET, SO_BINDTODEVICE, new TextEncoder().encode(`${interfaceName}\0`));
    const address = socketAddress(local, scope);
    if (bind(fd, address, address.length) !== 0) throw systemError('bind');
    return fd;
  } catch (error) {
    closeSocket(fd);
    throw error;
  }
}

/** A TCP socket of its own, for addresses like this one. */
export function streamSocket(like: Address): number {
  const fd = libc().socket(like.length === 4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw systemError('socket');
  return fd;
}

export function closeSocket(fd: number): void {
  libc().close(fd);
}

/** Streams accepted by a listener inherit it. `like`: an address of the socket's family. */
export function sendHopLimit(fd: number, like: Address, hopLimit: number): void {
  const { level, send } = hopOptions(like);
  set(fd, level, send, int32(hopLimit));
}

/** From now on the kernel drops what arrives with less. */
export function requireHopLimit(fd: number, like: Address, hopLimit: number): void {
  const { level, least } = hopOptions(like);
  set(fd, level, least, int32(hopLimit));
}

/** Asks the kernel to remember the hop limit of what arrives. */
export function noteHopLimit(fd: number, like: Address): void {
  const { level, note } = hopOptions(like);
  set(fd, level, note, int32(1));
}

/**
 * Of the packet that was taken last, over IPv4 of the first one; `undefined` when the kernel does not tell. Of IPv4 it tells nothing for
 * connections that we opened.
 */
export function receivedHopLimit(fd: number, like: Address): number | undefined {
  const { getsockopt } = libc();
  const { level, noted, type } = hopOptions(like);
  const options = new Uint8Array(256);
  const length = int32(options.length);
  if (getsockopt(fd, level, noted, options, length) !== 0) return undefined;
  return hopLimitIn(options.subarray(0, viewOf(length).getUint32(0, LITTLE_ENDIAN)), level, type);
}

/** Control messages: length (8), level (4), type (4), value, each aligned to 8 octets. */
function hopLimitIn(options: Uint8Array, level: number, type: number): number | undefined {
  const view = viewOf(options);
  let offset = 0;
  while (offset + 20 <= options.length) {
    const octets = view.getUint32(offset, LITTLE_ENDIAN);
    if (view.getUint32(offset + 8, LITTLE_ENDIAN) === level && view.getUint32(offset + 12, LITTLE_ENDIAN) === type) {
      return view.getInt32(offset + 16, LITTLE_ENDIAN);
    }
    if (octets < 16) break;
    offset += (octets + 7) & ~7;
  }
  return undefined;
}

function hopOptions({ length }: Address): typeof IPV4_HOPS | typeof IPV6_HOPS {
  return length === 4 ? IPV4_HOPS : IPV6_HOPS;
}

/**
 * Segments to and from the neighbour carry an MD5 signature and are dropped without; on a listener that holds from the SYN on. No
 * password takes the key away.
 */
export function setMd5Key(fd: number, remote: Address, password: string | undefined): void {
  const option = new Uint8Array(MD5SIG.octets);
  const key = new TextEncoder().encode(password ?? '');
  option.set(socketAddress(remote, 0));
  viewOf(option).setUint16(MD5SIG.keyLength, key.length, LITTLE_ENDIAN);
  option.set(key, MD5SIG.key);
  try {
    set(fd, IPPROTO_TCP, TCP_MD5SIG, option);
  } catch (error) {
    if (password === undefined) return;
    throw new Error(`the kernel takes no TCP MD5 key: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Why the kernel takes no MD5 key, found by giving one to a socket of nobody's; `undefined` when it does. */
export function md5Obstacle(): string | undefined {
  const address = parseAddress('fe80::1')!;
  const fd = streamSocket(address);
  try {
    setMd5Key(fd, address, 'key');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    closeSocket(fd);
  }
}

/** Throws an error with the kernel's code. */
export function setTcpOption(fd: number, option: number, value: Uint8Array): void {
  set(fd, IPPROTO_TCP, option, value);
}

function scopeOf(interfaceName: string): number {
  const index = interfaceName === '' ? 0 : libc().if_nametoindex(interfaceName);
  if (index === 0 && interfaceName !== '') throw Object.assign(new Error('no such interface'), { code: 'ENODEV' });
  return index;
}

/** struct sockaddr_in or sockaddr_in6, port 0. */
export function socketAddress(address: Address, scope: number): Uint8Array {
  const octets = new Uint8Array(address.length === 4 ? SOCKADDR_OCTETS[4] : SOCKADDR_OCTETS[16]);
  const view = viewOf(octets);
  view.setUint16(0, address.length === 4 ? AF_INET : AF_INET6, LITTLE_ENDIAN);
  octets.set(address, address.length === 4 ? 4 : 8);
  if (address.length === 16) view.setUint32(24, scope, LITTLE_ENDIAN);
  return octets;
}

function set(fd: number, level: number, option: number, value: Uint8Array): void {
  if (libc().setsockopt(fd, level, option, value, value.length) !== 0) throw systemError('setsockopt');
}

function int32(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

function systemError(call: string): NodeJS.ErrnoException {
  const code = getSystemErrorName(-libc().errno());
  return Object.assign(new Error(`${call}: ${code}`), { code });
}
