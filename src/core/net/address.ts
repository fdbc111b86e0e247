/**
 * IP addresses as bytes in network order: 4 octets are IPv4, 16 are IPv6. Text only at the edges,
 * through the ip-address library; canonical output is RFC 5952.
 */
import { Address4, Address6 } from 'ip-address';

export type Address = Uint8Array;

/** Parses an IPv4 or IPv6 address without zone or prefix length; `undefined` when it is neither. */
export function parseAddress(text: string): Address | undefined {
  try {
    if (text.includes('/') || text.includes('%')) return undefined;
    if (text.includes(':')) return Uint8Array.from(paddedTo16(new Address6(text).toUnsignedByteArray()));
    return Uint8Array.from(new Address4(text).toArray());
  } catch {
    return undefined;
  }
}

function paddedTo16(bytes: number[]): number[] {
  return bytes.length >= 16 ? bytes.slice(-16) : [...new Array<number>(16 - bytes.length).fill(0), ...bytes];
}

/** RFC 5952 text (IPv6) or dotted quad (IPv4). */
export function formatAddress(address: Address): string {
  if (address.length === 4) return address.join('.');
  return Address6.fromUnsignedByteArray([...address]).correctForm();
}

export function isLinkLocal(address: Address): boolean {
  return address.length === 16 && address[0] === 0xfe && (address[1]! & 0xc0) === 0x80;
}

export function isUnspecified(address: Address): boolean {
  return address.every((octet) => octet === 0);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic order of network-order bytes, which is the numeric order of addresses. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
