/**
 * OPEN (RFC 4271 section 4.2) with capabilities (RFC 5492) and extended optional parameters (RFC 9072). Only what is wrong
 * in itself is an error here; what does not suit the configuration is the session's to judge.
 */
import { AS_TRANS, type AsNumber } from '../../net/as-number.js';
import type { MessageError, OpenMessage } from './message.js';

export function decodeOpen(_body: Uint8Array): OpenMessage | MessageError {
  throw new Error('to be written');
}

/** The whole message. */
export function encodeOpen(_open: Omit<OpenMessage, 'kind'>): Uint8Array {
  throw new Error('to be written');
}

/** RFC 6793 section 4.2.2: what the 2-octet field of an OPEN says. */
export function openAsField(asn: AsNumber): number {
  return asn > 0xffff ? AS_TRANS : asn;
}
