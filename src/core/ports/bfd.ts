/**
 * Bidirectional Forwarding Detection as a port: sessions that say within a few intervals whether a neighbour's forwarding plane
 * answers (RFC 5880, single hop as in RFC 5881). They run on timers of their own, so that table work never delays them.
 */
import type { Address } from '../net/address.js';

export type BfdStateName = 'AdminDown' | 'Down' | 'Init' | 'Up';

export interface BfdParameters {
  /** Milliseconds, for both directions: desired minimum TX and required minimum RX. */
  readonly interval: number;
  /** Packets that may be missed, 1 to 255. */
  readonly multiplier: number;
}

/** A session is known by its interface and the neighbour: link-local addresses repeat from link to link. */
export interface BfdTarget {
  readonly interfaceName: string;
  readonly interfaceIndex: number;
  readonly local: Address;
  readonly remote: Address;
}

export interface BfdChange {
  readonly from: BfdStateName;
  readonly to: BfdStateName;
  readonly remote: BfdStateName;
  /** Our diagnostic in words (RFC 5880 section 4.1). */
  readonly diagnostic: string;
  /** The session was up, and neither end took it down on purpose (RFC 5882 section 3.2: AdminDown is no failure). */
  readonly pathFailed: boolean;
  /** The neighbour's BFD does not share the fate of its control plane (C bit, RFC 5882 section 4.3). */
  readonly independent: boolean;
}

export interface BfdStatus {
  readonly state: BfdStateName;
  readonly remoteState: BfdStateName;
  readonly diagnostic: string;
  readonly remoteDiagnostic: string;
  readonly localDiscriminator: number;
  /** 0 while the neighbour's is unknown. */
  readonly remoteDiscriminator: number;
  /** Milliseconds between our packets before jitter, as negotiated. */
  readonly transmitInterval: number;
  /** Milliseconds of silence after which the session goes down; 0 while the neighbour is unknown. */
  readonly detectionTime: number;
  readonly remoteMultiplier: number;
  readonly packets: { readonly sent: number; readonly received: number; readonly discarded: number };
  /** How often it came up, and how often the path failed. */
  readonly ups: number;
  readonly failures: number;
}

export interface BfdSession {
  /** As of a moment ago: counters may lag behind. `undefined` until it runs. */
  status(): BfdStatus | undefined;
  /** Goes on with other parameters: the neighbour is told by a poll sequence (RFC 5880 section 6.8.3). */
  change(parameters: BfdParameters): void;
  /** Ends it as AdminDown, so that the neighbour does not take the silence for a failure. */
  close(): void;
}

export interface BfdSessions {
  /** Replaces a session with the same interface and neighbour. `failed` is told once, in a line, why it cannot run at all. */
  open(
    target: BfdTarget,
    parameters: BfdParameters,
    handlers: { changed(change: BfdChange): void; failed(reason: string): void },
  ): BfdSession;
}

/** UDP port 3784 with hop limit 255 in both directions (RFC 5881 sections 4 and 5); the edge has checked the received one. */
export interface BfdNetwork {
  /** Packets of this neighbour on this interface only. Throws a plain error that says why not. */
  open(target: BfdTarget, receive: (packet: Uint8Array) => void): BfdSocket;
}

export interface BfdSocket {
  send(packet: Uint8Array): void;
  close(): void;
}
