/** What the Adj-RIB-Out needs of the sessions it feeds, and what it tells of them. */
import type { Address } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import type { SessionOptions } from '../policy/session-options.js';
import type { SessionPolicy } from '../policy/session-policy.js';
import type { EventLog } from '../ports/event-log.js';
import type { NextHop } from '../wire/bgp/message.js';
import type { PathSelections } from './chosen-paths.js';
import type { DefaultRoute } from './default-routes.js';
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
  /** Our own IPv6 addresses towards it: next-hop-self. */
  readonly nextHop: NextHop;
  /** Ours for IPv4 routes; absent where they have an IPv6 next hop (RFC 8950). */
  readonly ipv4NextHop?: Address;
  readonly capabilities: SendCapabilities;
  /** Colour of the session. */
  readonly colour?: number;
  readonly sendColour: boolean;
  readonly aigp: boolean;
  /** Octets a second that the routes are said to have (RFC 10005). */
  readonly linkBandwidth?: number;
  /** It may be told of long-lived stale routes (RFC 9494). */
  readonly takesLongLivedStale?: boolean;
  /** The operator's, behind the DPF role. */
  readonly exportPolicy?: SessionPolicy | undefined;
  /** Families that go with path identifiers (RFC 7911), and the paths that are told; absent when there are none. */
  readonly addPath?: PathSelections | undefined;
  readonly options?: SessionOptions | undefined;
  /** The neighbour's AS: as-override and remove-private-as look at it. */
  readonly remoteAs?: AsNumber;
  /** Configured by its address, and no neighbour of the fabric. */
  readonly byAddress?: boolean;
  /** It is told a default route of each family, whatever the RIB has. */
  readonly defaultRoute?: DefaultRoute | undefined;
  /** Takes one whole UPDATE, always; false asks to wait for `resume`. May be shared with other members: never written to. */
  send(bytes: Uint8Array): boolean;
}

/** What may become different while the session is up; what is not given stays. */
export type ExportSettings = Pick<AdjRibOutMember, 'exportPolicy' | 'options' | 'defaultRoute'>;

export interface AdjRibOutOptions {
  readonly localAs: AsNumber;
  readonly role: 'leaf' | 'spine';
  readonly aigpOrigin: bigint;
  readonly aigpStep: bigint;
  /** DPF session mode: a session's colour says which routes it carries. */
  readonly sessionColours?: boolean;
  /** Our BGP identifier, when learned routes are to say what is behind us (NNHN). */
  readonly nextNextHopIdentifier?: number;
  /** Ours as route reflector (RFC 4456); without it nothing is reflected. */
  readonly clusterId?: number;
  readonly log?: EventLog;
  /** Octets of messages that a group keeps for members that do not read, before these must catch up from the table. */
  readonly logLimit?: number;
}

export interface AdjRibOutCounters {
  /** Prefixes, or paths where they have identifiers, that the member has been told, or will have been once it has taken what waits for it. */
  readonly advertised: number;
  /** UPDATE messages sent. */
  readonly updates: number;
}
