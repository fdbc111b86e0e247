/**
 * The vocabulary of a BGP session: what goes into the machines (inputs) and what comes out (outputs), as data.
 * machine.ts is one connection's RFC 4271 machine, peer.ts the arbiter above it that owns collisions (section 6.8).
 */
import type { AsNumber, AsRule } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import type { Capability, ControlMessage, MessageError, OpenMessage } from '../wire/bgp/message.js';

export type SessionState = 'idle' | 'connect' | 'active' | 'open-sent' | 'open-confirm' | 'established';

/** Positive: opened by us, numbered by the arbiter. Negative: accepted, numbered by the runtime. Never used twice for one peer. */
export type ConnectionId = number;

export interface PeerConfig {
  readonly localAs: AsNumber;
  /** False: AS numbers of two octets only, as before RFC 6793. */
  readonly fourOctetAs?: boolean;
  /** 32-bit BGP identifier. */
  readonly identifier: number;
  readonly acceptRemoteAs: readonly AsRule[];
  /** Seconds offered in OPEN; 0, or 3 and more. */
  readonly holdTime: number;
  /** Seconds. */
  readonly connectRetryTime: number;
  /** Seconds; 0 turns the send-hold timer off (RFC 9687). */
  readonly sendHoldTime: number;
  /** Milliseconds to wait before the first attempt, for the end that lets the other one connect first. */
  readonly connectDelay: number;
  /** Never connects: waits for the other side (RFC 4271 section 8.1.1, PassiveTcpEstablishment). */
  readonly passive?: boolean;
  readonly families: readonly Family[];
  /** Everything advertised besides four-octet-as and multiprotocol, which the machine adds from the fields above. */
  readonly capabilities: readonly Capability[];
}

/** What both OPENs say about restarts (RFC 4724 section 3). */
export interface GracefulRestart {
  /** Seconds in which the neighbour means to be back. */
  readonly restartTime: number;
  /** Both sent the N bit: the loss of a session by NOTIFICATION or silence is a restart too (RFC 8538). */
  readonly notification: boolean;
  /** The neighbour has just restarted, and does not wait for our End-of-RIB to send its own. */
  readonly restarted: boolean;
  /** Families that it forwards on during a restart. */
  readonly families: readonly Family[];
  /** Those that it says it did forward on. */
  readonly preserved: readonly Family[];
  /** Seconds that its routes may be kept after the restart time, for each family that it lists. */
  readonly longLived: ReadonlyMap<Family, number>;
}

/** What both OPENs together allow. */
export interface Negotiated {
  readonly remoteAs: AsNumber;
  readonly remoteIdentifier: number;
  /** Seconds; 0 when neither keepalives nor the hold timer run. */
  readonly holdTime: number;
  /** Seconds. */
  readonly keepaliveTime: number;
  readonly fourOctetAs: boolean;
  readonly families: readonly Family[];
  /** Families whose NLRI may carry an IPv6 next hop (RFC 8950): agreed both ways. */
  readonly extendedNextHop: readonly Family[];
  readonly addPathReceive: readonly Family[];
  readonly addPathSend: readonly Family[];
  readonly extendedMessage: boolean;
  readonly routeRefresh: boolean;
  readonly enhancedRouteRefresh: boolean;
  /** Both sent capability 77: 16-octet link-local next hops. */
  readonly linkLocalNextHop: boolean;
  /** Both sent capability 74: no session before BFD is up. */
  readonly strictBfd: boolean;
  /** Both sent capability 64. */
  readonly gracefulRestart: GracefulRestart | undefined;
  readonly localOpen: OpenMessage;
  readonly remoteOpen: OpenMessage;
}

export type StopReason =
  /** RFC 4486 / 9003: Cease subcode and an optional text for the operator of the other side. */
  | { readonly kind: 'administrative'; readonly subcode: number; readonly message?: string }
  /** RFC 4486 section 4: Maximum Number of Prefixes Reached. */
  | { readonly kind: 'prefix-limit'; readonly family: Family; readonly limit: number }
  | { readonly kind: 'link-down' }
  /** We go, and forward on until we are back: nothing is said, so that the neighbour takes it for a restart (RFC 4724). */
  | { readonly kind: 'restart' }
  /** The neighbour was last heard longer ago than its router advertisement lifetime. */
  | { readonly kind: 'neighbour-expired' };

export type PeerTimer =
  | { readonly name: 'connect-retry' }
  | { readonly name: 'hold' | 'keepalive' | 'send-hold'; readonly connection: ConnectionId };

export type PeerInput =
  | { readonly kind: 'started' }
  /** Counts from the next connection on. */
  | { readonly kind: 'configured'; readonly config: PeerConfig }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** Of BFD: it lets a session in strict mode come up. */
  | { readonly kind: 'path-verified'; readonly verified: boolean }
  /** BFD was up and found the path broken; `reason` in words. `independent` of the neighbour's control plane (RFC 5882 section 4.3). */
  | { readonly kind: 'path-failed'; readonly reason: string; readonly independent: boolean }
  /** The connection asked for by `open-connection` is up. */
  | { readonly kind: 'connected'; readonly connection: ConnectionId }
  | { readonly kind: 'connect-failed'; readonly connection: ConnectionId; readonly reason: string }
  /** The other side connected to us; an unwelcome connection is answered with a NOTIFICATION and `close-connection`. */
  | { readonly kind: 'incoming'; readonly connection: ConnectionId }
  | { readonly kind: 'disconnected'; readonly connection: ConnectionId; readonly reason: string }
  | { readonly kind: 'message'; readonly connection: ConnectionId; readonly message: ControlMessage }
  /** An UPDATE arrived (its content is the RIB's business). */
  | { readonly kind: 'update'; readonly connection: ConnectionId }
  /** The framer, a decoder or the RIB found a fault that ends the session. */
  | { readonly kind: 'fault'; readonly connection: ConnectionId; readonly error: MessageError }
  /** `unread`: bytes are waiting in the socket or the input queue, which counts as life (section 3 of the design). */
  | { readonly kind: 'timer-expired'; readonly timer: PeerTimer; readonly unread: boolean }
  /** The peer took what was queued: stops the send-hold timer, until `write-blocked` says that bytes wait again. */
  | { readonly kind: 'write-progressed'; readonly connection: ConnectionId }
  /** Bytes are queued towards the peer: arms the send-hold timer when it is not running. */
  | { readonly kind: 'write-blocked'; readonly connection: ConnectionId };

/** Why a session is not (or no longer) up, in words and for machines. */
export interface DownReason {
  readonly kind:
    | 'administrative'
    | 'prefix-limit'
    | 'link-down'
    | 'neighbour-expired'
    | 'connect-failed'
    | 'notification-sent'
    | 'notification-received'
    | 'connection-lost'
    | 'send-hold-expired'
    | 'bfd-down';
  /** Of the NOTIFICATION that was sent or received. */
  readonly code?: number;
  readonly subcode?: number;
  readonly message: string;
}

export type PeerOutput =
  | { readonly kind: 'open-connection'; readonly connection: ConnectionId }
  /** Flush, then close. */
  | { readonly kind: 'close-connection'; readonly connection: ConnectionId }
  /** Close at once, dropping what is queued (RFC 9687). */
  | { readonly kind: 'abort-connection'; readonly connection: ConnectionId }
  | { readonly kind: 'send'; readonly connection: ConnectionId; readonly bytes: Uint8Array }
  /** Replaces the timer's earlier deadline; `at` in the clock's milliseconds. */
  | { readonly kind: 'arm-timer'; readonly timer: PeerTimer; readonly at: number }
  | { readonly kind: 'cancel-timer'; readonly timer: PeerTimer }
  | { readonly kind: 'established'; readonly connection: ConnectionId; readonly negotiated: Negotiated }
  /** No connection is left, neither established nor under way. */
  | { readonly kind: 'down'; readonly reason: DownReason; readonly wasEstablished: boolean }
  | { readonly kind: 'state-changed'; readonly from: SessionState; readonly to: SessionState }
  /** A ROUTE-REFRESH for the RIB, after judging. */
  | { readonly kind: 'refresh-requested'; readonly family: Family; readonly subtype: number }
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly message: string;
    };

/** What `show neighbors` needs of a peer. */
export interface PeerSummary {
  readonly state: SessionState;
  /** Connection attempts and accepted connections since the peer was created. */
  readonly attempts: number;
  readonly establishedCount: number;
  readonly lastDown?: DownReason;
  /** What the attempts since then ran into; `lastDown` has its words too. */
  readonly lastFailure?: DownReason;
  readonly negotiated?: Negotiated;
}
