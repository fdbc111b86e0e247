/** Multiprotocol (RFC 4760 section 8): AFI, a reserved octet, SAFI. */
import { read16 } from '../octets.js';
import type { CapabilityCodec } from './capability-codec.js';

export const multiprotocol: CapabilityCodec = {
  code: 1,
  decode: (value) =>
    value.length === 4 ? { kind: 'multiprotocol', afi: read16(value, 0), safi: value[3]! } : undefined,
  encode: (capability) =>
    capability.kind === 'multiprotocol'
      ? Uint8Array.of(capability.afi >>> 8, capability.afi, 0, capability.safi)
      : undefined,
};
