/**
 * The native packages heddle uses on Linux, loaded only when an interface needs them. They are optional dependencies:
 * a machine without them still checks configurations, replays captures and simulates. Each loader throws one clear error.
 * The types here are the part of each package that is used.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export interface RawNetlinkSocket {
  on(event: 'message', listener: (message: Uint8Array) => void): void;
  on(event: 'truncatedMessage', listener: () => void): void;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): void;
  send(message: Uint8Array, options: undefined, callback: (error?: NodeJS.ErrnoException) => void): void;
  address(): { readonly port: number };
  addMembership(group: number): void;
  close(): void;
  ref(): void;
  unref(): void;
}

export interface NetlinkPackage {
  readonly RawNetlinkSocket: new (
    protocol: number,
    options: { readonly recvBufferSize?: number; readonly sendBufferSize?: number },
  ) => RawNetlinkSocket;
}

export interface RawSocket {
  on(event: 'message', listener: (message: Uint8Array, source: string) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  setOption(level: number, option: number, value: number): void;
  setOption(level: number, option: number, value: Uint8Array, length: number): void;
  /** The native part: synchronous, throws what the kernel says. */
  readonly wrap: {
    recv(buffer: Uint8Array, callback: () => void): void;
    send(message: Uint8Array, offset: number, length: number, address: string, callback: () => void): void;
  };
  close(): void;
}

export interface RawSocketPackage {
  createSocket(options: { addressFamily: number; protocol: number; bufferSize: number }): RawSocket;
}

export interface KoffiPackage {
  load(library: null): { func(definition: string): (...values: unknown[]) => number };
  /** The memory address of the octets of a typed array. */
  address(value: Uint8Array): bigint;
  /** Memory at an address, as it is. */
  view(address: bigint, length: number): ArrayBuffer;
  errno(): number;
}

export function loadNetlink(): NetlinkPackage {
  return load<NetlinkPackage>('netlink');
}

export function loadRawSocket(): RawSocketPackage {
  return load<RawSocketPackage>('raw-socket');
}

export function loadKoffi(): KoffiPackage {
  return load<KoffiPackage>('koffi');
}

function load<Package>(name: string): Package {
  try {
    return require(name) as Package;
  } catch (cause) {
    throw new Error(
      `${name} is not built: a C++ compiler, make and python3 are needed; install them and run npm rebuild ${name}`,
      { cause },
    );
  }
}
