/** What the Adj-RIB-Out needs of the sessions it feeds, and what it tells of them. */
import type { AsNumber } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import type { NextHop } from '../wire/bgp/message.js';
import type { PeerIndex } from './types.js';

/** The part of a session's negotiation that shapes what is sent on it; `Negotiated` of the session fits. */
export interface SendCapabilities {
  readonly families: readonly Family[];
  readonly fourOctetAs: boolean;
  readonly extendedMessage: boolean;
  readonly extendedNextHop: readonly Family[];
  readonly linkLocalNextHop: boolean;
}

export interface AdjRibOutMember {
  /** The peer's index in the RIB: what it sent is never sent back to it. */
  readonly peer: PeerIndex;
  readonly external: boolean;
  /** Our own addresses on that link: next-hop-self. */
  readonly nextHop: NextHop;
  readonly capabilities: SendCapabilities;
  readonly colour?: number;
  readonly sendColour: boolean;
  readonly aigp: boolean;
  /** Takes one whole UPDATE, always; false asks to wait for `resume`. */
  send(bytes: Uint8Array): boolean;
}

export interface ExportConfig {
  readonly localAs: AsNumber;
  readonly role: 'leaf' | 'spine';
  readonly aigpOrigin: bigint;
  readonly aigpStep: bigint;
}
