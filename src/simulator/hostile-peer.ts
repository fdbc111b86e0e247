/**
 * A BGP neighbour without manners: it sends whatever octets it is told to, in pieces of any size, and notes what comes back. It speaks
 * over the Transport port, so the same attack runs against a simulated router and against a real one.
 */
import type { Stream } from '../core/ports/transport.js';
import { encodeKeepalive } from '../core/wire/bgp/keepalive.js';
import { HEADER_OCTETS, MESSAGE_TYPE } from '../core/wire/bgp/message.js';
import { encodeMessage } from '../core/wire/bgp/message-header.js';
import { concat, octets16, octets32 } from '../core/wire/bgp/octets.js';

export const HOSTILE_AS = 64999;
const HOSTILE_IDENTIFIER = 0x0a09_0909;
/** Multiprotocol for both families, route refresh, extended next hop for IPv4, extended message, 4-octet AS, link-local next hop. */
const CAPABILITIES = concat([
  Uint8Array.of(1, 4, 0, 1, 0, 1, 1, 4, 0, 2, 0, 1, 2, 0, 5, 6, 0, 1, 0, 1, 0, 2, 6, 0, 65, 4),
  octets32(HOSTILE_AS),
  Uint8Array.of(77, 0),
]);

export interface OpenParts {
  readonly version?: number;
  readonly asn?: number;
  readonly hold?: number;
  readonly identifier?: number;
  /** The octets behind the identifier: length of the optional parameters and these. */
  readonly parameters?: Uint8Array;
}

export interface HeardMessage {
  readonly type: number;
  readonly body: Uint8Array;
}

export class HostilePeer {
  readonly heard: HeardMessage[] = [];
  closed = false;
  private held: Uint8Array = new Uint8Array(0);

  constructor(private readonly stream: Stream) {
    stream.start({
      data: (octets) => this.take(octets),
      drain: () => {},
      closed: () => {
        this.closed = true;
      },
    });
  }

  send(...messages: readonly Uint8Array[]): void {
    this.stream.write(concat(messages));
  }

  /** One piece of `size` octets a write. */
  dribble(octets: Uint8Array, size = 1): void {
    for (let at = 0; at < octets.length; at += size) this.stream.write(octets.subarray(at, at + size));
  }

  /** Says that nothing more will come. */
  end(): void {
    this.stream.end();
  }

  hangUp(): void {
    this.stream.destroy();
  }

  /** `code/subcode` of the NOTIFICATION that came, if one did. */
  get notification(): string | undefined {
    const found = this.heard.find(({ type }) => type === MESSAGE_TYPE.notification);
    return found && `${found.body[0]}/${found.body[1]}`;
  }

  count(type: number): number {
    return this.heard.filter((message) => message.type === type).length;
  }

  private take(octets: Uint8Array): void {
    this.held = concat([this.held, octets]);
    for (;;) {
      const length = this.held.length < HEADER_OCTETS ? HEADER_OCTETS : (this.held[16]! << 8) | this.held[17]!;
      if (this.held.length < length) return;
      this.heard.push({ type: this.held[18]!, body: this.held.slice(HEADER_OCTETS, length) });
      this.held = this.held.slice(length);
    }
  }
}

/** A message whose header may lie about its length and type, and whose marker may be no marker. */
export function rawMessage(
  type: number,
  body: Uint8Array,
  lies: { length?: number; marker?: number } = {},
): Uint8Array {
  const message = encodeMessage(type, body);
  if (lies.length !== undefined) message.set(octets16(lies.length), 16);
  if (lies.marker !== undefined) message[0] = lies.marker;
  return message;
}

export function open(parts: OpenParts = {}): Uint8Array {
  const { version = 4, asn = HOSTILE_AS, hold = 90, identifier = HOSTILE_IDENTIFIER } = parts;
  const parameters = parts.parameters ?? capabilities(CAPABILITIES);
  const fixed = [Uint8Array.of(version), octets16(asn), octets16(hold), octets32(identifier)];
  return encodeMessage(MESSAGE_TYPE.open, concat([...fixed, parameters]));
}

/** One optional parameter with these capabilities, and the length before it. */
export function capabilities(value: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(value.length + 2, 2, value.length), value]);
}

export const keepalive = encodeKeepalive();
