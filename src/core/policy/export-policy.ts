/**
 * From a selected route to what a neighbour is told (RFC 4271 sections 5 and 9.2): which routes leave at all, and how their
 * attributes change on the way. Colours and AIGP are dpf-policy.ts, the operator's policy is export-chain.ts. The next hop is
 * ourselves, so the result has none, unless that policy set one.
 */
import type { AsNumber } from '../net/as-number.js';
import { DEFAULT_LOCAL_PREF, LLGR_STALE } from '../route/preference.js';
import { isTransitive } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { exportAigp, exportColour, isTransitAllowed } from './dpf-policy.js';
import { underExportPolicy } from './export-chain.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { exportBandwidth } from './link-bandwidth.js';
import { prepended } from './prepend.js';
import { inSessionColour } from './session-colours.js';
import { withExtendedCommunities } from './with-extended-communities.js';

/** RFC 1997. */
const NO_EXPORT = 0xffffff01;
const NO_ADVERTISE = 0xffffff02;
const NO_EXPORT_SUBCONFED = 0xffffff03;

/** `undefined` when the route is not for this session; withheld-reason.ts says why. */
export function exportAttributes(route: ExportRoute, context: ExportContext): PathAttributes | undefined {
  const told = beforePolicy(route, context);
  const judged = told && underExportPolicy(told, route, context);
  if (!judged) return undefined;
  return exportColour(context.external ? leaveAs(judged, context.localAs) : withinAs(judged), context);
}

/** What the operator's policy is asked about. */
export function beforePolicy(route: ExportRoute, context: ExportContext): PathAttributes | undefined {
  if (!isTransitAllowed(route, context) || unexportable(route, context) !== undefined) return undefined;
  const tagged = inSessionColour(route, context);
  if (!tagged) return undefined;
  // draft-ietf-idr-nhc: characteristics of a next hop that we replace are not passed on.
  const { nextHop: _, aigp: __, backupColours: ___, nextHopCharacteristics: ____, ...kept } = tagged;
  const scoped = exportBandwidth(context.external ? withinReach(kept) : kept, context);
  const aigp = exportAigp(route, context);
  return aigp ? { ...scoped, aigp } : scoped;
}

/** What the route itself forbids, in words; `undefined` when nothing. */
export function unexportable(route: ExportRoute, context: ExportContext): string | undefined {
  // RFC 4271 section 9.2: what one internal peer said is not told to another.
  if (route.source === 'internal' && !context.external) return 'an internal neighbour said it';
  const communities = route.attributes.communities ?? [];
  if (communities.includes(NO_ADVERTISE)) return 'it has the community no-advertise';
  // RFC 9494 section 4.3.
  if (communities.includes(LLGR_STALE) && !context.takesLongLivedStale) {
    return 'it is long-lived stale, and the neighbour does not know what that means';
  }
  if (!context.external) return undefined;
  return communities.includes(NO_EXPORT) || communities.includes(NO_EXPORT_SUBCONFED)
    ? 'it has the community no-export'
    : undefined;
}

/** RFC 4271 section 5.1.4, RFC 4360 section 6, RFC 4456 section 8: what was said only within an AS, ours or another, is dropped. */
function withinReach(attributes: PathAttributes): PathAttributes {
  const { med: _, originatorId: __, clusterList: ___, ...kept } = attributes;
  const communities = kept.extendedCommunities;
  return communities ? withExtendedCommunities(kept, communities.filter(isTransitive)) : kept;
}

/** RFC 4271 sections 5.1.2 and 5.1.5: no LOCAL_PREF, and our AS in front. */
function leaveAs(attributes: PathAttributes, localAs: AsNumber): PathAttributes {
  const { localPref: _, ...kept } = attributes;
  return { ...kept, asPath: prepended(attributes.asPath, localAs) };
}

/** RFC 4271 section 5.1.5: LOCAL_PREF is mandatory towards internal peers. */
function withinAs(attributes: PathAttributes): PathAttributes {
  return { ...attributes, localPref: attributes.localPref ?? DEFAULT_LOCAL_PREF };
}
