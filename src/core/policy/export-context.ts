/** What an export decision looks at: the route, and the session (or group of sessions alike) that it would go out on. */
import type { AsNumber } from '../net/as-number.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { SessionOptions } from './session-options.js';
import type { SessionPolicy } from './session-policy.js';

export type RouteSource =
  /** Originated here. */
  | 'local'
  /** Learned from another AS: over a fabric interface, or from a neighbour configured by its address. */
  | 'external'
  | 'border'
  /** Learned from our own AS; `client` when we reflect routes for that neighbour (RFC 4456). */
  | 'internal'
  | 'client';

export const ROUTE_SOURCES: readonly RouteSource[] = ['local', 'external', 'border', 'internal', 'client'];

export interface ExportRoute {
  readonly attributes: PathAttributes;
  readonly source: RouteSource;
  /** Interior cost of the received next hop; absent on a link of ours. */
  readonly distance?: number;
  /** What the prefix tests of the context's policy say of the route's prefix. */
  readonly hits?: string;
}

export interface ExportContext {
  readonly localAs: AsNumber;
  readonly role: 'leaf' | 'spine';
  /** The neighbour is in another AS. */
  readonly external: boolean;
  /** It is configured by its address, and no neighbour of the fabric. */
  readonly byAddress?: boolean;
  /** Its AS; known where an option looks at it. */
  readonly remoteAs?: AsNumber;
  /** Ours as route reflector (RFC 4456); without it nothing is reflected. */
  readonly clusterId?: number;
  readonly options?: SessionOptions | undefined;
  /** Colour of the session. */
  readonly colour?: number;
  /** Session mode: the colour says which routes the session carries. */
  readonly sessionColours?: boolean;
  /** False leaves colour communities out. */
  readonly sendColour: boolean;
  /** Long-lived graceful restart was agreed (RFC 9494). */
  readonly takesLongLivedStale?: boolean;
  /** AIGP_SESSION (RFC 7311 section 3.2). */
  readonly aigp: boolean;
  /** Octets a second that routes sent here are said to have (RFC 10005); absent leaves what they have. */
  readonly linkBandwidth?: number;
  /** Value put on an originated route on the session of its colour. */
  readonly aigpOrigin: bigint;
  /** Added, with the distance of the old next hop, when a learned route goes on with ourselves as next hop; at least 1. */
  readonly aigpStep: bigint;
  /** The operator's, behind the DPF role. */
  readonly policy?: SessionPolicy | undefined;
}
