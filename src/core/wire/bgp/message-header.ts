/** The 19-octet message header (RFC 4271 section 4.1): sixteen octets of ones, the length of the whole message, the type. */
import { HEADER_OCTETS } from './message.js';
import { write16 } from './octets.js';

export const MARKER_OCTETS = 16;

/** Writes a header at the start of `message`, which `length` octets of a message will fill. */
export function writeHeader(message: Uint8Array, type: number, length: number): void {
  message.fill(0xff, 0, MARKER_OCTETS);
  write16(message, MARKER_OCTETS, length);
  message[MARKER_OCTETS + 2] = type;
}

/** A whole message with this body. */
export function encodeMessage(type: number, body: Uint8Array): Uint8Array {
  const message = new Uint8Array(HEADER_OCTETS + body.length);
  writeHeader(message, type, message.length);
  message.set(body, HEADER_OCTETS);
  return message;
}
