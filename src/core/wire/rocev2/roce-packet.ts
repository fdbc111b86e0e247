/**
 * A RoCEv2 packet: the payload of a UDP datagram to port 4791 (RoCEv2 annex A17.3; headers: InfiniBand Architecture 1.4, chapter 9).
 * Base header, the extension headers of its opcode, data padded to four octets, invariant CRC.
 */
import { read16, read32, write16, write32 } from '../bgp/octets.js';
import { ICRC_OCTETS, type InvariantCrc, readIcrc, writeIcrc } from './invariant-crc.js';
import { type ExtensionHeader, OPERATIONS } from './opcode.js';

/** RDMA extended header, section 9.3.3: where the data of a message goes, and how much of it there is. */
export interface Reth {
  readonly address: bigint;
  readonly rKey: number;
  readonly length: number;
}

/** ACK extended header, section 9.3.5. */
export interface Aeth {
  /** See decodeSyndrome. */
  readonly syndrome: number;
  /** Messages that the responder has completed, 24 bits. */
  readonly messageSequence: number;
}

export interface RocePacket {
  /** One of OPERATIONS. */
  readonly opcode: number;
  readonly destinationQp: number;
  readonly psn: number;
  readonly ackRequest: boolean;
  readonly partitionKey: number;
  /** The sender wants the receiver's consumer to be told. */
  readonly solicited: boolean;
  readonly migrated: boolean;
  /** Congestion was met on the way; congestion notifications answer with the other bit. */
  readonly fecn: boolean;
  readonly becn: boolean;
  readonly reth?: Reth;
  readonly aeth?: Aeth;
  readonly immediate?: number;
  /** Without its padding. */
  readonly payload: Uint8Array;
}

/** What a sender need not say. */
export const ROCE_DEFAULTS = {
  ackRequest: false,
  partitionKey: 0xffff,
  solicited: false,
  migrated: true,
  fecn: false,
  becn: false,
  payload: new Uint8Array(0),
} as const;

/** The datagram is no packet that is read here: which part of it, at which octet, and why. */
export interface RoceProblem {
  readonly kind: 'malformed';
  readonly field: string;
  readonly offset: number;
  readonly reason: string;
}

export type DecodedRoce = { readonly kind: 'packet'; readonly packet: RocePacket; readonly icrc: number } | RoceProblem;

export const BTH_OCTETS = 12;
const HEADER_OCTETS: Readonly<Record<ExtensionHeader, number>> = { reth: 16, aeth: 4, immediate: 4 };
/** Octets around the data of the largest packet: base header, RETH, immediate data and CRC. */
export const MOST_OVERHEAD = BTH_OCTETS + HEADER_OCTETS.reth + HEADER_OCTETS.immediate + ICRC_OCTETS;
const TRANSPORT_VERSION = 0;

/** Throws RangeError when the opcode is not in OPERATIONS: that is the caller's mistake. */
export function encodeRoce(packet: RocePacket, icrc: InvariantCrc): Uint8Array {
  const operation = OPERATIONS.get(packet.opcode);
  if (!operation) throw new RangeError(`no operation has opcode ${packet.opcode}`);
  const extensions = operation.headers.reduce((octets, header) => octets + HEADER_OCTETS[header], 0);
  const padding = -packet.payload.length & 3;
  const bytes = new Uint8Array(BTH_OCTETS + extensions + packet.payload.length + padding + ICRC_OCTETS);
  writeBaseHeader(bytes, packet, padding);
  let at = BTH_OCTETS;
  for (const header of operation.headers) {
    writeExtension(bytes, at, header, packet);
    at += HEADER_OCTETS[header];
  }
  bytes.set(packet.payload, at);
  writeIcrc(bytes, icrc.of(bytes));
  return bytes;
}

/** Section 9.2. */
function writeBaseHeader(bytes: Uint8Array, packet: RocePacket, padding: number): void {
  bytes[0] = packet.opcode;
  bytes[1] = (packet.solicited ? 0x80 : 0) | (packet.migrated ? 0x40 : 0) | (padding << 4) | TRANSPORT_VERSION;
  write16(bytes, 2, packet.partitionKey);
  write32(bytes, 4, packet.destinationQp);
  bytes[4] = (packet.fecn ? 0x80 : 0) | (packet.becn ? 0x40 : 0);
  write32(bytes, 8, packet.psn);
  bytes[8] = packet.ackRequest ? 0x80 : 0;
}

function writeExtension(bytes: Uint8Array, at: number, header: ExtensionHeader, packet: RocePacket): void {
  const { reth, aeth, immediate } = packet;
  if (header === 'reth' && reth) {
    write32(bytes, at, Number(reth.address >> 32n));
    write32(bytes, at + 4, Number(reth.address & 0xffffffffn));
    write32(bytes, at + 8, reth.rKey);
    write32(bytes, at + 12, reth.length);
  } else if (header === 'aeth' && aeth) {
    write32(bytes, at, aeth.messageSequence);
    bytes[at] = aeth.syndrome;
  } else if (header === 'immediate') write32(bytes, at, immediate ?? 0);
}

/** Total: whatever the octets are. Whether `icrc` is right depends on addresses too, and is InvariantCrc's to say. */
export function decodeRoce(bytes: Uint8Array): DecodedRoce {
  if (bytes.length < BTH_OCTETS + ICRC_OCTETS)
    return malformed('base header', 0, `${bytes.length} octets, where 16 are the least`);
  const version = bytes[1]! & 0x0f;
  if (version !== TRANSPORT_VERSION) return malformed('transport version', 1, `it is ${version}, not 0`);
  const operation = OPERATIONS.get(bytes[0]!);
  if (!operation) return malformed('opcode', 0, `0x${hexOctet(bytes[0]!)} is none that is read here`);
  const end = bytes.length - ICRC_OCTETS;
  let at = BTH_OCTETS;
  for (const header of operation.headers) {
    if (at + HEADER_OCTETS[header] > end)
      return malformed(header, at, `${operation.name} has one, and ${end - at} octets are left`);
    at += HEADER_OCTETS[header];
  }
  const padding = (bytes[1]! >> 4) & 3;
  if (at + padding > end) return malformed('pad count', 1, `${padding}, and ${end - at} octets of data`);
  const packet = { ...readBaseHeader(bytes), ...readExtensions(bytes, operation.headers) };
  return { kind: 'packet', packet: { ...packet, payload: bytes.subarray(at, end - padding) }, icrc: readIcrc(bytes) };
}

function malformed(field: string, offset: number, reason: string): RoceProblem {
  return { kind: 'malformed', field, offset, reason };
}

function hexOctet(octet: number): string {
  return octet.toString(16).padStart(2, '0');
}

function readBaseHeader(bytes: Uint8Array) {
  return {
    opcode: bytes[0]!,
    solicited: (bytes[1]! & 0x80) !== 0,
    migrated: (bytes[1]! & 0x40) !== 0,
    partitionKey: read16(bytes, 2),
    fecn: (bytes[4]! & 0x80) !== 0,
    becn: (bytes[4]! & 0x40) !== 0,
    destinationQp: read32(bytes, 4) & 0xffffff,
    ackRequest: (bytes[8]! & 0x80) !== 0,
    psn: read32(bytes, 8) & 0xffffff,
  };
}

function readExtensions(bytes: Uint8Array, headers: readonly ExtensionHeader[]) {
  const found: { reth?: Reth; aeth?: Aeth; immediate?: number } = {};
  let at = BTH_OCTETS;
  for (const header of headers) {
    if (header === 'reth') found.reth = readReth(bytes, at);
    else if (header === 'aeth') found.aeth = { syndrome: bytes[at]!, messageSequence: read32(bytes, at) & 0xffffff };
    else found.immediate = read32(bytes, at);
    at += HEADER_OCTETS[header];
  }
  return found;
}

function readReth(bytes: Uint8Array, at: number): Reth {
  const address = (BigInt(read32(bytes, at)) << 32n) | BigInt(read32(bytes, at + 4));
  return { address, rKey: read32(bytes, at + 8), length: read32(bytes, at + 12) };
}
