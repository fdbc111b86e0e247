/** Builds the value that says what is wrong with a message (RFC 4271 section 6). */
import type { MessageError } from './message.js';

export const ERROR_CODE = {
  header: 1,
  open: 2,
  update: 3,
  holdTimer: 4,
  machine: 5,
  cease: 6,
  routeRefresh: 7,
  sendHold: 8,
};

const NO_DATA = new Uint8Array(0);

export function messageError(code: number, subcode: number, reason: string, data: Uint8Array = NO_DATA): MessageError {
  return { kind: 'error', code, subcode, data, reason };
}
