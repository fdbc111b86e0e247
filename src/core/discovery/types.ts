/**
 * The vocabulary of fabric discovery: inputs (what happened on the interface) and outputs (what to do), as data.
 * fabric-interface.ts is the machine: RFC 4861 router behaviour on a link where the other routers are our BGP neighbours.
 */
import type { Address } from '../net/address.js';
import type { AdvertisingTiming } from './advertising.js';

export interface DiscoveryConfig extends AdvertisingTiming {
  /** Milliseconds a neighbour stays known after its last RA when the RA's router lifetime is 0 or it says less. */
  readonly neighbourLifetime: number;
}

export type DiscoveryInput =
  /** Carrier and administrative state both up, and a link-local address that is not tentative; repeated when anything changed. */
  | { readonly kind: 'link-usable'; readonly linkLocal: Address; readonly mac: Uint8Array; readonly mtu: number }
  /** `reason` says which condition is missing, in the words `show interfaces` prints. */
  | { readonly kind: 'link-unusable'; readonly reason: string }
  | { readonly kind: 'packet'; readonly source: Address; readonly message: Uint8Array }
  | { readonly kind: 'timer-expired' }
  /** Send the final RAs (lifetime 0) and fall silent. */
  | { readonly kind: 'stopped' };

export type FabricInput =
  | DiscoveryInput
  /** This address spoke BGP with us, so somebody is there. */
  | { readonly kind: 'answered'; readonly address: Address };

export type DiscoveryOutput =
  | { readonly kind: 'send'; readonly destination: Address; readonly message: Uint8Array }
  /** The machine has one timer; this replaces its deadline (clock milliseconds). */
  | { readonly kind: 'arm-timer'; readonly at: number }
  | { readonly kind: 'cancel-timer' }
  | { readonly kind: 'neighbour-found'; readonly address: Address; readonly mac?: Uint8Array }
  | { readonly kind: 'neighbour-lost'; readonly address: Address; readonly reason: LossReason }
  | { readonly kind: 'log'; readonly level: 'debug' | 'info' | 'warn'; readonly message: string };

/** `displaced`: the link was full, and this one had nothing to say but its advertisements. */
export type LossReason = 'expired' | 'displaced' | 'link-down';

export interface DiscoveredNeighbour {
  readonly address: Address;
  readonly mac?: Uint8Array;
  /** Clock milliseconds. */
  readonly firstHeard: number;
  readonly lastHeard: number;
  readonly expiresAt: number;
  /** It spoke BGP with us since it was first heard. */
  readonly answered: boolean;
}
