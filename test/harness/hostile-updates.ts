/** UPDATEs of a hostile neighbour (src/simulator/hostile-peer.ts), attribute by attribute, in hexadecimal text. */
import { MESSAGE_TYPE } from '../../src/core/wire/bgp/message.js';
import { encodeMessage } from '../../src/core/wire/bgp/message-header.js';
import { hex, octets32 } from '../../src/core/wire/bgp/octets.js';
import { HOSTILE_AS } from '../../src/simulator/hostile-peer.js';
import { bytes, type UpdateParts, updateBody } from './bgp-bytes.js';

export function update(parts: UpdateParts): Uint8Array {
  return encodeMessage(MESSAGE_TYPE.update, updateBody(parts));
}

/** An attribute in hexadecimal text; the extended length where it is needed. */
export function attribute(flags: number, type: number, value: string): string {
  const { length } = bytes(value);
  const header = length > 255 ? [flags | 0x10, type, length >> 8, length & 0xff] : [flags, type, length];
  return hex(Uint8Array.from(header)) + value;
}

export const ORIGIN = attribute(0x40, 1, '00');
export const AS_PATH = attribute(0x40, 2, `0201${hex(octets32(HOSTILE_AS))}`);

/** MP_REACH_NLRI for IPv6 unicast. */
export function reach(nextHop: string, nlri: string): string {
  return attribute(0x80, 14, `000201${hex(Uint8Array.of(bytes(nextHop).length))}${nextHop}00${nlri}`);
}
