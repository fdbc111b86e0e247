/** IPv4 (RFC 791) and IPv6 (RFC 8200) headers of captured packets, down to the transport payload. */
import type { Address } from '../../net/address.js';
import { ETHER_TYPE, type LinkFrame } from './link-frame.js';

export const PROTOCOL = { tcp: 6, udp: 17, icmpv6: 58 } as const;

export interface IpPacket {
  readonly source: Address;
  readonly destination: Address;
  /** Hop limit or time to live. */
  readonly hopLimit: number;
  /** Upper-layer protocol, after extension headers. */
  readonly protocol: number;
  readonly payload: Uint8Array;
  /** Octets of payload on the wire, which the capture may not hold in full. */
  readonly payloadLength: number;
  /** The packet is a piece of a larger one; its payload is not a whole transport header and data. */
  readonly fragment: boolean;
}

/** `undefined` when the frame holds no IP or a header that is not whole. */
export function decodeIpPacket(frame: LinkFrame): IpPacket | undefined {
  if (frame.etherType === ETHER_TYPE.ipv4) return ipv4(frame.payload);
  if (frame.etherType === ETHER_TYPE.ipv6) return ipv6(frame.payload);
  return undefined;
}

function ipv4(data: Uint8Array): IpPacket | undefined {
  if (data.length < 20 || data[0]! >> 4 !== 4) return undefined;
  const headerLength = (data[0]! & 15) * 4;
  const total = uint16(data, 2);
  // Segmentation offload writes a total length of 0: the packet is as long as what was captured.
  const end = total === 0 ? data.length : total;
  if (headerLength < 20 || end < headerLength || data.length < headerLength) return undefined;
  return {
    source: data.subarray(12, 16),
    destination: data.subarray(16, 20),
    hopLimit: data[8]!,
    protocol: data[9]!,
    payload: data.subarray(headerLength, end),
    payloadLength: end - headerLength,
    fragment: (uint16(data, 6) & 0x3fff) !== 0,
  };
}

function ipv6(data: Uint8Array): IpPacket | undefined {
  if (data.length < 40 || data[0]! >> 4 !== 6) return undefined;
  const claimed = uint16(data, 4);
  const end = claimed === 0 ? data.length : 40 + claimed;
  const upper = skipExtensionHeaders(data.subarray(0, end), data[6]!);
  return (
    upper && {
      source: data.subarray(8, 24),
      destination: data.subarray(24, 40),
      hopLimit: data[7]!,
      protocol: upper.protocol,
      payload: data.subarray(upper.offset, end),
      payloadLength: end - upper.offset,
      fragment: upper.fragment,
    }
  );
}

/** RFC 8200 section 4; the length unit is 8 octets, except in the Authentication Header (RFC 4302: 4 octets). */
function skipExtensionHeaders(
  data: Uint8Array,
  nextHeader: number,
): { protocol: number; offset: number; fragment: boolean } | undefined {
  let protocol = nextHeader;
  let offset = 40;
  let fragment = false;
  for (;;) {
    const isExtension = protocol === 0 || protocol === 43 || protocol === 44 || protocol === 51 || protocol === 60;
    if (!isExtension) return { protocol, offset, fragment };
    if (offset + 8 > data.length) return undefined;
    if (protocol === 44) {
      // Offset 0 without "more fragments" is a whole packet (RFC 6946).
      fragment = (uint16(data, offset + 2) & 0xfff9) !== 0;
      if (fragment) return { protocol: data[offset]!, offset: offset + 8, fragment };
    }
    const length = data[offset + 1]!;
    const octets = protocol === 44 ? 8 : protocol === 51 ? (length + 2) * 4 : (length + 1) * 8;
    protocol = data[offset]!;
    offset += octets;
  }
}

function uint16(data: Uint8Array, offset: number): number {
  return (data[offset]! << 8) | data[offset + 1]!;
}
