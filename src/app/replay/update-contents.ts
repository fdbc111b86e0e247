/** An UPDATE as lists, for people and for JSON: what a session's hot path never builds. */
import type { Family } from '../../core/net/family.js';
import { masked, type Prefix } from '../../core/net/prefix.js';
import { decodeAttributes } from '../../core/wire/bgp/attributes/decode-attributes.js';
import type { MessageError, UpdateContext } from '../../core/wire/bgp/message.js';
import { NlriCursor } from '../../core/wire/bgp/nlri-cursor.js';
import type { AttributeError, PathAttributes } from '../../core/wire/bgp/path-attributes.js';
import { splitUpdate } from '../../core/wire/bgp/update.js';
import { type NlriField, UpdateView } from '../../core/wire/bgp/update-view.js';

export interface ReplayedRoute {
  readonly prefix: Prefix;
  /** Where the session carries path identifiers (RFC 7911). */
  readonly pathId?: number;
}

export interface RouteList {
  readonly field: NlriField;
  readonly family: Family;
  readonly routes: readonly ReplayedRoute[];
}

export interface AnnouncedRoutes extends RouteList {
  /** Absent when an error withdraws the routes (RFC 7606). */
  readonly attributes: PathAttributes | undefined;
}

export interface UpdateContents {
  readonly kind: 'update';
  readonly withdrawn: readonly RouteList[];
  readonly announced: readonly AnnouncedRoutes[];
  /** Address families of MP_REACH_NLRI and MP_UNREACH_NLRI that are not read. */
  readonly unread: readonly { readonly afi: number; readonly safi: number }[];
  readonly errors: readonly AttributeError[];
  /** RFC 4724 section 2. */
  readonly endOfRib?: Family;
  readonly context: UpdateContext;
}

/** Decodes the body of an UPDATE, the octets after the header. */
export function updateContents(body: Uint8Array, context: UpdateContext): UpdateContents | MessageError {
  const view = new UpdateView();
  const fault = splitUpdate(body, context, view);
  if (fault) return fault;
  const cursor = new NlriCursor();
  const errors: AttributeError[] = [...view.faults];
  const lists = { withdrawn: [] as RouteList[], announced: [] as AnnouncedRoutes[] };
  const collect = (family: Family | undefined, field: NlriField): RouteList | undefined => {
    const routes = family === undefined ? [] : readRoutes(cursor, family, context);
    if (cursor.malformed) errors.push({ action: 'session-reset', attribute: 0, reason: 'malformed NLRI', subcode: 10 });
    return family === undefined || routes.length === 0 ? undefined : { field, family, routes };
  };
  for (const list of [collect(cursor.openWithdrawn(view), 'classic'), collect(cursor.openUnreach(view), 'mp')]) {
    if (list) lists.withdrawn.push(list);
  }
  for (const list of [collect(cursor.openNlri(view), 'classic'), collect(cursor.openReach(view), 'mp')]) {
    if (!list) continue;
    const decoded = decodeAttributes(view, list.field);
    errors.push(...decoded.errors.filter((error) => !errors.includes(error)));
    lists.announced.push({ ...list, attributes: decoded.attributes });
  }
  const complete = lists.withdrawn.length + lists.announced.length === 0 ? endOfRib(view, cursor) : undefined;
  return {
    kind: 'update',
    ...lists,
    unread: unreadFamilies(view, cursor),
    errors,
    ...(complete && { endOfRib: complete }),
    context,
  };
}

function readRoutes(cursor: NlriCursor, family: Family, context: UpdateContext): ReplayedRoute[] {
  const octets = family === 'ipv4-unicast' ? 4 : 16;
  const withPathId = context.addPath.includes(family);
  const routes: ReplayedRoute[] = [];
  while (cursor.next()) {
    const address = new Uint8Array(octets);
    address.set(cursor.body.subarray(cursor.offset, cursor.offset + ((cursor.bits + 7) >> 3)));
    const prefix = { address: masked(address, cursor.bits), length: cursor.bits };
    routes.push(withPathId ? { prefix, pathId: cursor.pathId } : { prefix });
  }
  return routes;
}

function endOfRib(view: UpdateView, cursor: NlriCursor): Family | undefined {
  if (view.body.length === 4) return 'ipv4-unicast';
  if (view.attributeCount > 0 || view.reachAfi !== 0 || view.unreachNlriEnd > view.unreachNlriStart) return undefined;
  return cursor.openUnreach(view);
}

function unreadFamilies(view: UpdateView, cursor: NlriCursor): { afi: number; safi: number }[] {
  const unread = [];
  if (view.reachAfi !== 0 && !cursor.openReach(view)) unread.push({ afi: view.reachAfi, safi: view.reachSafi });
  if (view.unreachAfi !== 0 && !cursor.openUnreach(view)) unread.push({ afi: view.unreachAfi, safi: view.unreachSafi });
  return unread;
}
