/**
 * The encoding shared by all rtnetlink messages: a fixed header of the family (struct rtmsg, nhmsg, ifaddrmsg ...), then
 * attributes of (length 2, type 2, value, padding to 4), all in the byte order of the host; addresses in network order.
 */
import { endianness } from 'node:os';

export const LITTLE_ENDIAN = endianness() === 'LE';

const ATTRIBUTE_HEADER = 4;
/** The two top bits of a type are flags (nested, network byte order). */
const TYPE_MASK = 0x3fff;
const NESTED = 0x8000;

export function align4(length: number): number {
  return (length + 3) & ~3;
}

/** Builds the payload of one message: starts with the family's header, then attributes are appended. */
export class PayloadWriter {
  private bytes: Uint8Array;
  private view: DataView;
  private length: number;

  constructor(header: Uint8Array) {
    this.bytes = new Uint8Array(Math.max(256, header.length * 2));
    this.view = new DataView(this.bytes.buffer);
    this.bytes.set(header);
    this.length = align4(header.length);
  }

  u8(type: number, value: number): this {
    const at = this.open(type, 1);
    this.view.setUint8(at, value);
    return this;
  }

  u16(type: number, value: number): this {
    const at = this.open(type, 2);
    this.view.setUint16(at, value, LITTLE_ENDIAN);
    return this;
  }

  u32(type: number, value: number): this {
    const at = this.open(type, 4);
    this.view.setUint32(at, value, LITTLE_ENDIAN);
    return this;
  }

  data(type: number, value: Uint8Array): this {
    const at = this.open(type, value.length);
    this.bytes.set(value, at);
    return this;
  }

  /** An attribute whose value is the attributes that `fill` appends. */
  nested(type: number, fill: (writer: this) => void): this {
    const start = this.open(type | NESTED, 0) - ATTRIBUTE_HEADER;
    fill(this);
    this.view.setUint16(start, this.length - start, LITTLE_ENDIAN);
    return this;
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** Writes an attribute header and makes room for `length` octets, which may replace `view`; the result is where the value goes. */
  private open(type: number, length: number): number {
    const start = this.length;
    this.length = start + ATTRIBUTE_HEADER + align4(length);
    if (this.length > this.bytes.length) this.grow();
    this.view.setUint16(start, ATTRIBUTE_HEADER + length, LITTLE_ENDIAN);
    this.view.setUint16(start + 2, type, LITTLE_ENDIAN);
    return start + ATTRIBUTE_HEADER;
  }

  private grow(): void {
    const grown = new Uint8Array(this.length * 2);
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}

/** The attributes from `offset` to the end, by type; a later one of the same type wins. Stops at a broken length. */
export function parseAttributes(bytes: Uint8Array, offset = 0): Map<number, Uint8Array> {
  const attributes = new Map<number, Uint8Array>();
  for (const { type, value } of parseRepeated(bytes, offset)) attributes.set(type, value);
  return attributes;
}

/** The same in their order, for types that come more than once. */
export function* parseRepeated(bytes: Uint8Array, offset = 0): Generator<{ type: number; value: Uint8Array }> {
  const view = viewOf(bytes);
  let at = offset;
  while (at + ATTRIBUTE_HEADER <= bytes.length) {
    const length = view.getUint16(at, LITTLE_ENDIAN);
    if (length < ATTRIBUTE_HEADER || at + length > bytes.length) break;
    const type = view.getUint16(at + 2, LITTLE_ENDIAN) & TYPE_MASK;
    yield { type, value: bytes.subarray(at + ATTRIBUTE_HEADER, at + length) };
    at += align4(length);
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The value of a 32-bit attribute; `undefined` when it is absent or too short. */
export function u32Of(value: Uint8Array | undefined): number | undefined {
  return value && value.length >= 4 ? viewOf(value).getUint32(0, LITTLE_ENDIAN) : undefined;
}

/** The value of a NUL-terminated string attribute. */
export function textOf(value: Uint8Array | undefined): string | undefined {
  if (!value) return undefined;
  const end = value.indexOf(0);
  return new TextDecoder().decode(end < 0 ? value : value.subarray(0, end));
}
