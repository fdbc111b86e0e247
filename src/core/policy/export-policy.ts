/**
 * From a selected route to what a neighbour is told (RFC 4271 sections 5 and 9.2): which routes leave at all, and how their
 * attributes change on the way. Colours and AIGP are dpf-policy.ts, the operator's policy is export-chain.ts. The result has a
 * next hop only where that is not ourselves: kept (export-next-hop.ts), or set by that policy.
 */
import { DEFAULT_LOCAL_PREF, LLGR_STALE } from '../route/preference.js';
import { isTransitive } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { exportAigp, exportColour, isTransitAllowed } from './dpf-policy.js';
import { underExportPolicy } from './export-chain.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { keptNextHop } from './export-next-hop.js';
import { pathForNeighbour, withOwnAs } from './exported-as-path.js';
import { keepCommunities } from './kept-communities.js';
import { exportBandwidth } from './link-bandwidth.js';
import { isReflected, mayBeReflected, reflectedAttributes } from './reflection.js';
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
  const { sendCommunities } = context.options ?? {};
  const scoped = context.external ? leaveAs(judged, context) : withinAs(judged, route, context);
  return exportColour(sendCommunities ? keepCommunities(scoped, sendCommunities) : scoped, context);
}

/** What the operator's policy is asked about. */
export function beforePolicy(route: ExportRoute, context: ExportContext): PathAttributes | undefined {
  if (!isTransitAllowed(route, context) || unexportable(route, context) !== undefined) return undefined;
  const tagged = inSessionColour(route, context);
  if (!tagged) return undefined;
  const { nextHop: _, aigp: __, backupColours: ___, nextHopCharacteristics, ...rest } = tagged;
  const nextHop = keptNextHop(route, context);
  const scoped = context.external ? withinReach(rest, context) : rest;
  const aigp = exportAigp(route, context);
  // draft-ietf-idr-nhc: characteristics of a next hop that we replace are not passed on.
  const kept = nextHop && { nextHop, ...(nextHopCharacteristics && { nextHopCharacteristics }) };
  return { ...(nextHop ? scoped : exportBandwidth(scoped, context)), ...(aigp && { aigp }), ...kept };
}

/** What the route itself forbids, in words; `undefined` when nothing. */
export function unexportable(route: ExportRoute, context: ExportContext): string | undefined {
  if (isReflected(route, context) && !mayBeReflected(route, context)) return 'an internal neighbour said it';
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
function withinReach(attributes: PathAttributes, context: ExportContext): PathAttributes {
  const { med: _, originatorId: __, clusterList: ___, ...inside } = attributes;
  const kept = { ...inside, asPath: pathForNeighbour(inside.asPath, context) };
  const communities = kept.extendedCommunities;
  return communities ? withExtendedCommunities(kept, communities.filter(isTransitive)) : kept;
}

/** RFC 4271 sections 5.1.2 and 5.1.5: no LOCAL_PREF, and our AS in front. */
function leaveAs(attributes: PathAttributes, context: ExportContext): PathAttributes {
  const { localPref: _, ...kept } = attributes;
  return { ...kept, asPath: withOwnAs(attributes.asPath, context) };
}

/** RFC 4271 section 5.1.5: LOCAL_PREF is mandatory towards internal peers. */
function withinAs(attributes: PathAttributes, route: ExportRoute, context: ExportContext): PathAttributes {
  const told = { ...attributes, localPref: attributes.localPref ?? DEFAULT_LOCAL_PREF };
  return isReflected(route, context) ? reflectedAttributes(told, context) : told;
}
