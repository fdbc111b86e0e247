/** The colour extended community (RFC 9012 section 4.3, 03 0b) and which extended communities leave an AS (RFC 4360 section 6). */
import type { ExtendedCommunity, PathAttributes } from './path-attributes.js';

const TYPE_OPAQUE = 0x03;
const SUBTYPE_COLOUR = 0x0b;
const NON_TRANSITIVE = 0x40;

export function isColour(community: ExtendedCommunity): boolean {
  return community.type === TYPE_OPAQUE && community.subtype === SUBTYPE_COLOUR;
}

/** A colour community with flags zero (CO 00); `value` is 32 bits. */
export function colourCommunity(value: number): ExtendedCommunity {
  return {
    type: TYPE_OPAQUE,
    subtype: SUBTYPE_COLOUR,
    value: Uint8Array.of(0, 0, value >>> 24, value >>> 16, value >>> 8, value),
  };
}

/** The colour of a route; of several the numerically highest (RFC 9256 section 8). */
export function colourOf(attributes: Pick<PathAttributes, 'extendedCommunities'>): number | undefined {
  let highest: number | undefined;
  for (const community of attributes.extendedCommunities ?? []) {
    if (!isColour(community)) continue;
    const colour = colourValue(community);
    if (highest === undefined || colour > highest) highest = colour;
  }
  return highest;
}

export function colourValue(community: ExtendedCommunity): number {
  const { value } = community;
  return ((value[2]! << 24) | (value[3]! << 16) | (value[4]! << 8) | value[5]!) >>> 0;
}

/** One bit of the type octet decides, whatever the rest of the type. */
export function isTransitive(community: ExtendedCommunity): boolean {
  return (community.type & NON_TRANSITIVE) === 0;
}
