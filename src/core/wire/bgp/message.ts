/**
 * BGP messages as values (RFC 4271 section 4). Bytes become these in the decoders beside this file; the session judges them.
 * UPDATEs have their own module (update.ts): the hot path never builds an object per route.
 */
import type { Address } from '../../net/address.js';
import type { AsNumber } from '../../net/as-number.js';
import type { Family } from '../../net/family.js';

export const HEADER_OCTETS = 19;
export const MAX_MESSAGE_OCTETS = 4096;
/** RFC 8654. */
export const MAX_EXTENDED_MESSAGE_OCTETS = 65535;

export const MESSAGE_TYPE = { open: 1, update: 2, notification: 3, keepalive: 4, routeRefresh: 5 } as const;

export interface AddPathFamily {
  readonly afi: number;
  readonly safi: number;
  /** RFC 7911: 1 receive, 2 send, 3 both. */
  readonly mode: number;
}

export interface GracefulRestartFamily {
  readonly afi: number;
  readonly safi: number;
  readonly forwardingPreserved: boolean;
}

export interface LongLivedFamily extends GracefulRestartFamily {
  /** Seconds. */
  readonly staleTime: number;
}

/** One capability of an OPEN (RFC 5492). `unknown` keeps what we do not use, byte for byte. */
export type Capability =
  | { readonly kind: 'multiprotocol'; readonly afi: number; readonly safi: number }
  | { readonly kind: 'route-refresh' }
  | { readonly kind: 'enhanced-route-refresh' }
  | {
      readonly kind: 'extended-next-hop';
      readonly entries: readonly { readonly afi: number; readonly safi: number; readonly nextHopAfi: number }[];
    }
  | { readonly kind: 'extended-message' }
  | { readonly kind: 'four-octet-as'; readonly asn: AsNumber }
  | { readonly kind: 'add-path'; readonly families: readonly AddPathFamily[] }
  | {
      readonly kind: 'graceful-restart';
      readonly restarted: boolean;
      /** RFC 8538. */
      readonly notification: boolean;
      /** Seconds. */
      readonly restartTime: number;
      readonly families: readonly GracefulRestartFamily[];
    }
  | { readonly kind: 'long-lived-graceful-restart'; readonly families: readonly LongLivedFamily[] }
  | { readonly kind: 'fqdn'; readonly hostname: string; readonly domain: string }
  | { readonly kind: 'link-local-next-hop' }
  | { readonly kind: 'strict-bfd' }
  | { readonly kind: 'unknown'; readonly code: number; readonly value: Uint8Array };

export interface OpenMessage {
  readonly kind: 'open';
  readonly version: number;
  /** From the four-octet capability where there is one, else the 2-octet field. */
  readonly asn: AsNumber;
  /** The 2-octet field as sent (AS_TRANS when the number does not fit). */
  readonly asField: number;
  /** Seconds, as sent. */
  readonly holdTime: number;
  /** 32-bit BGP identifier. */
  readonly identifier: number;
  readonly capabilities: readonly Capability[];
}

export interface KeepaliveMessage {
  readonly kind: 'keepalive';
}

export interface NotificationMessage {
  readonly kind: 'notification';
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;
}

export interface RouteRefreshMessage {
  readonly kind: 'route-refresh';
  readonly afi: number;
  readonly safi: number;
  /** RFC 7313: 0 request, 1 beginning, 2 end of route refresh. */
  readonly subtype: number;
}

/** What a decoder finds wrong with a message: the NOTIFICATION to answer with, and words for the log. */
export interface MessageError {
  readonly kind: 'error';
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;
  readonly reason: string;
}

export type ControlMessage = OpenMessage | KeepaliveMessage | NotificationMessage | RouteRefreshMessage;

/** RFC 8950: an IPv4 NLRI's next hop may be IPv6. `linkLocal` is the 16-octet second half or the only next hop. */
export interface NextHop {
  /** Absent for link-local-only encodings and for `::`. */
  readonly global?: Address;
  readonly linkLocal?: Address;
}

export interface UpdateContext {
  readonly fourOctetAs: boolean;
  /** Families whose received NLRI carries path identifiers (RFC 7911). */
  readonly addPath: readonly Family[];
  readonly externalPeer: boolean;
  /** AIGP is enabled on this session (RFC 7311 section 3.2). */
  readonly aigp: boolean;
  /** An AS_PATH with an AS_SET is one like others (RFC 9774 section 3: only where an operator says so). */
  readonly asSets?: boolean;
}
