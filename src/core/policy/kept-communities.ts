/**
 * Path attributes without the communities of some kinds (RFC 1997, 4360, 8092). Colours stay: `send-colour` is about those. What is
 * received keeps its well-known communities as well: they bind every router (RFC 1997), so a kind that does not count must not turn
 * NO_EXPORT into leave to export.
 */
import { isColour } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { CommunityKind } from './session-options.js';
import { withExtendedCommunities } from './with-extended-communities.js';

/** The first of those that IANA has reserved for meanings known to all. */
const FIRST_WELL_KNOWN = 0xffff_0000;
const isWellKnown = (community: number): boolean => community >= FIRST_WELL_KNOWN;

/** `keepCommunities` for what is received: well-known ones stay. */
export function acceptedCommunities(attributes: PathAttributes, kinds: readonly CommunityKind[]): PathAttributes {
  const wellKnown = attributes.communities?.filter(isWellKnown) ?? [];
  const kept = keepCommunities(attributes, kinds);
  return kept.communities || wellKnown.length === 0 ? kept : { ...kept, communities: wellKnown };
}

/** The same attributes when there is nothing to leave out. */
export function keepCommunities(attributes: PathAttributes, kinds: readonly CommunityKind[]): PathAttributes {
  let kept = attributes;
  if (kept.communities && !kinds.includes('standard')) {
    const { communities: _, ...rest } = kept;
    kept = rest;
  }
  if (kept.largeCommunities && !kinds.includes('large')) {
    const { largeCommunities: _, ...rest } = kept;
    kept = rest;
  }
  const { extendedCommunities } = kept;
  if (!extendedCommunities || kinds.includes('extended') || extendedCommunities.every(isColour)) return kept;
  return withExtendedCommunities(kept, extendedCommunities.filter(isColour));
}
