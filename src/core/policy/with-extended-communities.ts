/** Path attributes with other extended communities. */
import type { PathAttributes } from '../wire/bgp/path-attributes.js';

/** A copy with these extended communities; without the attribute when there is none. */
export function withExtendedCommunities(
  attributes: PathAttributes,
  communities: NonNullable<PathAttributes['extendedCommunities']>,
): PathAttributes {
  const { extendedCommunities: _, ...rest } = attributes;
  return communities.length === 0 ? rest : { ...rest, extendedCommunities: communities };
}
