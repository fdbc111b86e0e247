/** ROUTE-REFRESH (RFC 2918) and its enhanced subtypes (RFC 7313). */
import { MESSAGE_TYPE, type MessageError, type RouteRefreshMessage } from './message.js';
import { ERROR_CODE, messageError } from './message-error.js';
import { encodeMessage } from './message-header.js';
import { read16 } from './octets.js';

const BODY_OCTETS = 4;
const SUBTYPE_REQUEST = 0;
const LAST_SUBTYPE = 2;

/**
 * `enhanced`: enhanced route refresh was agreed, so that the subtype means something and a wrong length is an error.
 * `undefined` when the message is to be ignored.
 */
export function decodeRouteRefresh(
  body: Uint8Array,
  enhanced: boolean,
): RouteRefreshMessage | MessageError | undefined {
  if (body.length !== BODY_OCTETS) return wrongLength(body, enhanced);
  const subtype = enhanced ? body[2]! : SUBTYPE_REQUEST;
  if (subtype > LAST_SUBTYPE) return undefined;
  return { kind: 'route-refresh', afi: read16(body, 0), safi: body[3]!, subtype };
}

/** RFC 7313 section 5 is about its own subtypes; a longer request carries filters (RFC 5291) that were never agreed. */
function wrongLength(body: Uint8Array, enhanced: boolean): MessageError | undefined {
  if (!enhanced || body[2] === SUBTYPE_REQUEST) return undefined;
  const message = encodeMessage(MESSAGE_TYPE.routeRefresh, body);
  return messageError(ERROR_CODE.routeRefresh, 1, `ROUTE-REFRESH: length ${message.length}, not 23`, message);
}

/** The whole message. */
export function encodeRouteRefresh({ afi, safi, subtype }: Omit<RouteRefreshMessage, 'kind'>): Uint8Array {
  return encodeMessage(MESSAGE_TYPE.routeRefresh, Uint8Array.of(afi >>> 8, afi, subtype, safi));
}
