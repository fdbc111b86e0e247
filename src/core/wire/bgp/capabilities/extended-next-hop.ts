/** Extended next hop encoding (RFC 8950 section 4): AFI, SAFI in two octets here, and the next hop's AFI. */
import { concat, octets16, read16 } from '../octets.js';
import type { CapabilityCodec } from './capability-codec.js';

const ENTRY_OCTETS = 6;

export const extendedNextHop: CapabilityCodec = {
  code: 5,
  decode(value) {
    if (value.length % ENTRY_OCTETS !== 0) return undefined;
    const entries = Array.from({ length: value.length / ENTRY_OCTETS }, (_, index) => {
      const at = index * ENTRY_OCTETS;
      return { afi: read16(value, at), safi: read16(value, at + 2), nextHopAfi: read16(value, at + 4) };
    });
    return { kind: 'extended-next-hop', entries };
  },
  encode: (capability) =>
    capability.kind === 'extended-next-hop'
      ? concat(capability.entries.flatMap(({ afi, safi, nextHopAfi }) => [afi, safi, nextHopAfi].map(octets16)))
      : undefined,
};
