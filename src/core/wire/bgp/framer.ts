/**
 * Finds whole messages in a byte stream and checks their headers (RFC 4271 sections 4.1 and 6.1). A message that lies
 * whole in one chunk is handed on in place; only one that is cut by a chunk's end is gathered in a buffer.
 */
import {
  HEADER_OCTETS,
  MAX_EXTENDED_MESSAGE_OCTETS,
  MAX_MESSAGE_OCTETS,
  MESSAGE_TYPE,
  type MessageError,
} from './message.js';
import { ERROR_CODE, messageError } from './message-error.js';
import { MARKER_OCTETS } from './message-header.js';
import { octets16, read16 } from './octets.js';

export type MessageSink = (type: number, body: Uint8Array) => void;

/**
 * Shortest message of each type. ROUTE-REFRESH has no bound of its own here: RFC 7313 section 5 gives a wrong length there
 * another code, which its decoder finds.
 */
const MINIMUM_OCTETS: ReadonlyMap<number, number> = new Map([
  [MESSAGE_TYPE.open, 29],
  [MESSAGE_TYPE.update, 23],
  [MESSAGE_TYPE.notification, 21],
  [MESSAGE_TYPE.keepalive, HEADER_OCTETS],
  [MESSAGE_TYPE.routeRefresh, HEADER_OCTETS],
]);

export class MessageFramer {
  /** Grows to what was cut: most connections never need room for the largest message. */
  private partial = new Uint8Array(HEADER_OCTETS);
  private held = 0;
  private maximum = MAX_MESSAGE_OCTETS;
  private error: MessageError | undefined;

  /** Extended messages were agreed (RFC 8654). May be called from within `sink`. */
  setExtended(on: boolean): void {
    this.maximum = on ? MAX_EXTENDED_MESSAGE_OCTETS : MAX_MESSAGE_OCTETS;
  }

  /**
   * Takes the next bytes of the stream and gives each whole message to `sink`. `body` excludes the header and is valid only
   * during the call. An error ends the stream: every later call returns it again.
   */
  push(chunk: Uint8Array, sink: MessageSink): MessageError | undefined {
    if (this.error) return this.error;
    let position = 0;
    if (this.held > 0) {
      position = this.completePartial(chunk, sink);
      if (position < 0) return this.error;
    }
    while (chunk.length - position >= HEADER_OCTETS) {
      this.error = this.check(chunk, position);
      if (this.error) return this.error;
      const end = position + read16(chunk, position + MARKER_OCTETS);
      if (end > chunk.length) break;
      sink(chunk[position + MARKER_OCTETS + 2]!, chunk.subarray(position + HEADER_OCTETS, end));
      position = end;
    }
    if (position < chunk.length) this.fill(chunk, position, this.held + chunk.length - position);
    return undefined;
  }

  /** Octets of `chunk` used up; -1 after an error. */
  private completePartial(chunk: Uint8Array, sink: MessageSink): number {
    const headerEnd = this.fill(chunk, 0, HEADER_OCTETS);
    if (this.held < HEADER_OCTETS) return headerEnd;
    this.error = this.check(this.partial, 0);
    if (this.error) return -1;
    const length = read16(this.partial, MARKER_OCTETS);
    const end = this.fill(chunk, headerEnd, length);
    if (this.held < length) return end;
    this.held = 0;
    sink(this.partial[MARKER_OCTETS + 2]!, this.partial.subarray(HEADER_OCTETS, length));
    return end;
  }

  /** Moves octets from `position` on until `wanted` are held or the chunk is used up; returns the new position. */
  private fill(chunk: Uint8Array, position: number, wanted: number): number {
    const end = Math.min(chunk.length, position + Math.max(0, wanted - this.held));
    this.makeRoom(this.held + end - position);
    this.partial.set(chunk.subarray(position, end), this.held);
    this.held += end - position;
    return end;
  }

  private makeRoom(octets: number): void {
    if (octets <= this.partial.length) return;
    const larger = new Uint8Array(Math.max(octets, 2 * this.partial.length));
    larger.set(this.partial.subarray(0, this.held));
    this.partial = larger;
  }

  private check(bytes: Uint8Array, start: number): MessageError | undefined {
    for (let i = start; i < start + MARKER_OCTETS; i++) {
      if (bytes[i] !== 0xff) return messageError(ERROR_CODE.header, 1, 'message header: marker is not all ones');
    }
    const length = read16(bytes, start + MARKER_OCTETS);
    const type = bytes[start + MARKER_OCTETS + 2]!;
    if (length < HEADER_OCTETS || length > this.maximum) return badLength(type, length);
    const minimum = MINIMUM_OCTETS.get(type);
    if (minimum === undefined) {
      return messageError(ERROR_CODE.header, 3, `message header: unknown message type ${type}`, Uint8Array.of(type));
    }
    const fits = length >= minimum && length <= this.maximumOf(type);
    return fits ? undefined : badLength(type, length);
  }

  /** RFC 8654 section 4: OPEN and KEEPALIVE are never extended; a KEEPALIVE is a bare header (RFC 4271 section 4.4). */
  private maximumOf(type: number): number {
    if (type === MESSAGE_TYPE.keepalive) return HEADER_OCTETS;
    return type === MESSAGE_TYPE.open ? MAX_MESSAGE_OCTETS : this.maximum;
  }
}

function badLength(type: number, length: number): MessageError {
  const reason = `message header: length ${length} is not possible for message type ${type}`;
  return messageError(ERROR_CODE.header, 2, reason, octets16(length));
}
