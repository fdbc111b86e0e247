/** BGP identifiers (RFC 6286): 32-bit numbers that people write as dotted quads. */
import { formatAddress } from './address.js';

export function formatIdentifier(identifier: number): string {
  return formatAddress(Uint8Array.of(identifier >>> 24, identifier >>> 16, identifier >>> 8, identifier));
}
