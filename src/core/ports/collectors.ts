/** Byte streams to monitoring stations, which are hosts of a management network and no neighbours. */
import type { Stream } from './transport.js';

/** Nothing that arrives on it is of interest: `data` is never called. */
export type CollectorStream = Pick<Stream, 'start' | 'write' | 'pending' | 'end' | 'destroy'>;

export interface Collectors {
  /** `host` is a name or an address. Rejects when the connection fails; `signal` gives up. */
  connect(target: { readonly host: string; readonly port: number }, signal: AbortSignal): Promise<CollectorStream>;
}

/** Where records go that are kept, and that may be lost when it is slow: `append` never waits. */
export interface RecordSink {
  append(record: Uint8Array): void;
}
