/** Four-octet AS numbers (RFC 6793 section 3). */
import { octets32, read32 } from '../octets.js';
import type { CapabilityCodec } from './capability-codec.js';

export const fourOctetAs: CapabilityCodec = {
  code: 65,
  decode: (value) => (value.length === 4 ? { kind: 'four-octet-as', asn: read32(value, 0) } : undefined),
  encode: (capability) => (capability.kind === 'four-octet-as' ? octets32(capability.asn) : undefined),
};
