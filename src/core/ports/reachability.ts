/**
 * How the host would reach an address by what is not ours: its own subnets and the routes of other programs in the main table.
 * Next hops that are not on a neighbour's link are resolved by it (RFC 4271 section 5.1.3).
 */
import type { Address } from '../net/address.js';

export interface Reach {
  readonly interfaceIndex: number;
  readonly interfaceName: string;
  /** Where packets go on that interface: the address itself when it is on the link. */
  readonly gateway: Address;
}

export interface Resolution {
  /** No router is in between: the address lies in a subnet of one of our interfaces, or a route says that it is on the link. */
  readonly onLink: boolean;
  /** Metric of the route; 0 on a link. */
  readonly cost: number;
  /** At least one; several when the route has several next hops. */
  readonly reaches: readonly Reach[];
}

export interface Reachability {
  /** By the longest matching prefix of an interface that is up; `undefined` when there is no way, or only a default route. */
  resolve(address: Address): Resolution | undefined;
  /** It is an address of one of our interfaces, up or down. */
  isOwn(address: Address): boolean;
  /** A default route leads there, and nothing else does. */
  onlyByDefault(address: Address): boolean;
  /** Some answer may differ now. Changes that come together are told once. The result ends it. */
  watch(changed: () => void): () => void;
}
