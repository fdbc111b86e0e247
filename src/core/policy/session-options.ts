/**
 * What an operator may say, beside policies, about what one neighbour is told and what is taken from it. The names are those
 * that people know from other routers; docs/session-options.md has the table. Absent is what RFC 4271 says.
 */
import type { AsNumber } from '../net/as-number.js';

/** Colours are none of these, although they are extended communities: they go by `sendColour` alone. */
export const COMMUNITY_KINDS = ['standard', 'extended', 'large'] as const;
export type CommunityKind = (typeof COMMUNITY_KINDS)[number];

/** Another AS number than our own towards one neighbour (RFC 7705). */
export interface LocalAs {
  readonly asn: AsNumber;
  /** Section 3.1: routes from the neighbour get it in front, as if that AS were on the way. */
  readonly prependReceived: boolean;
  /** Section 3.3: what is told has it instead of our own AS in front, not before it. */
  readonly replaceAs: boolean;
}

/** Whose next hop learned routes go out with; absent is `unchanged` to internal neighbours and `self` to external ones. */
export type NextHopChoice =
  /** Ourselves, but never in a reflected route (RFC 4456 section 10). */
  | 'self'
  /** Ourselves, in reflected routes too. */
  | 'self-always'
  /** The one the route came with, wherever it can be reached from there. */
  | 'unchanged';

/** RFC 6996 numbers in what an external neighbour is told. */
export type PrivateAsRemoval =
  /** Taken out of a path that has no others. */
  | 'private-paths'
  | 'all'
  /** Our own AS in their place: the path stays as long as it is. */
  | 'replace';

export interface SessionOptions {
  /** How often our own AS may be in the AS_PATH of a route from here. */
  readonly allowAsIn?: number;
  /**
   * The AS_PATH of a route from an external neighbour begins with its AS (RFC 4271 sections 5.1.2 and 6.3). Not so with a route
   * server (RFC 7947 section 2.2.2).
   */
  readonly enforceFirstAs?: boolean;
  /** Communities of other kinds are as if never received, or not sent. */
  readonly acceptCommunities?: readonly CommunityKind[];
  readonly sendCommunities?: readonly CommunityKind[];
  /** The neighbour's AS gives way to ours in what it is told: sites that share an AS take each other's routes. */
  readonly asOverride?: boolean;
  readonly removePrivateAs?: PrivateAsRemoval;
  readonly localAs?: LocalAs;
  readonly nextHop?: NextHopChoice;
  /** RFC 4456: to an internal neighbour, routes from others in our AS are reflected. */
  readonly reflectorClient?: boolean;
}
