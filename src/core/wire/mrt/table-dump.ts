/**
 * TABLE_DUMP_V2 (RFC 6396 section 4.3, add-path RFC 8050 section 4): a table of peers, then a record a prefix with what each
 * of them said about it. Bodies only; mrt-record.ts puts the header around them.
 */
import type { Address } from '../../net/address.js';
import type { AsNumber } from '../../net/as-number.js';
import { ADDRESS_OCTETS, type Family } from '../../net/family.js';
import { masked, type Prefix } from '../../net/prefix.js';
import { concat, octets16, octets32, read16, read32 } from '../bgp/octets.js';

export const TABLE_DUMP_SUBTYPE = { peerIndexTable: 1, ipv4: 2, ipv6: 4, ipv4AddPath: 8, ipv6AddPath: 10 } as const;

/** Section 4.3.1, the peer type octet. */
const PEER_IPV6 = 0x01;
const PEER_AS4 = 0x02;

export interface DumpedPeer {
  readonly identifier: number;
  readonly address: Address;
  readonly asn: AsNumber;
}

export interface PeerIndexTable {
  /** BGP identifier of the router that wrote the dump. */
  readonly collector: number;
  readonly viewName: string;
  readonly peers: readonly DumpedPeer[];
}

export interface RibEntry {
  /** Position in the table of peers. */
  readonly peer: number;
  /** Seconds since 1970. */
  readonly originated: number;
  /** Only in the add-path forms. */
  readonly pathId?: number;
  /** As on the wire, AS numbers in 4 octets, MP_REACH_NLRI abbreviated to the next hop (section 4.3.4). */
  readonly attributes: Uint8Array;
}

export interface RibRecord {
  readonly sequence: number;
  readonly family: Family;
  readonly addPath: boolean;
  readonly prefix: Prefix;
  readonly entries: readonly RibEntry[];
}

export function encodePeerIndexTable({ collector, viewName, peers }: PeerIndexTable): Uint8Array {
  const name = new TextEncoder().encode(viewName);
  const head = [octets32(collector), octets16(name.length), name, octets16(peers.length)];
  return concat([...head, ...peers.flatMap(encodePeer)]);
}

function encodePeer({ identifier, address, asn }: DumpedPeer): Uint8Array[] {
  const type = PEER_AS4 | (address.length === 16 ? PEER_IPV6 : 0);
  return [Uint8Array.of(type), octets32(identifier), address, octets32(asn)];
}

export function decodePeerIndexTable(body: Uint8Array): PeerIndexTable | undefined {
  if (body.length < 8) return undefined;
  const nameEnd = 6 + read16(body, 4);
  if (nameEnd + 2 > body.length) return undefined;
  const peers: DumpedPeer[] = [];
  let at = nameEnd + 2;
  for (let left = read16(body, nameEnd); left > 0; left--) {
    const type = body[at] ?? 0;
    const addressEnd = at + 5 + (type & PEER_IPV6 ? 16 : 4);
    const end = addressEnd + (type & PEER_AS4 ? 4 : 2);
    if (end > body.length) return undefined;
    peers.push({
      identifier: read32(body, at + 1),
      address: body.slice(at + 5, addressEnd),
      asn: type & PEER_AS4 ? read32(body, addressEnd) : read16(body, addressEnd),
    });
    at = end;
  }
  return { collector: read32(body, 0), viewName: new TextDecoder().decode(body.subarray(6, nameEnd)), peers };
}

export function ribSubtype(family: Family, addPath: boolean): number {
  if (family === 'ipv4-unicast') return addPath ? TABLE_DUMP_SUBTYPE.ipv4AddPath : TABLE_DUMP_SUBTYPE.ipv4;
  return addPath ? TABLE_DUMP_SUBTYPE.ipv6AddPath : TABLE_DUMP_SUBTYPE.ipv6;
}

/** Section 4.3.2. */
export function encodeRib({ sequence, prefix, addPath, entries }: RibRecord): Uint8Array {
  const address = prefix.address.subarray(0, (prefix.length + 7) >> 3);
  const head = [octets32(sequence), Uint8Array.of(prefix.length), address, octets16(entries.length)];
  return concat([...head, ...entries.flatMap((entry) => encodeEntry(entry, addPath))]);
}

function encodeEntry({ peer, originated, pathId, attributes }: RibEntry, addPath: boolean): Uint8Array[] {
  const id = addPath ? [octets32(pathId ?? 0)] : [];
  return [octets16(peer), octets32(originated), ...id, octets16(attributes.length), attributes];
}

const READABLE: Readonly<Record<number, { family: Family; addPath: boolean }>> = {
  [TABLE_DUMP_SUBTYPE.ipv4]: { family: 'ipv4-unicast', addPath: false },
  [TABLE_DUMP_SUBTYPE.ipv6]: { family: 'ipv6-unicast', addPath: false },
  [TABLE_DUMP_SUBTYPE.ipv4AddPath]: { family: 'ipv4-unicast', addPath: true },
  [TABLE_DUMP_SUBTYPE.ipv6AddPath]: { family: 'ipv6-unicast', addPath: true },
};

/** Which routes a subtype is about; `undefined` for those that are not read (multicast, generic). */
export function ribForm(subtype: number): { family: Family; addPath: boolean } | undefined {
  return READABLE[subtype];
}

export function decodeRib(body: Uint8Array, form: { family: Family; addPath: boolean }): RibRecord | undefined {
  const { family, addPath } = form;
  const length = body[4] ?? 0;
  const octets = ADDRESS_OCTETS[family];
  const prefixEnd = 5 + ((length + 7) >> 3);
  if (prefixEnd + 2 > body.length || length > octets * 8) return undefined;
  const address = new Uint8Array(octets);
  address.set(body.subarray(5, prefixEnd));
  const entries: RibEntry[] = [];
  let at = prefixEnd + 2;
  for (let left = read16(body, prefixEnd); left > 0; left--) {
    const lengthAt = at + (addPath ? 10 : 6);
    if (lengthAt + 2 > body.length) return undefined;
    const end = lengthAt + 2 + read16(body, lengthAt);
    if (end > body.length) return undefined;
    entries.push({
      peer: read16(body, at),
      originated: read32(body, at + 2),
      ...(addPath && { pathId: read32(body, at + 6) }),
      attributes: body.subarray(lengthAt + 2, end),
    });
    at = end;
  }
  return { sequence: read32(body, 0), family, addPath, prefix: { address: masked(address, length), length }, entries };
}
