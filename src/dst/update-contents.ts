/**
 * What an UPDATE says, read a second time: withdrawn and announced prefixes as text, and the path attributes as they are. It shares nothing
 * with the decoders of core, and knows what the simulated sessions agree on: 4-octet AS numbers, no path identifiers.
 */
import { octetsKey } from '../core/fib/forwarding-objects.js';

export interface UpdateContents {
  /** NLRI as hexadecimal, the length first; IPv6 and IPv4 are told apart by `6/` and `4/`. */
  readonly announced: readonly string[];
  readonly withdrawn: readonly string[];
  /** By type, without the NLRI of those that carry some. */
  readonly attributes: ReadonlyMap<number, Uint8Array>;
}

const MP_REACH = 14;
const MP_UNREACH = 15;
const EXTENDED_LENGTH = 0x10;

/** `body` is that of the message, behind its header. */
export function updateContents(body: Uint8Array): UpdateContents {
  const withdrawnEnd = 2 + word(body, 0);
  const attributesEnd = withdrawnEnd + 2 + word(body, withdrawnEnd);
  const withdrawn = nlri(body.subarray(2, withdrawnEnd), '4/');
  const announced = nlri(body.subarray(attributesEnd), '4/');
  const attributes = new Map<number, Uint8Array>();
  for (let at = withdrawnEnd + 2; at < attributesEnd; ) {
    const long = (body[at]! & EXTENDED_LENGTH) !== 0;
    const type = body[at + 1]!;
    const length = long ? word(body, at + 2) : body[at + 2]!;
    const start = at + (long ? 4 : 3);
    const value = body.subarray(start, start + length);
    at = start + length;
    if (type === MP_UNREACH) withdrawn.push(...nlri(value.subarray(3), familyOf(value)));
    else if (type === MP_REACH) {
      const end = 4 + value[3]!;
      attributes.set(type, value.subarray(0, end));
      announced.push(...nlri(value.subarray(end + 1), familyOf(value)));
    } else attributes.set(type, value);
  }
  return { announced, withdrawn, attributes };
}

const texts = new Map<string, string>();

/** As NLRI has it. Kept, as a run asks ten thousand times for the same few hundred. */
export function nlriText(address: Uint8Array, length: number): string {
  const key = octetsKey(address) + String.fromCharCode(length);
  const known = texts.get(key) ?? textOf(address, length);
  texts.set(key, known);
  return known;
}

function textOf(address: Uint8Array, length: number): string {
  return `${address.length === 16 ? '6/' : '4/'}${hex(Uint8Array.of(length, ...address.subarray(0, (length + 7) >> 3)))}`;
}

function nlri(octets: Uint8Array, family: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < octets.length; ) {
    const end = at + 1 + ((octets[at]! + 7) >> 3);
    found.push(family + hex(octets.subarray(at, end)));
    at = end;
  }
  return found;
}

function familyOf(value: Uint8Array): string {
  return word(value, 0) === 2 ? '6/' : '4/';
}

function word(octets: Uint8Array, at: number): number {
  return (octets[at]! << 8) | octets[at + 1]!;
}

export function hex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('hex');
}
