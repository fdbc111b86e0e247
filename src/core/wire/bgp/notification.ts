/** NOTIFICATION (RFC 4271 section 4.5), its names, and the texts of Cease (RFC 4486, 8538, 9003, 9384). */
import type { MessageError, NotificationMessage } from './message.js';

/** The whole message. A decoder's MessageError is one too. */
export function encodeNotification(_notification: {
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;
}): Uint8Array {
  throw new Error('to be written');
}

export function decodeNotification(_body: Uint8Array): NotificationMessage | MessageError {
  throw new Error('to be written');
}

/** One line for people, safe to print on a terminal: `Cease/Administrative Shutdown (6/2): "text"`. */
export function describeNotification(_notification: {
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;
}): string {
  throw new Error('to be written');
}

/** RFC 9003: the data of Cease 6/2 and 6/4 for a text, cut to 255 octets between characters. */
export function shutdownData(_text: string): Uint8Array {
  throw new Error('to be written');
}
