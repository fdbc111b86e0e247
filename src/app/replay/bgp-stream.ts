/**
 * BGP messages in one direction of a captured connection. Unlike a session's framer it never gives up: after a hole, a broken
 * header, or when the capture began in the middle of a message, it goes on at the next marker (RFC 4271 section 4.1) and says
 * how many octets it left out.
 */
import { HEADER_OCTETS, MAX_EXTENDED_MESSAGE_OCTETS } from '../../core/wire/bgp/message.js';
import { MARKER_OCTETS } from '../../core/wire/bgp/message-header.js';
import { concat, read16 } from '../../core/wire/bgp/octets.js';

export type BgpStreamOutput =
  | { readonly kind: 'message'; readonly bytes: Uint8Array }
  /** Octets that belong to no whole message. */
  | { readonly kind: 'skipped'; readonly octets: number };

const NO_OCTETS = new Uint8Array(0);

export class BgpStream {
  private rest: Uint8Array = NO_OCTETS;
  private skipped = 0;

  push(bytes: Uint8Array): BgpStreamOutput[] {
    const outputs: BgpStreamOutput[] = [];
    let data = this.rest.length === 0 ? bytes : concat([this.rest, bytes]);
    for (;;) {
      const start = markerStart(data);
      this.skipped += start;
      data = data.subarray(start);
      if (data.length < HEADER_OCTETS) break;
      const length = read16(data, MARKER_OCTETS);
      if (!isMessageHeader(data, length)) {
        this.skipped += 1;
        data = data.subarray(1);
        continue;
      }
      if (data.length < length) break;
      this.reportSkipped(outputs);
      outputs.push({ kind: 'message', bytes: data.slice(0, length) });
      data = data.subarray(length);
    }
    this.rest = data.slice();
    return outputs;
  }

  /** Octets are missing here: what is left of the message before them is worth nothing. */
  interrupt(): BgpStreamOutput[] {
    const outputs: BgpStreamOutput[] = [];
    this.skipped += this.rest.length;
    this.rest = NO_OCTETS;
    this.reportSkipped(outputs);
    return outputs;
  }

  private reportSkipped(outputs: BgpStreamOutput[]): void {
    if (this.skipped > 0) outputs.push({ kind: 'skipped', octets: this.skipped });
    this.skipped = 0;
  }
}

/** Where the first marker begins, or the beginning of one that the next octets may complete. */
function markerStart(data: Uint8Array): number {
  let ones = 0;
  for (let at = 0; at < data.length; at++) {
    ones = data[at] === 0xff ? ones + 1 : 0;
    if (ones === MARKER_OCTETS) return at + 1 - MARKER_OCTETS;
  }
  return data.length - ones;
}

/** A marker may be found one octet early, when the octet before it is 0xff: length and type then make no sense. */
function isMessageHeader(data: Uint8Array, length: number): boolean {
  const type = data[MARKER_OCTETS + 2]!;
  return length >= HEADER_OCTETS && length < MAX_EXTENDED_MESSAGE_OCTETS && type >= 1 && type <= 5;
}
