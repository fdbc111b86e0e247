/** ADD-PATH (RFC 7911 section 4). An entry with a mode that is none is ignored, the others count. */
import { read16 } from '../octets.js';
import type { CapabilityCodec } from './capability-codec.js';

const ENTRY_OCTETS = 4;
const LAST_MODE = 3;

export const addPath: CapabilityCodec = {
  code: 69,
  decode(value) {
    if (value.length % ENTRY_OCTETS !== 0) return undefined;
    const families = Array.from({ length: value.length / ENTRY_OCTETS }, (_, index) => {
      const at = index * ENTRY_OCTETS;
      return { afi: read16(value, at), safi: value[at + 2]!, mode: value[at + 3]! };
    });
    return { kind: 'add-path', families: families.filter(({ mode }) => mode >= 1 && mode <= LAST_MODE) };
  },
  encode: (capability) =>
    capability.kind === 'add-path'
      ? Uint8Array.from(capability.families.flatMap(({ afi, safi, mode }) => [afi >>> 8, afi, safi, mode]))
      : undefined,
};
