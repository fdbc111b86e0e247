/**
 * The invariant CRC that ends a RoCEv2 packet (RoCEv2 annex A17.3.3): what no router may change on the way is under it,
 * addresses and ports among it; hop limit, traffic class, flow label, the checksums and the octet of congestion marks
 * count as all ones.
 */
import type { Address } from '../../net/address.js';
import { write16 } from '../bgp/octets.js';
import { CRC32_START, finishCrc32, updateCrc32 } from './crc32.js';
import { ROCE_PORT } from './entropy-port.js';

export const ICRC_OCTETS = 4;
const UDP_HEADER_OCTETS = 8;
const UDP = 17;
/** In place of the InfiniBand link header that RoCEv2 does not have. */
const LINK_HEADER_OCTETS = 8;
/** Up to the octet that switches mark congestion in, and behind it. */
const MARKS_AT = 4;

export interface UdpPath {
  readonly source: Address;
  readonly destination: Address;
  readonly sourcePort: number;
  /** ROCE_PORT unless told otherwise. */
  readonly destinationPort?: number;
}

/**
 * Computes it for the packets of one path. Of an IPv4 header it takes the identification to be 0 and the packet not to be
 * fragmented, as Linux sends datagrams from sockets, unless `identification` says otherwise.
 */
export class InvariantCrc {
  private readonly header: Uint8Array;
  private readonly udpAt: number;

  constructor(path: UdpPath, identification = 0) {
    const ip = path.source.length === 4 ? ipv4(path, identification) : ipv6(path);
    this.udpAt = LINK_HEADER_OCTETS + ip.length;
    this.header = new Uint8Array(this.udpAt + UDP_HEADER_OCTETS).fill(0xff);
    this.header.set(ip, LINK_HEADER_OCTETS);
    write16(this.header, this.udpAt, path.sourcePort);
    write16(this.header, this.udpAt + 2, path.destinationPort ?? ROCE_PORT);
  }

  /** Of a UDP payload: base header, extensions, data and padding; its last four octets are the CRC's own place. */
  of(payload: Uint8Array): number {
    this.setLengths(payload.length);
    let crc = updateCrc32(CRC32_START, this.header, 0, this.header.length);
    crc = updateCrc32(crc, payload, 0, MARKS_AT);
    crc = updateCrc32(crc, ALL_ONES, 0, 1);
    return finishCrc32(updateCrc32(crc, payload, MARKS_AT + 1, payload.length - ICRC_OCTETS));
  }

  private setLengths(payloadLength: number): void {
    const udpLength = UDP_HEADER_OCTETS + payloadLength;
    const isIpv4 = this.udpAt === LINK_HEADER_OCTETS + IPV4_OCTETS;
    if (isIpv4) write16(this.header, LINK_HEADER_OCTETS + 2, IPV4_OCTETS + udpLength);
    else write16(this.header, LINK_HEADER_OCTETS + 4, udpLength);
    write16(this.header, this.udpAt + 4, udpLength);
  }
}

const ALL_ONES = Uint8Array.of(0xff);
const IPV4_OCTETS = 20;
const DONT_FRAGMENT = 0x40;

function ipv4({ source, destination }: UdpPath, identification: number): Uint8Array {
  const fixed = [
    0x45,
    0xff,
    0,
    0,
    identification >>> 8,
    identification & 0xff,
    DONT_FRAGMENT,
    0,
    0xff,
    UDP,
    0xff,
    0xff,
  ];
  return Uint8Array.of(...fixed, ...source, ...destination);
}

function ipv6({ source, destination }: UdpPath): Uint8Array {
  return Uint8Array.of(0x6f, 0xff, 0xff, 0xff, 0, 0, UDP, 0xff, ...source, ...destination);
}

/** The CRC as it stands in the packet, its lowest octet first. */
export function readIcrc(payload: Uint8Array): number {
  const at = payload.length - ICRC_OCTETS;
  return (payload[at]! | (payload[at + 1]! << 8) | (payload[at + 2]! << 16) | (payload[at + 3]! << 24)) >>> 0;
}

export function writeIcrc(payload: Uint8Array, icrc: number): void {
  const at = payload.length - ICRC_OCTETS;
  for (let octet = 0; octet < ICRC_OCTETS; octet++) payload[at + octet] = icrc >>> (8 * octet);
}
