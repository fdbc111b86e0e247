/** A 32-bit BGP identifier as people write it. */
import { formatAddress } from '../../core/net/address.js';

export function identifierText(identifier: number): string {
  return formatAddress(Uint8Array.of(identifier >>> 24, identifier >>> 16, identifier >>> 8, identifier));
}
