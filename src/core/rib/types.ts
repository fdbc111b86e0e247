/**
 * The vocabulary of the RIB towards the rest of the speaker: who feeds it, what it tells its sinks, and how a decision is
 * shown. Inside, a prefix, a path, a peer and a set of path attributes are small integers; the values here are made on demand.
 */
import type { Address } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import type { Prefix } from '../net/prefix.js';
import type { SessionOptions } from '../policy/session-options.js';
import type { SessionPolicy } from '../policy/session-policy.js';
import type { Resolution } from '../ports/reachability.js';
import type { MessageError, UpdateContext } from '../wire/bgp/message.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';

/** One established session; the number is reused after its paths are gone. */
export type PeerIndex = number;

/** Source of the routes this router originates. */
export const LOCAL_PEER: PeerIndex = 0;

/** Stays valid until the sinks have been told that nothing is selected, and as long as somebody holds it. */
export type PrefixId = number;

export interface RibPeerInfo {
  /** As in `show neighbors`. */
  readonly name: string;
  readonly address: Address;
  /** Ours on the session. */
  readonly localAddress: Address;
  readonly interfaceIndex: number;
  readonly interfaceName: string;
  readonly asn: AsNumber;
  /** 32-bit BGP identifier. */
  readonly identifier: number;
  readonly external: boolean;
  /** Configured by its address, and no neighbour of the fabric. */
  readonly byAddress?: boolean;
  /** Families negotiated; NLRI of another one is ignored and logged. */
  readonly families: readonly Family[];
  readonly context: UpdateContext;
  /** Colour of the session. */
  readonly colour?: number;
  /** DPF session mode: routes of another colour than the session's are hidden. */
  readonly sessionColours?: boolean;
  /**
   * Where next hops may be: on the session's link (the default), in any subnet of ours (a session with an external neighbour one hop
   * away), or anywhere that a route leads to. All but the first are looked up in what the host reaches.
   */
  readonly nextHops?: 'link' | 'subnet' | 'anywhere';
  /** Without one every path is taken as it comes. */
  readonly importPolicy?: SessionPolicy | undefined;
  readonly options?: SessionOptions | undefined;
}

export interface RibSink {
  /** `ids[0..count)`: prefixes whose selection (best path, primary or fallback set, or the attributes of one of them) changed. */
  prefixesChanged(ids: Uint32Array, count: number): void;
  /** Told of every prefix that was decided: what it makes of one depends on paths that are not selected too. */
  readonly everyChange?: boolean;
}

/** `undefined` from `receiveUpdate` means nothing to report. */
export type UpdateResult = MessageError | { readonly kind: 'end-of-rib'; readonly family: Family } | undefined;

/** Names of the decision steps in the order in which they run; the last three are outcomes without a comparison. */
export type DecisionStepName =
  | 'local-origin'
  | 'long-lived-stale'
  | 'settling'
  | 'local-pref'
  | 'aigp'
  | 'as-path-length'
  | 'origin'
  | 'med'
  | 'external'
  | 'interior-cost'
  | 'router-id'
  | 'cluster-list-length'
  | 'peer-address'
  | 'interface'
  | 'path-id'
  | 'only-path'
  | 'no-path';

export interface PathView {
  readonly peer: PeerIndex;
  /** Name of the peer, or `local`. */
  readonly peerName: string;
  readonly local: boolean;
  /** RFC 7911 identifier as received; 0 without add-path. */
  readonly pathId: number;
  /** Clock milliseconds, to the second, at which it came or came with other attributes. */
  readonly changedAt: number;
  /** Kept from before the peer's restart or refresh, and not heard again yet. */
  readonly stale: boolean;
  readonly attributes: PathAttributes;
  /** Of the session's link; of the first way to a next hop that was looked up. */
  readonly interfaceIndex: number;
  readonly interfaceName: string;
  /** Where packets go on that interface; `undefined` on local and hidden paths. */
  readonly gateway: Address | undefined;
  /** How the next hop is reached, where it was looked up. */
  readonly resolution: Resolution | undefined;
}

export interface Selection {
  readonly prefix: Prefix;
  /** `undefined` when no path is eligible. */
  readonly best: PathView | undefined;
  /** The best path and those equal to it (multipath), which may share next hops only with add-path. */
  readonly primary: readonly PathView[];
  /** The set that takes over when the primary set is gone; shares no next hop with it. */
  readonly fallback: readonly PathView[];
  readonly decidedBy: DecisionStepName;
  /** Rightmost AS of the best path; our own AS for a local route; 0 without a best path. */
  readonly origin: AsNumber;
  readonly colour: number | undefined;
}

export type PathStatus = 'best' | 'multipath' | 'fallback' | 'lost' | 'hidden';

export interface ExplainedPath extends PathView {
  readonly status: PathStatus;
  /** The step at which this path left the comparison with the best one. */
  readonly lostAt?: DecisionStepName;
  /** Why the path is hidden: kept, shown, not eligible. */
  readonly reason?: string;
}

export interface Explanation {
  readonly prefix: Prefix;
  readonly decidedBy: DecisionStepName;
  /** Best first, then multipath, fallback, lost, hidden. */
  readonly paths: readonly ExplainedPath[];
}

export interface PeerCounters {
  /** UPDATE messages. */
  readonly updates: number;
  /** Prefixes announced and withdrawn in them, each time counted. */
  readonly announced: number;
  readonly withdrawn: number;
  /** Paths held now, and how many of them are eligible. */
  readonly paths: number;
  readonly accepted: number;
  /** Prefixes with a path, ... */
  readonly prefixes: PrefixCount;
  /** ... and with one that is not stale. */
  readonly freshPrefixes: PrefixCount;
  /** UPDATEs with a fault (RFC 7606). */
  readonly errors: number;
}

/** By family. */
export type PrefixCount = Readonly<Record<Family, number>>;

export interface RibTotals {
  readonly prefixes: number;
  readonly paths: number;
  readonly accepted: number;
  /** Distinct sets of path attributes. */
  readonly attributes: number;
  /** Prefixes that wait for a decision. */
  readonly undecided: number;
}
