/**
 * What a TCP socket of the kernel can do and Node has no call for: hop limits (RFC 5082), MD5 signatures (RFC 2385), and a socket that
 * has both before its first SYN. Through koffi, on the descriptor.
 */
import { getSystemErrorName } from 'node:util';
import { type Address, isLinkLocal } from '../../core/net/address.js';
import { loadKoffi } from './native.js';
import { LITTLE_ENDIAN, viewOf } from './rtnetlink/attributes.js';

const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const IPPROTO_TCP = 6;
const IPPROTO_IPV6 = 41;
const IPV6_UNICAST_HOPS = 16;
const IPV6_RECVHOPLIMIT = 51;
const IPV6_HOPLIMIT = 52;
const IPV6_2292PKTOPTIONS = 6;
const IPV6_MINHOPCOUNT = 73;
const TCP_MD5SIG = 14;
const SOCKADDR_IN6_OCTETS = 28;
/** struct tcp_md5sig: a sockaddr_storage, flags and prefix length, key length, interface, key. */
const MD5SIG = { octets: 216, keyLength: 130, key: 136 };
/** RFC 5082 section 3. */
export const GTSM_HOP_LIMIT = 255;

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
  const fd = streamSocket();
  try {
    sendWithFullHopLimit(fd);
    if (bind(fd, socketAddress(local, isLinkLocal(local) ? scopeOf(interfaceName) : 0), SOCKADDR_IN6_OCTETS) !== 0)
      throw systemError('bind');
    return fd;
  } catch (error) {
    closeSocket(fd);
    throw error;
  }
}

/** A TCP socket of its own. */
export function streamSocket(): number {
  const fd = libc().socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw systemError('socket');
  return fd;
}

export function closeSocket(fd: number): void {
  libc().close(fd);
}

/** Streams accepted by a listener inherit it. */
export function sendWithFullHopLimit(fd: number): void {
  set(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, int32(GTSM_HOP_LIMIT));
}

/** From now on the kernel drops what arrives with less. */
export function requireFullHopLimit(fd: number): void {
  set(fd, IPPROTO_IPV6, IPV6_MINHOPCOUNT, int32(GTSM_HOP_LIMIT));
}

/** Asks the kernel to remember the hop limit of what arrives. */
export function noteHopLimit(fd: number): void {
  set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, int32(1));
}

/** Of the packet that was taken last; `undefined` when the kernel does not tell. */
export function receivedHopLimit(fd: number): number | undefined {
  const { getsockopt } = libc();
  const options = new Uint8Array(256);
  const length = int32(options.length);
  if (getsockopt(fd, IPPROTO_IPV6, IPV6_2292PKTOPTIONS, options, length) !== 0) return undefined;
  return hopLimitIn(options.subarray(0, viewOf(length).getUint32(0, LITTLE_ENDIAN)));
}

/** Control messages: length (8), level (4), type (4), value, each aligned to 8 octets. */
function hopLimitIn(options: Uint8Array): number | undefined {
  const view = viewOf(options);
  let offset = 0;
  while (offset + 20 <= options.length) {
    const octets = view.getUint32(offset, LITTLE_ENDIAN);
    const type = view.getUint32(offset + 12, LITTLE_ENDIAN);
    if (view.getUint32(offset + 8, LITTLE_ENDIAN) === IPPROTO_IPV6 && type === IPV6_HOPLIMIT) {
      return view.getInt32(offset + 16, LITTLE_ENDIAN);
    }
    if (octets < 16) break;
    offset += (octets + 7) & ~7;
  }
  return undefined;
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

/** Throws an error with the kernel's code. */
export function setTcpOption(fd: number, option: number, value: Uint8Array): void {
  set(fd, IPPROTO_TCP, option, value);
}

function scopeOf(interfaceName: string): number {
  const index = interfaceName === '' ? 0 : libc().if_nametoindex(interfaceName);
  if (index === 0 && interfaceName !== '') throw Object.assign(new Error('no such interface'), { code: 'ENODEV' });
  return index;
}

/** struct sockaddr_in6, port 0. */
export function socketAddress(address: Address, scope: number): Uint8Array {
  const octets = new Uint8Array(SOCKADDR_IN6_OCTETS);
  const view = viewOf(octets);
  view.setUint16(0, AF_INET6, LITTLE_ENDIAN);
  octets.set(address, 8);
  view.setUint32(24, scope, LITTLE_ENDIAN);
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
