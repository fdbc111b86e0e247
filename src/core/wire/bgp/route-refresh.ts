/** ROUTE-REFRESH (RFC 2918) and its enhanced subtypes (RFC 7313). */
import type { MessageError, RouteRefreshMessage } from './message.js';

/**
 * `enhanced`: enhanced route refresh was agreed, so that a bad length is an error (RFC 7313 section 5).
 * `undefined` when the message is to be ignored.
 */
export function decodeRouteRefresh(
  _body: Uint8Array,
  _enhanced: boolean,
): RouteRefreshMessage | MessageError | undefined {
  throw new Error('to be written');
}

/** The whole message. */
export function encodeRouteRefresh(_refresh: Omit<RouteRefreshMessage, 'kind'>): Uint8Array {
  throw new Error('to be written');
}
