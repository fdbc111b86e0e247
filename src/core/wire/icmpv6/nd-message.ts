/**
 * The ICMPv6 messages of Neighbor Discovery as values (RFC 4861 section 4), with the router preference and the Route
 * Information option of RFC 4191. decode-nd-message.ts and encode-nd-message.ts turn bytes into them and back.
 */
import type { Address } from '../../net/address.js';
import type { Prefix } from '../../net/prefix.js';

export const MESSAGE_TYPE = {
  routerSolicitation: 133,
  routerAdvertisement: 134,
  neighborSolicitation: 135,
  neighborAdvertisement: 136,
} as const;

export const OPTION_TYPE = {
  sourceLinkLayerAddress: 1,
  targetLinkLayerAddress: 2,
  prefixInformation: 3,
  mtu: 5,
  routeInformation: 24,
} as const;

/** A lifetime that never ends, in the 32-bit fields. */
export const INFINITE_LIFETIME = 0xffffffff;

/** RFC 4191 section 2.1. */
export type RouterPreference = 'low' | 'medium' | 'high';

export interface PrefixInformation {
  readonly kind: 'prefix-information';
  readonly prefix: Prefix;
  readonly onLink: boolean;
  readonly autonomous: boolean;
  /** Seconds; INFINITE_LIFETIME never ends. */
  readonly validLifetime: number;
  readonly preferredLifetime: number;
}

export interface RouteInformation {
  readonly kind: 'route-information';
  readonly prefix: Prefix;
  readonly preference: RouterPreference;
  /** Seconds; INFINITE_LIFETIME never ends. */
  readonly lifetime: number;
}

export type NdOption =
  | { readonly kind: 'source-link-layer-address' | 'target-link-layer-address'; readonly address: Uint8Array }
  | PrefixInformation
  | { readonly kind: 'mtu'; readonly mtu: number }
  | RouteInformation
  /** An option we do not know, or one whose length is not the one its type must have: kept as it is and not used. */
  | { readonly kind: 'unknown'; readonly type: number; readonly value: Uint8Array };

export interface RouterSolicitation {
  readonly kind: 'router-solicitation';
  readonly options: readonly NdOption[];
}

export interface RouterAdvertisement {
  readonly kind: 'router-advertisement';
  /** What hosts are to use; 0 says nothing. */
  readonly hopLimit: number;
  readonly managed: boolean;
  readonly otherConfiguration: boolean;
  readonly preference: RouterPreference;
  /** Seconds, 0 to 65535; 0: not a default router. */
  readonly routerLifetime: number;
  /** Milliseconds; 0 says nothing. */
  readonly reachableTime: number;
  readonly retransmitTimer: number;
  readonly options: readonly NdOption[];
}

export interface NeighborSolicitation {
  readonly kind: 'neighbor-solicitation';
  readonly target: Address;
  readonly options: readonly NdOption[];
}

export interface NeighborAdvertisement {
  readonly kind: 'neighbor-advertisement';
  readonly router: boolean;
  readonly solicited: boolean;
  readonly override: boolean;
  readonly target: Address;
  readonly options: readonly NdOption[];
}

export type NdMessage = RouterSolicitation | RouterAdvertisement | NeighborSolicitation | NeighborAdvertisement;

/** The MAC a message carries in its source link-layer address option. */
export function sourceLinkLayerAddress(options: readonly NdOption[]): Uint8Array | undefined {
  for (const option of options) if (option.kind === 'source-link-layer-address') return option.address;
  return undefined;
}
