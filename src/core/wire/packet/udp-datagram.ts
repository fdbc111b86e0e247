/** A UDP datagram (RFC 768). */
import type { IpPacket } from './ip-packet.js';

export interface UdpDatagram {
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly payload: Uint8Array;
}

/** `undefined` when the header is not whole or the packet is a fragment. */
export function decodeUdpDatagram(packet: IpPacket): UdpDatagram | undefined {
  const data = packet.payload;
  if (packet.fragment || data.length < 8) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    sourcePort: view.getUint16(0),
    destinationPort: view.getUint16(2),
    payload: data.subarray(8, Math.max(8, view.getUint16(4))),
  };
}
