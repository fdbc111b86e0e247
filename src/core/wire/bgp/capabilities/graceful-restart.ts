/** Graceful restart (RFC 4724 section 3) with the notification bit (RFC 8538). Without families its sender only helps others. */
import { read16 } from '../octets.js';
import type { CapabilityCodec } from './capability-codec.js';

const RESTARTED = 0x8000;
const NOTIFICATION = 0x4000;
const TIME = 0x0fff;
const FORWARDING_PRESERVED = 0x80;
const ENTRY_OCTETS = 4;

export const gracefulRestart: CapabilityCodec = {
  code: 64,
  decode(value) {
    if (value.length < 2 || (value.length - 2) % ENTRY_OCTETS !== 0) return undefined;
    const first = read16(value, 0);
    return {
      kind: 'graceful-restart',
      restarted: (first & RESTARTED) !== 0,
      notification: (first & NOTIFICATION) !== 0,
      restartTime: first & TIME,
      families: Array.from({ length: (value.length - 2) / ENTRY_OCTETS }, (_, index) => {
        const at = 2 + index * ENTRY_OCTETS;
        const forwardingPreserved = (value[at + 3]! & FORWARDING_PRESERVED) !== 0;
        return { afi: read16(value, at), safi: value[at + 2]!, forwardingPreserved };
      }),
    };
  },
  encode(capability) {
    if (capability.kind !== 'graceful-restart') return undefined;
    const first =
      (capability.restarted ? RESTARTED : 0) |
      (capability.notification ? NOTIFICATION : 0) |
      Math.min(capability.restartTime, TIME);
    const entries = capability.families.flatMap(({ afi, safi, forwardingPreserved }) => [
      afi >>> 8,
      afi,
      safi,
      forwardingPreserved ? FORWARDING_PRESERVED : 0,
    ]);
    return Uint8Array.of(first >>> 8, first, ...entries);
  },
};
