/** MAC addresses and the modified EUI-64 interface identifier (RFC 4291 appendix A). */
import type { Address } from './address.js';
import type { Prefix } from './prefix.js';

/** Parses `aa:bb:cc:dd:ee:ff`; `undefined` otherwise. */
export function parseMac(text: string): Uint8Array | undefined {
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text)) return undefined;
  return Uint8Array.from(text.split(':'), (octet) => Number.parseInt(octet, 16));
}

export function formatMac(mac: Uint8Array): string {
  return Array.from(mac, (octet) => octet.toString(16).padStart(2, '0')).join(':');
}

/** The address that SLAAC forms in a /64 `prefix` from a 6-octet `mac`: universal/local bit inverted, ff:fe in the middle. */
export function eui64Address(prefix: Prefix, mac: Uint8Array): Address {
  const address = Uint8Array.from(prefix.address);
  address.set([mac[0]! ^ 0x02, mac[1]!, mac[2]!, 0xff, 0xfe, mac[3]!, mac[4]!, mac[5]!], 8);
  return address;
}
