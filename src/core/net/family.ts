/** Address families heddle carries, with their AFI/SAFI (RFC 4760). */
export type Family = 'ipv4-unicast' | 'ipv6-unicast';

export const FAMILIES: readonly Family[] = ['ipv4-unicast', 'ipv6-unicast'];

export const SAFI_UNICAST = 1;

export const AFI: Readonly<Record<Family, number>> = { 'ipv4-unicast': 1, 'ipv6-unicast': 2 };

/** Octets of an address of this family. */
export const ADDRESS_OCTETS: Readonly<Record<Family, 4 | 16>> = { 'ipv4-unicast': 4, 'ipv6-unicast': 16 };

/** `undefined` for an AFI/SAFI that heddle does not carry. */
export function familyOf(afi: number, safi: number): Family | undefined {
  if (safi !== SAFI_UNICAST) return undefined;
  return afi === 1 ? 'ipv4-unicast' : afi === 2 ? 'ipv6-unicast' : undefined;
}

export function familyOfAddress(address: Uint8Array): Family {
  return address.length === 4 ? 'ipv4-unicast' : 'ipv6-unicast';
}
