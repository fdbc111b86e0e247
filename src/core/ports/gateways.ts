/** Whether the host can send to a gateway at once: it has the link-layer address (RFC 4861 section 7.2). */
import type { Address } from '../net/address.js';

export interface Gateways {
  /**
   * Resolves with true as soon as it has, and asks for it on the link where it has not; with false when nobody answered, or when
   * that cannot be found out now.
   */
  resolve(interfaceIndex: number, gateway: Address): Promise<boolean>;
}
