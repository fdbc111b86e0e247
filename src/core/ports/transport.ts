/**
 * Byte streams between routers (TCP port 179). Addresses carry no zone: the interface names the link of a link-local one, and is
 * empty beside any other where nothing says which it was.
 */
import type { Address } from '../net/address.js';

export interface StreamHandlers {
  /** The octets are to be read during the call only. */
  data(bytes: Uint8Array): void;
  /** The write buffer emptied after `write` returned false. */
  drain(): void;
  /** The stream is gone; called once. `error` is absent after an orderly end by the neighbour. */
  closed(error?: Error): void;
}

export interface Stream {
  readonly interfaceName: string;
  readonly local: Address;
  readonly remote: Address;
  readonly remotePort: number;
  readonly localPort: number;
  /** Hop limit with which the neighbour's first octets came; absent before them, and where nobody can tell. */
  readonly hopLimit?: number;
  /** Must be called before data flows. */
  start(handlers: StreamHandlers): void;
  /** Queues bytes; false when the caller should wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  /** Octets accepted by `write` that the network has not taken yet. */
  readonly pending: number;
  /** Octets have come that wait for their turn to be delivered. */
  readonly hasUndelivered?: boolean;
  /** Delivers nothing until `resume`: the window fills, and the other side waits. */
  pause(): void;
  resume(): void;
  /** Flushes what is queued, then closes; what nobody takes within seconds is dropped. `closed` still follows. */
  end(): void;
  /** Closes at once and drops what is queued. */
  destroy(): void;
}

export interface Listener {
  close(): void;
}

/** A master key tuple of TCP-AO (RFC 5925 section 3.1); the neighbour has the same, its two ids the other way round. */
export interface AuthenticationKey {
  readonly sendId: number;
  readonly receiveId: number;
  /** RFC 5926. */
  readonly algorithm: 'hmac-sha-1-96' | 'aes-128-cmac-96';
  readonly password: string;
}

/** What streams with one neighbour must have, whoever opened them. */
export interface Protection {
  /** TCP MD5 signatures (RFC 2385): segments without are dropped. */
  readonly password?: string;
  /** TCP-AO in place of a password: segments without its MAC are dropped. */
  readonly authenticationKey?: AuthenticationKey;
  /**
   * RFC 5082, whose hop limit of 255 is sent in any case: `require` ends a stream that arrives with less; `auto` has the kernel drop
   * less once the neighbour's first octets came with 255.
   */
  readonly gtsm: 'auto' | 'require' | 'off';
  /** Hops that the neighbour may be away, each of which takes one from its hop limit; 1 when absent. */
  readonly hops?: number;
}

export interface Transport {
  /** Why no stream can be protected by such a key here, in words; `undefined` when it can. */
  obstacle(key: AuthenticationKey): string | undefined;
  /** Holds for streams from now on, until it is taken back with `undefined`. The interface tells link-local neighbours apart. */
  protect(peer: { interfaceName: string; remote: Address }, protection: Protection | undefined): void;
  /** One listener for all addresses; a stream between link-local ones says on which interface it arrived. Rejects when the port is taken. */
  listen(port: number, accept: (stream: Stream) => void): Promise<Listener>;
  /** From an address of ours. An interface is the only one that it goes over. Rejects when the connection fails; `signal` gives up. */
  connect(
    target: { interfaceName: string; local: Address; remote: Address; port: number },
    signal: AbortSignal,
  ): Promise<Stream>;
}
