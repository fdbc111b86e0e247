/**
 * Byte streams between routers on one link (TCP port 179 over link-local addresses in the real world).
 * Addresses carry no zone: the interface names the link.
 */
import type { Address } from '../net/address.js';

export interface StreamHandlers {
  data(bytes: Uint8Array): void;
  /** The write buffer emptied after `write` returned false. */
  drain(): void;
  /** The stream is gone; called once. `error` is absent after an orderly end by the peer. */
  closed(error?: Error): void;
}

export interface Stream {
  readonly interfaceName: string;
  readonly local: Address;
  readonly remote: Address;
  readonly remotePort: number;
  readonly localPort: number;
  /** Must be called before data flows. */
  start(handlers: StreamHandlers): void;
  /** Queues bytes; false when the caller should wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  /** Octets accepted by `write` that the network has not taken yet. */
  readonly pending: number;
  /** Flushes what is queued, then closes. `closed` still follows. */
  end(): void;
  /** Closes at once and drops what is queued. */
  destroy(): void;
}

export interface Listener {
  close(): void;
}

export interface Transport {
  /** One listener for all interfaces; the stream says on which it arrived. Rejects when the port is taken. */
  listen(port: number, accept: (stream: Stream) => void): Promise<Listener>;
  /** Rejects when the connection fails; `signal` gives up. */
  connect(
    target: { interfaceName: string; local: Address; remote: Address; port: number },
    signal: AbortSignal,
  ): Promise<Stream>;
}
