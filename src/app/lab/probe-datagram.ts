/**
 * A datagram of a traffic probe. What stands where RoCEv2 has its base header is the same in all of them: routers that look at the queue
 * pair (the eBPF plane does) take those of a flow for one.
 */
import { BTH_OCTETS } from '../../core/wire/rocev2/roce-packet.js';

const SEQUENCE = BTH_OCTETS;
const CLOCK = SEQUENCE + 4;
const OCTETS = 32;

/** `sentAt`: the sender's clock, in milliseconds. */
export function encodeProbe(sequence: number, sentAt: number): Buffer {
  const bytes = Buffer.alloc(OCTETS);
  bytes.writeUInt32BE(sequence, SEQUENCE);
  bytes.writeDoubleBE(sentAt, CLOCK);
  return bytes;
}

export function decodeProbe(datagram: Buffer): { readonly sequence: number; readonly sentAt: number } {
  return { sequence: datagram.readUInt32BE(SEQUENCE), sentAt: datagram.readDoubleBE(CLOCK) };
}
