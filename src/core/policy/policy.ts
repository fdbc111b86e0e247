/**
 * The policy language as data: named policies, each a chain of terms. A term matches (all of what it names, each by any of
 * its alternatives), changes what matched, and accepts, rejects or hands on. Lists are resolved: nothing here is a name that
 * must be looked up. compile-policy.ts makes these into something that runs.
 */
import type { Address } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import type { Prefix } from '../net/prefix.js';
import type { Origin } from '../wire/bgp/path-attributes.js';
import type { Community, CommunityPattern } from './community-text.js';

/** Prefixes inside `prefix` with a length from `least` to `most`. */
export interface PrefixRange {
  readonly prefix: Prefix;
  readonly least: number;
  readonly most: number;
  /** The list does not match these, whatever comes later in it. */
  readonly deny: boolean;
}

/** The first entry that a prefix is in decides; a prefix in none does not match. */
export interface PrefixList {
  /** As written in the term: a name, or the range itself. */
  readonly name: string;
  readonly entries: readonly PrefixRange[];
}

export interface CommunityList {
  readonly name: string;
  /** A route matches when it has a community that any of these describes. */
  readonly patterns: readonly CommunityPattern[];
}

/** AIGP values: none at all, or a range (both ends included; without limits any value). */
export type AigpMatch = { readonly absent: true } | { readonly least: bigint; readonly most: bigint };

/** Every member that is there must match; an empty match matches everything. */
export interface Match {
  readonly prefixes?: readonly PrefixList[];
  readonly family?: Family;
  /** At least one of these lists. */
  readonly communities?: readonly CommunityList[];
  /** Every one of these lists. */
  readonly allCommunities?: readonly CommunityList[];
  /** The route's colour (of several the highest) is one of these; `none` is a route without. */
  readonly colour?: readonly (number | 'none')[];
  /** Regular expressions over the text form. */
  readonly asPath?: readonly string[];
  readonly aigp?: readonly AigpMatch[];
  readonly nextHop?: readonly Prefix[];
  /** The session: on import the one that the route came on, on export the one that it goes out on. */
  readonly neighbour?: readonly Address[];
  readonly interface?: readonly string[];
  readonly origin?: readonly Origin[];
}

export interface CommunityChanges {
  /** All communities but colours give way to these. */
  readonly replace?: readonly Community[];
  readonly remove?: readonly CommunityList[];
  readonly add?: readonly Community[];
}

/** Applied in this order. */
export interface Changes {
  /** One colour instead of all there are. */
  readonly colour?: number | 'none';
  readonly communities?: CommunityChanges;
  readonly aigp?: bigint | 'none';
  readonly localPref?: number;
  readonly med?: number | 'none';
  /** In front of the AS_PATH, in this order; a count stands for our own AS. */
  readonly prepend?: { readonly own: number } | { readonly asns: readonly AsNumber[] };
  readonly nextHop?: Address | 'self';
}

export type Action = 'accept' | 'reject' | 'next';

export interface Term {
  /** As given, or its number in the policy. */
  readonly name: string;
  readonly match: Match;
  readonly set: Changes;
  readonly action: Action;
}

export interface Policy {
  readonly name: string;
  readonly terms: readonly Term[];
}

/** Policies in the order in which they are asked. */
export type PolicyChain = readonly Policy[];
