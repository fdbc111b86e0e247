/** An IP prefix: masked address bytes and a length in bits. */
import { type Address, equalBytes, formatAddress, parseAddress } from './address.js';

export interface Prefix {
  /** 4 or 16 octets with all bits beyond `length` zero. */
  readonly address: Address;
  /** Bits, 0 to 32 or 0 to 128. */
  readonly length: number;
}

/** Parses `ADDRESS/LENGTH`; host bits are masked off. `undefined` when it is not a prefix. */
export function parsePrefix(text: string): Prefix | undefined {
  const match = /^([^/%]+)\/(\d{1,3})$/.exec(text);
  const address = match && parseAddress(match[1]!);
  if (!address) return undefined;
  const length = Number(match[2]);
  return length > address.length * 8 ? undefined : { address: masked(address, length), length };
}

export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(prefix.address)}/${prefix.length}`;
}

/** A copy of `address` with the bits beyond `length` cleared. */
export function masked(address: Address, length: number): Address {
  const result = new Uint8Array(address.length);
  const whole = length >> 3;
  result.set(address.subarray(0, whole));
  if (whole < address.length) result[whole] = address[whole]! & (0xff00 >> (length & 7));
  return result;
}

export function contains(prefix: Prefix, address: Address): boolean {
  return prefix.address.length === address.length && equalBytes(masked(address, prefix.length), prefix.address);
}

export function equalPrefixes(a: Prefix, b: Prefix): boolean {
  return a.length === b.length && equalBytes(a.address, b.address);
}
