/**
 * Deterministic path forwarding, session mode: a session has a colour and carries only the routes of that colour and those
 * without one. A session without a colour carries everything. A prefix of our own may have backup colours: it goes over the
 * sessions of these too, tagged there with their colour; AIGP on the session of its own colour (dpf-policy.ts) is what makes
 * that one preferred upstream. What comes in with another colour is hidden (rib/eligibility.ts).
 */
import { colourCommunity, colourOf, isColour } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { ExportContext, ExportRoute } from './export-context.js';

/** Whether a route of this colour (or none) belongs on a session of that colour (or none). */
export function isCarried(colour: number | undefined, sessionColour: number | undefined): boolean {
  return colour === undefined || sessionColour === undefined || colour === sessionColour;
}

/** The attributes as the session's colour wants them; `undefined` for a route that is not for it. */
export function inSessionColour(route: ExportRoute, context: ExportContext): PathAttributes | undefined {
  const { attributes } = route;
  const { colour, sessionColours } = context;
  if (!sessionColours || isCarried(colourOf(attributes), colour)) return attributes;
  if (colour === undefined || !attributes.backupColours?.includes(colour)) return undefined;
  const others = (attributes.extendedCommunities ?? []).filter((community) => !isColour(community));
  return { ...attributes, extendedCommunities: [...others, colourCommunity(colour)] };
}
