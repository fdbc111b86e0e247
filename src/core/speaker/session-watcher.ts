/** Who is told what the sessions do without having a say in it: monitoring (BMP) and recording (MRT). */
import type { Address } from '../net/address.js';
import type { DownReason, Negotiated, PeerSummary, SessionState } from '../session/types.js';
import type { SessionConfig } from './config.js';
import type { Connection } from './connection.js';

/** A neighbour as watchers see it. */
export interface WatchedSession {
  /** As in `show neighbors`, and as the RIB's peer is called. */
  readonly name: string;
  readonly address: Address;
  readonly place: {
    readonly interfaceIndex: number;
    readonly local: Address;
    readonly config: Pick<SessionConfig, 'options'>;
  };
  /** The connection of the session that is up, or was last. */
  readonly sessionConnection: Connection | undefined;
  summary(): PeerSummary;
}

export interface SessionWatcher {
  /** A message came, before anybody looked into it. `body` is valid only during the call. */
  received?(session: WatchedSession, type: number, body: Uint8Array): void;
  stateChanged?(session: WatchedSession, from: SessionState, to: SessionState): void;
  /** The routes know of the session. */
  established?(session: WatchedSession, negotiated: Negotiated): void;
  /** The RIB has taken an UPDATE in. `body` is valid only during the call. */
  updated?(session: WatchedSession, body: Uint8Array): void;
  /** A message goes out on the session, which is up. `message` may be shared: it is not written to. */
  sent?(session: WatchedSession, message: Uint8Array): void;
  /** A KEEPALIVE goes out, so many milliseconds later than it was to. */
  keepaliveDue?(session: WatchedSession, late: number): void;
  /** The session, which was up, is gone; the routes do not know yet. */
  down?(session: WatchedSession, reason: DownReason): void;
}
