/**
 * Path attributes and routes to UPDATE messages (RFC 4271 section 4.3). Attributes are encoded once for all peers that are
 * told the same; the builder then packs prefixes around them without an object per route.
 */
import { AFI, type Family, SAFI_UNICAST } from '../../net/family.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE, encodeAttribute } from './attribute-header.js';
import type { EncodeOptions } from './attributes/attribute-codec.js';
import { ATTRIBUTE_CODECS } from './attributes/attribute-table.js';
import { encodeUnknown } from './attributes/unknown.js';
import { HEADER_OCTETS, MESSAGE_TYPE } from './message.js';
import { encodeMessage, writeHeader } from './message-header.js';
import { concat, octets16, read16, write16, write32 } from './octets.js';
import type { PathAttributes } from './path-attributes.js';

/**
 * All attributes but NEXT_HOP and MP_REACH_NLRI, which the builder adds, in ascending order of type (RFC 4271 section 5).
 * LOCAL_PREF and AIGP go in when they are there: leaving them out towards a peer is the caller's decision.
 */
export function encodeAttributes(attributes: PathAttributes, options: EncodeOptions): Uint8Array {
  const encoded = (attributes.unknown ?? []).map(encodeUnknown);
  for (const codec of ATTRIBUTE_CODECS) {
    const value = codec.encode?.(attributes, options);
    if (value) encoded.push(encodeAttribute(codec.flags, codec.type, value));
  }
  return concat(encoded.sort((a, b) => a[1]! - b[1]!));
}

export interface UpdateBuilderOptions {
  readonly family: Family;
  /** Path identifiers precede the prefixes (RFC 7911). */
  readonly addPath: boolean;
  /** Largest message in octets: 4096, or 65535 with extended messages (RFC 8654). */
  readonly maximum: number;
  /** Room for that, which others may use while nothing is being built; absent: room of its own. */
  readonly buffer?: Uint8Array;
}

/** Takes a whole message of its own; `nextHopOffset` is where its next hop's octets start, 0 in a withdrawal. */
export type MessageEmitter = (message: Uint8Array, nextHopOffset: number) => void;

const FIRST_LENGTH_AT = HEADER_OCTETS;
const ATTRIBUTES_LENGTH_AT = FIRST_LENGTH_AT + 2;
const ATTRIBUTES_AT = ATTRIBUTES_LENGTH_AT + 2;
/** MP_REACH_NLRI and MP_UNREACH_NLRI come first (RFC 7606 section 5.1), always with an extended length. */
const MP_LENGTH_AT = ATTRIBUTES_AT + 2;
const MP_VALUE_AT = MP_LENGTH_AT + 2;
/** Where the next hop's octets start in every message with MP_REACH_NLRI. */
export const MP_NEXT_HOP_OFFSET = MP_VALUE_AT + 4;

const MP_FLAGS = ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.extendedLength;
const NOTHING = new Uint8Array(0);
const NO_ATTRIBUTES = Uint8Array.of(0, 0);

/**
 * Packs routes into as few messages as fit. `announce` or `withdraw` says what the `add`s that follow are about, `flush`
 * sends the last message. IPv4 goes in the classic fields unless its next hop is IPv6 (RFC 8950).
 *
 * A speaker that serves several peers copies a message and writes another next hop of the same length at `nextHopOffset`.
 */
export class UpdateBuilder {
  private readonly buffer: Uint8Array;
  private readonly largestPrefix: number;
  /** Prefixes stand in [start, end). */
  private start = 0;
  private end = 0;
  private limit = 0;
  /** What follows the prefixes. */
  private trailer: Uint8Array = NOTHING;
  private nextHopOffset = 0;
  private multiprotocol = false;

  constructor(
    private readonly options: UpdateBuilderOptions,
    private readonly emit: MessageEmitter,
  ) {
    this.buffer = options.buffer ?? new Uint8Array(options.maximum);
    this.largestPrefix = (options.family === 'ipv4-unicast' ? 5 : 17) + (options.addPath ? 4 : 0);
  }

  /**
   * `attributes` from `encodeAttributes`, `nextHop` from `encodeNextHop`. False, and nothing may be added, when the attributes
   * leave no room for a route: such routes must be withdrawn (RFC 8654 section 5).
   */
  announce(attributes: Uint8Array, nextHop: Uint8Array): boolean {
    this.flush();
    const classic = this.options.family === 'ipv4-unicast' && nextHop.length === 4;
    const fixedOctets = MP_NEXT_HOP_OFFSET + nextHop.length + 1;
    if (fixedOctets + attributes.length + this.largestPrefix > this.options.maximum) return false;
    if (classic) this.startClassicAnnouncement(attributes, nextHop);
    else this.startReach(attributes, nextHop);
    return true;
  }

  withdraw(): void {
    this.flush();
    this.nextHopOffset = 0;
    if (this.options.family === 'ipv4-unicast') {
      this.multiprotocol = false;
      this.open(ATTRIBUTES_LENGTH_AT, NO_ATTRIBUTES);
      return;
    }
    this.writeMultiprotocolStart(ATTRIBUTE_TYPE.mpUnreach);
    this.open(MP_VALUE_AT + 3, NOTHING);
  }

  /** Adds the prefix of `bits` bits whose address octets stand at `offset` in `addresses`, host bits zero. */
  add(addresses: Uint8Array, offset: number, bits: number, pathId = 0): void {
    const octets = (bits + 7) >> 3;
    const { buffer } = this;
    if (this.end + (this.options.addPath ? 5 : 1) + octets > this.limit) this.flush();
    let at = this.end;
    if (this.options.addPath) {
      write32(buffer, at, pathId);
      at += 4;
    }
    buffer[at++] = bits;
    for (let i = 0; i < octets; i++) buffer[at++] = addresses[offset + i]!;
    this.end = at;
  }

  /** Emits what is pending; more may be added under the same attributes. */
  flush(): void {
    if (this.end === this.start) return;
    const message = new Uint8Array(this.end + this.trailer.length);
    message.set(this.buffer.subarray(0, this.end));
    message.set(this.trailer, this.end);
    writeHeader(message, MESSAGE_TYPE.update, message.length);
    if (this.multiprotocol) {
      write16(message, ATTRIBUTES_LENGTH_AT, message.length - ATTRIBUTES_AT);
      write16(message, MP_LENGTH_AT, this.end - MP_VALUE_AT);
    } else if (this.nextHopOffset === 0) {
      write16(message, FIRST_LENGTH_AT, this.end - this.start);
    }
    this.end = this.start;
    this.emit(message, this.nextHopOffset);
  }

  private startClassicAnnouncement(attributes: Uint8Array, nextHop: Uint8Array): void {
    const attribute = encodeAttribute(ATTRIBUTE_FLAG.transitive, ATTRIBUTE_TYPE.nextHop, nextHop);
    const split = offsetAfterType(attributes, ATTRIBUTE_TYPE.asPath);
    this.multiprotocol = false;
    write16(this.buffer, FIRST_LENGTH_AT, 0);
    write16(this.buffer, ATTRIBUTES_LENGTH_AT, attributes.length + attribute.length);
    this.buffer.set(attributes.subarray(0, split), ATTRIBUTES_AT);
    this.buffer.set(attribute, ATTRIBUTES_AT + split);
    this.buffer.set(attributes.subarray(split), ATTRIBUTES_AT + split + attribute.length);
    this.nextHopOffset = ATTRIBUTES_AT + split + attribute.length - nextHop.length;
    this.open(ATTRIBUTES_AT + attributes.length + attribute.length, NOTHING);
  }

  private startReach(attributes: Uint8Array, nextHop: Uint8Array): void {
    this.writeMultiprotocolStart(ATTRIBUTE_TYPE.mpReach);
    this.buffer[MP_NEXT_HOP_OFFSET - 1] = nextHop.length;
    this.buffer.set(nextHop, MP_NEXT_HOP_OFFSET);
    this.buffer[MP_NEXT_HOP_OFFSET + nextHop.length] = 0;
    this.nextHopOffset = MP_NEXT_HOP_OFFSET;
    this.open(MP_NEXT_HOP_OFFSET + nextHop.length + 1, attributes);
  }

  private writeMultiprotocolStart(type: number): void {
    this.multiprotocol = true;
    write16(this.buffer, FIRST_LENGTH_AT, 0);
    this.buffer[ATTRIBUTES_AT] = MP_FLAGS;
    this.buffer[ATTRIBUTES_AT + 1] = type;
    write16(this.buffer, MP_VALUE_AT, AFI[this.options.family]);
    this.buffer[MP_VALUE_AT + 2] = SAFI_UNICAST;
  }

  private open(start: number, trailer: Uint8Array): void {
    this.start = start;
    this.end = start;
    this.trailer = trailer;
    this.limit = this.options.maximum - trailer.length;
  }
}

/** Where the attributes of types up to `type` end in an ascending list. */
export function offsetAfterType(attributes: Uint8Array, type: number): number {
  let at = 0;
  while (at < attributes.length && attributes[at + 1]! <= type) {
    const extended = (attributes[at]! & ATTRIBUTE_FLAG.extendedLength) !== 0;
    at += extended ? 4 + read16(attributes, at + 2) : 3 + attributes[at + 2]!;
  }
  return at;
}

/** RFC 4724 section 2: an UPDATE with nothing in it for IPv4, an empty MP_UNREACH_NLRI for other families. */
export function encodeEndOfRib(family: Family): Uint8Array {
  if (family === 'ipv4-unicast') return encodeMessage(MESSAGE_TYPE.update, new Uint8Array(4));
  const value = concat([octets16(AFI[family]), Uint8Array.of(SAFI_UNICAST)]);
  const attribute = encodeAttribute(ATTRIBUTE_FLAG.optional, ATTRIBUTE_TYPE.mpUnreach, value);
  return encodeMessage(MESSAGE_TYPE.update, concat([octets16(0), octets16(attribute.length), attribute]));
}
