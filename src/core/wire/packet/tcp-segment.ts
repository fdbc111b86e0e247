/** A TCP segment (RFC 9293 section 3.1). */
import type { IpPacket } from './ip-packet.js';

export interface TcpSegment {
  readonly sourcePort: number;
  readonly destinationPort: number;
  /** 32-bit sequence number of the first octet (of the SYN when there is one). */
  readonly sequence: number;
  readonly acknowledgment: number;
  readonly syn: boolean;
  readonly ack: boolean;
  readonly fin: boolean;
  readonly rst: boolean;
  /** The segment carries a TCP MD5 signature (RFC 2385) or TCP-AO (RFC 5925). */
  readonly signed: 'md5' | 'ao' | undefined;
  /** What was captured of the payload. */
  readonly payload: Uint8Array;
  /** Octets of payload on the wire. */
  readonly payloadLength: number;
}

/** `undefined` when the header is not whole or the packet is a fragment. */
export function decodeTcpSegment(packet: IpPacket): TcpSegment | undefined {
  const data = packet.payload;
  if (packet.fragment || data.length < 20) return undefined;
  const headerLength = (data[12]! >> 4) * 4;
  if (headerLength < 20 || data.length < headerLength) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const flags = data[13]!;
  return {
    sourcePort: view.getUint16(0),
    destinationPort: view.getUint16(2),
    sequence: view.getUint32(4),
    acknowledgment: view.getUint32(8),
    fin: (flags & 1) !== 0,
    syn: (flags & 2) !== 0,
    rst: (flags & 4) !== 0,
    ack: (flags & 16) !== 0,
    signed: signature(data.subarray(20, headerLength)),
    payload: data.subarray(headerLength),
    payloadLength: packet.payloadLength - headerLength,
  };
}

function signature(options: Uint8Array): 'md5' | 'ao' | undefined {
  let at = 0;
  while (at < options.length) {
    const kind = options[at]!;
    if (kind === 0) return undefined;
    if (kind === 19) return 'md5';
    if (kind === 29) return 'ao';
    at += kind === 1 ? 1 : Math.max(2, options[at + 1] ?? 2);
  }
  return undefined;
}
