/** Long-lived graceful restart (RFC 9494 section 4.1): how long routes may be kept, stale, after the restart time. */
import { read16 } from '../octets.js';
import type { CapabilityCodec } from './capability-codec.js';

const FORWARDING_PRESERVED = 0x80;
const ENTRY_OCTETS = 7;

export const longLivedGracefulRestart: CapabilityCodec = {
  code: 71,
  decode(value) {
    if (value.length % ENTRY_OCTETS !== 0) return undefined;
    return {
      kind: 'long-lived-graceful-restart',
      families: Array.from({ length: value.length / ENTRY_OCTETS }, (_, index) => {
        const at = index * ENTRY_OCTETS;
        return {
          afi: read16(value, at),
          safi: value[at + 2]!,
          forwardingPreserved: (value[at + 3]! & FORWARDING_PRESERVED) !== 0,
          staleTime: (value[at + 4]! << 16) | read16(value, at + 5),
        };
      }),
    };
  },
  encode(capability) {
    if (capability.kind !== 'long-lived-graceful-restart') return undefined;
    const entries = capability.families.flatMap(({ afi, safi, forwardingPreserved, staleTime }) => [
      afi >>> 8,
      afi,
      safi,
      forwardingPreserved ? FORWARDING_PRESERVED : 0,
      staleTime >>> 16,
      staleTime >>> 8,
      staleTime,
    ]);
    return Uint8Array.from(entries);
  },
};
