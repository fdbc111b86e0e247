/** Path attributes without the communities of some kinds (RFC 1997, 4360, 8092). Colours stay: `send-colour` is about those. */
import { isColour } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { CommunityKind } from './session-options.js';
import { withExtendedCommunities } from './with-extended-communities.js';

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
