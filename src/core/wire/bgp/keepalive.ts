/** KEEPALIVE (RFC 4271 section 4.4): a header and nothing else. */
import { MESSAGE_TYPE } from './message.js';
import { encodeMessage } from './message-header.js';

export function encodeKeepalive(): Uint8Array {
  return encodeMessage(MESSAGE_TYPE.keepalive, new Uint8Array(0));
}
