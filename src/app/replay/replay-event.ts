/** What a capture or an MRT file tells, one value a message: the vocabulary between the engine, the printers and the receivers' RIBs. */
import type { Address } from '../../core/net/address.js';
import type { BfdControlPacket } from '../../core/wire/bfd.js';
import type { NdMessage } from '../../core/wire/icmpv6/nd-message.js';
import type { MrtState } from '../../core/wire/mrt/bgp4mp.js';
import type { TcpConnection } from '../../core/wire/tcp-reassembly.js';
import type { DecodedMessage, SessionOpens } from './bgp-dialogue.js';

export type TcpFlag = 'syn' | 'syn-ack' | 'fin' | 'rst';

export interface BgpContent {
  readonly kind: 'bgp';
  readonly message: DecodedMessage;
  /** The whole message as sent. */
  readonly bytes: Uint8Array;
  readonly connection: TcpConnection;
  /** The sender is the connection's `first` end. */
  readonly fromFirst: boolean;
  /** As known when the message was sent, this one included. */
  readonly opens: SessionOpens;
  /** A route of the receiver's own in a table dump: nobody sent it. */
  readonly own?: true;
}

export interface TcpContent {
  readonly kind: 'tcp';
  readonly flag: TcpFlag;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly hopLimit: number;
  readonly signed: 'md5' | 'ao' | undefined;
}

export type ReplayContent =
  | BgpContent
  | TcpContent
  | { readonly kind: 'nd'; readonly message: NdMessage; readonly hopLimit: number }
  | {
      readonly kind: 'bfd';
      readonly packet: BfdControlPacket;
      readonly hopLimit: number;
      readonly sourcePort: number;
      readonly destinationPort: number;
    }
  /** One side of a connection is done, all its data delivered: the BGP session over it ends. */
  | { readonly kind: 'closed'; readonly connection: TcpConnection; readonly how: 'fin' | 'rst' | 'state' }
  /** An MRT file says that the session changed its state (RFC 6396 section 4.4.1). */
  | { readonly kind: 'state'; readonly from: MrtState; readonly to: MrtState }
  /** Something is missing or cannot be read. */
  | { readonly kind: 'note'; readonly text: string };

export interface ReplayEvent {
  /** Index of the capture among those replayed together. */
  readonly capture: number;
  /** Frame that completes the message, or MRT record that holds it, counted from 1 in its file. */
  readonly frame: number;
  /** Nanoseconds since 1970-01-01; `undefined` where the capture keeps no time. */
  readonly time: bigint | undefined;
  readonly source: Address;
  readonly destination: Address;
  readonly content: ReplayContent;
}
