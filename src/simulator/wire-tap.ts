/** Who listens at all wires of a fabric: every packet and every piece of a stream, when it is sent. */
import type { Stream } from '../core/ports/transport.js';

/** An interface, as far as it can be told from others. */
export interface TappedEnd {
  readonly name: string;
  readonly mac: Uint8Array;
}

export interface WireTap {
  packet(from: TappedEnd, kind: 'nd' | 'bfd', octets: Uint8Array): void;
  written(stream: Stream, octets: Uint8Array): void;
}
