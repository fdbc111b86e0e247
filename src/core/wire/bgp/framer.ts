/** Finds whole messages in a byte stream and checks their headers (RFC 4271 section 6.1). */
import type { MessageError } from './message.js';

export class MessageFramer {
  /** Extended messages were agreed (RFC 8654). */
  setExtended(_on: boolean): void {
    throw new Error('to be written');
  }

  /**
   * Takes the next bytes of the stream and gives each whole message to `sink`. `body` excludes the header and is valid only
   * during the call. An error ends the stream: the framer takes no more.
   */
  push(_chunk: Uint8Array, _sink: (type: number, body: Uint8Array) => void): MessageError | undefined {
    throw new Error('to be written');
  }
}
