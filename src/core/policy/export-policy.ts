/**
 * From a selected route to what a neighbour is told (RFC 4271 sections 5 and 9.2): which routes leave at all, and how their
 * attributes change on the way. Colours and AIGP are dpf-policy.ts. The next hop is always ourselves, so the result has none.
 */
import type { AsNumber } from '../net/as-number.js';
import { DEFAULT_LOCAL_PREF } from '../route/preference.js';
import { isTransitive } from '../wire/bgp/colour.js';
import type { AsPathSegment, PathAttributes } from '../wire/bgp/path-attributes.js';
import { exportAigp, exportColour, isTransitAllowed, withExtendedCommunities } from './dpf-policy.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { inSessionColour } from './session-colours.js';

/** RFC 1997. */
const NO_EXPORT = 0xffffff01;
const NO_ADVERTISE = 0xffffff02;
const NO_EXPORT_SUBCONFED = 0xffffff03;

/** An AS_PATH segment counts its ASes in one octet. */
const MAX_SEGMENT_ASNS = 255;

/** `undefined` when the route is not for this session. */
export function exportAttributes(route: ExportRoute, context: ExportContext): PathAttributes | undefined {
  if (!isTransitAllowed(route, context) || !isExportable(route, context)) return undefined;
  const tagged = inSessionColour(route, context);
  if (!tagged) return undefined;
  const { nextHop: _, aigp: __, backupColours: ___, ...kept } = tagged;
  const scoped = context.external ? leaveAs(kept, context.localAs) : withinAs(kept);
  const aigp = exportAigp(route, context);
  return exportColour(aigp ? { ...scoped, aigp } : scoped, context);
}

function isExportable(route: ExportRoute, context: ExportContext): boolean {
  // RFC 4271 section 9.2: what one internal peer said is not told to another.
  if (route.source === 'internal' && !context.external) return false;
  const communities = route.attributes.communities ?? [];
  if (communities.includes(NO_ADVERTISE)) return false;
  return !(context.external && (communities.includes(NO_EXPORT) || communities.includes(NO_EXPORT_SUBCONFED)));
}

/** RFC 4271 sections 5.1.2 to 5.1.5, RFC 4360 section 6: what does not leave the AS is dropped, our AS is put in front. */
function leaveAs(attributes: PathAttributes, localAs: AsNumber): PathAttributes {
  const { localPref: _, med: __, ...kept } = attributes;
  const moved: PathAttributes = { ...kept, asPath: prepended(attributes.asPath, localAs) };
  const communities = moved.extendedCommunities;
  return communities ? withExtendedCommunities(moved, communities.filter(isTransitive)) : moved;
}

/** RFC 4271 section 5.1.5: LOCAL_PREF is mandatory towards internal peers. */
function withinAs(attributes: PathAttributes): PathAttributes {
  return { ...attributes, localPref: attributes.localPref ?? DEFAULT_LOCAL_PREF };
}

/** RFC 4271 section 5.1.2 b. */
function prepended(path: readonly AsPathSegment[], asn: AsNumber): readonly AsPathSegment[] {
  const first = path[0];
  if (first?.kind !== 'sequence' || first.asns.length >= MAX_SEGMENT_ASNS)
    return [{ kind: 'sequence', asns: [asn] }, ...path];
  return [{ kind: 'sequence', asns: [asn, ...first.asns] }, ...path.slice(1)];
}
