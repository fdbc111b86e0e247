/**
 * RoCEv2 packets that others have published, with the invariant CRC they gave: bytes as data. From the tests of Scapy
 * (test/contrib/roce.uts, GPL-2.0: its code is not here), which names what it took from a wire.
 */

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.replaceAll(/\s/g, '').match(/../g) ?? [], (octet) => Number.parseInt(octet, 16));
}

export interface PublishedPacket {
  readonly name: string;
  readonly source: string;
  readonly destination: string;
  readonly sourcePort: number;
  /** Of its IPv4 header. */
  readonly identification?: number;
  /** UDP payload, the CRC at its end. */
  readonly payload: Uint8Array;
}

export const PUBLISHED_PACKETS: readonly PublishedPacket[] = [
  {
    name: 'UC SEND Only over IPv4, loop of a Mellanox port',
    source: '192.168.0.7',
    destination: '192.168.0.7',
    sourcePort: 49152,
    identification: 1144,
    payload: bytes('24 60 ffff 00 0000d3 00 cf1710 4630818be28935d90e9a95505401be885e500000 78f353f3'),
  },
  {
    name: 'CNP over IPv4, captured on a ConnectX-4 Lx',
    source: '10.0.17.1',
    destination: '10.0.18.1',
    sourcePort: 0,
    identification: 0x718c,
    payload: bytes('8100ffff 40000118 00000000 0000000000000000 0000000000000000 82fd002a'),
  },
  {
    name: 'UC SEND Only over IPv6, with traffic class and flow label',
    source: '2022::1023',
    destination: '2023::1024',
    sourcePort: 49152,
    payload: bytes('24 60 ffff 00 0000d3 00 cf1710 4630818be28935d90e9a95505401be885e500000 3e5b743b'),
  },
];

/**
 * A write and its acknowledgement of RoCE version 1, taken from a wire: the same headers without UDP, behind a global route
 * header that counts in the CRC as an IPv6 header does (InfiniBand Architecture 1.4, section 7.8.1).
 */
export const VERSION_1_PACKETS = {
  write: {
    routeHeader: bytes('60200000 0028 1b 40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002'),
    transport: bytes('0a70ffff 0000010a 80a788bc 000055d4c0726000 000047b3 00000005 0000000001000000 e3d856bb'),
  },
  acknowledgement: {
    routeHeader: bytes('60200000 0014 1b 40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002'),
    transport: bytes('1140ffff 00000109 00a788c0 00000005 25f0c038'),
  },
} as const;
