/** The neighbour table of a simulated node: everybody answers, but those that a test keeps silent. */
import { type Address, formatAddress } from '../core/net/address.js';
import type { Gateways } from '../core/ports/gateways.js';

export class VirtualGateways implements Gateways {
  /** Addresses as text. */
  readonly silent = new Set<string>();

  resolve(_interfaceIndex: number, gateway: Address): Promise<boolean> {
    return Promise.resolve(!this.silent.has(formatAddress(gateway)));
  }
}
