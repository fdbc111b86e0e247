/**
 * Deterministic path forwarding, policy mode (session-colours.ts is what session mode adds). Every prefix goes to every fabric session with its colour; AIGP marks the one
 * session whose colour it is. A spine adds its step. A receiver takes the lowest AIGP and, absent meaning infinite, keeps the
 * rest as the fallback set (rib/decision.ts).
 */
import { colourCommunity, colourOf, isColour } from '../wire/bgp/colour.js';
import type { Aigp, PathAttributes } from '../wire/bgp/path-attributes.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { withExtendedCommunities } from './with-extended-communities.js';

const MAX_METRIC = 2n ** 64n - 1n;

/** The attributes of a route originated here: ORIGIN IGP, empty AS_PATH, its colour, and those of session mode behind it. */
export function originatedAttributes(colour?: number, backupColours: readonly number[] = []): PathAttributes {
  const bare: PathAttributes = { origin: 0, asPath: [], ...(backupColours.length > 0 && { backupColours }) };
  return colour === undefined ? bare : { ...bare, extendedCommunities: [colourCommunity(colour)] };
}

/** A leaf carries no transit: through another leaf, the lower AIGP would make a valley win. */
export function isTransitAllowed(route: ExportRoute, context: ExportContext): boolean {
  return route.source === 'local' || context.role === 'spine';
}

/** RFC 7311: nothing on a session without AIGP; origination by colour; the step on next-hop-self. */
export function exportAigp(route: ExportRoute, context: ExportContext): Aigp | undefined {
  if (!context.aigp) return undefined;
  if (route.source === 'local') {
    const colour = colourOf(route.attributes);
    if (colour === undefined || colour !== context.colour) return undefined;
    return { metric: context.aigpOrigin, otherTlvs: [] };
  }
  const received = route.attributes.aigp;
  if (!received) return undefined;
  // RFC 7311 section 3.4: the value increases, and stays at the maximum rather than wrapping.
  const sum = received.metric + context.aigpStep;
  return { metric: sum > MAX_METRIC ? MAX_METRIC : sum, otherTlvs: received.otherTlvs };
}

/** Leaves colour out where the neighbour chokes on it. */
export function exportColour(attributes: PathAttributes, context: ExportContext): PathAttributes {
  const communities = attributes.extendedCommunities;
  if (context.sendColour || !communities) return attributes;
  return withExtendedCommunities(
    attributes,
    communities.filter((community) => !isColour(community)),
  );
}
