/** Entries of the kernel's neighbour table as rtnetlink messages (struct ndmsg, linux/neighbour.h). */
import type { Address } from '../../core/net/address.js';
import { LITTLE_ENDIAN, parseAttributes, viewOf } from './rtnetlink/attributes.js';

/** Family 1, padding 3, interface 4, state 2, flags 1, type 1. */
export const NEIGHBOUR_HEADER = 12;
export const NDA_DST = 1;
const NDA_LLADDR = 2;
/** NUD_REACHABLE, _STALE, _DELAY, _PROBE, _NOARP and _PERMANENT: the link-layer address is known. */
const NUD_VALID = 0x02 | 0x04 | 0x08 | 0x10 | 0x40 | 0x80;

export interface NeighbourEntry {
  readonly interfaceIndex: number;
  readonly address: Address;
  readonly known: boolean;
  /** Absent where the link has none. */
  readonly linkAddress?: Uint8Array;
}

/** Copies: the octets are the receive buffer's. `undefined` for an entry without an address. */
export function parseNeighbour(payload: Uint8Array): NeighbourEntry | undefined {
  if (payload.length < NEIGHBOUR_HEADER) return undefined;
  const view = viewOf(payload);
  const attributes = parseAttributes(payload, NEIGHBOUR_HEADER);
  const address = attributes.get(NDA_DST);
  const linkAddress = attributes.get(NDA_LLADDR);
  return (
    address && {
      interfaceIndex: view.getInt32(4, LITTLE_ENDIAN),
      address: Uint8Array.from(address),
      known: (view.getUint16(8, LITTLE_ENDIAN) & NUD_VALID) !== 0,
      ...(linkAddress && { linkAddress: Uint8Array.from(linkAddress) }),
    }
  );
}
