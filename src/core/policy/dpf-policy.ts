/**
 * Deterministic path forwarding, policy mode (session-colours.ts is what session mode adds). Every prefix goes to every fabric session with its colour; AIGP marks the one
 * session whose colour it is. A spine adds its step. A receiver takes the lowest AIGP and, absent meaning infinite, keeps the
 * rest as the fallback set (rib/decision.ts).
 */
import { colourCommunity, colourOf, isColour } from '../wire/bgp/colour.js';
import type { Aigp, PathAttributes } from '../wire/bgp/path-attributes.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { keptNextHop } from './export-next-hop.js';
import { withExtendedCommunities } from './with-extended-communities.js';

const MAX_METRIC = 2n ** 64n - 1n;

/** The attributes of a route originated here: ORIGIN IGP, empty AS_PATH, its colour, and those of session mode behind it. */
export function originatedAttributes(colour?: number, backupColours: readonly number[] = []): PathAttributes {
  const bare: PathAttributes = { origin: 0, asPath: [], ...(backupColours.length > 0 && { backupColours }) };
  return colour === undefined ? bare : { ...bare, extendedCommunities: [colourCommunity(colour)] };
}

/**
 * A leaf carries no transit inside the fabric: through another leaf, the lower AIGP would make a valley win. What it hears of
 * neighbours configured by their address comes from outside, and what it tells them is for policy to say (RFC 8212). But what
 * an internal one says may be the fabric's own routes, heard by another leaf.
 */
export function isTransitAllowed({ source }: Pick<ExportRoute, 'source'>, context: ExportContext): boolean {
  if (context.role === 'spine' || context.byAddress) return true;
  return source === 'local' || source === 'border';
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
  return keptNextHop(route, context) ? received : withStep(received, route, context);
}

/**
 * RFC 7311 section 3.4: with ourselves as next hop the value increases by the distance to the old one, which is never nothing, and
 * stays at the maximum rather than wrapping.
 */
export function withStep(
  { metric, otherTlvs }: Aigp,
  { distance = 0 }: ExportRoute,
  { aigpStep }: ExportContext,
): Aigp {
  const sum = metric + BigInt(distance) + aigpStep;
  return { metric: sum > MAX_METRIC ? MAX_METRIC : sum, otherTlvs };
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
