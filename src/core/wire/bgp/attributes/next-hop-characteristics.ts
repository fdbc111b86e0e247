/**
 * Next Hop dependent Characteristics (draft-ietf-idr-nhc): TLVs that hold for one next hop, which stands in front of them. What is
 * malformed as a whole is discarded, and the route stays. NNHN (draft-ietf-idr-next-next-hop-nodes) is the TLV heddle reads and
 * writes: the BGP identifier of the next hop, then those of the routers behind it.
 */
import { formatIdentifier } from '../../../net/identifier.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { concat, hex, octets16, octets32, read16, read32 } from '../octets.js';
import type { NextHopCharacteristics } from '../path-attributes.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeCodec } from './attribute-codec.js';
import { discard } from './attribute-fault.js';

const HEADER_OCTETS = 4;
const TLV_HEADER_OCTETS = 4;
const TLV_NNHN = 2;

export interface NextNextHopNodes {
  /** BGP identifier of the router that is the next hop. */
  readonly nextHop: number;
  /** Those of the routers behind it, in rising order, each once. */
  readonly nodes: readonly number[];
}

/** The first NNHN counts; a length that is below 8 or no multiple of 4 discards it. */
export function nextNextHopNodes({ tlvs }: NextHopCharacteristics): NextNextHopNodes | undefined {
  const value = tlvs.find(({ code }) => code === TLV_NNHN)?.value;
  if (!value || value.length < 8 || value.length % 4 !== 0) return undefined;
  const [nextHop = 0, ...nodes] = Array.from({ length: value.length / 4 }, (_, index) => read32(value, index * 4));
  return { nextHop, nodes: distinct(nodes) };
}

export function nextNextHopTlv({ nextHop, nodes }: NextNextHopNodes): NextHopCharacteristics['tlvs'][number] {
  return { code: TLV_NNHN, value: concat([nextHop, ...distinct(nodes)].map(octets32)) };
}

function distinct(nodes: readonly number[]): number[] {
  return [...new Set(nodes)].sort((a, b) => a - b);
}

/** Words for what is wrong, or the value. */
function decodeCharacteristics(value: Uint8Array): NextHopCharacteristics | string {
  if (value.length < HEADER_OCTETS) return `length ${value.length}`;
  const start = HEADER_OCTETS + value[3]!;
  if (start > value.length) return 'the next hop is cut off';
  const tlvs: { code: number; value: Uint8Array }[] = [];
  for (let position = start; position < value.length; ) {
    if (value.length - position < TLV_HEADER_OCTETS) return 'a TLV header is cut off';
    const end = position + TLV_HEADER_OCTETS + read16(value, position + 2);
    if (end > value.length) return 'a TLV is cut off';
    tlvs.push({ code: read16(value, position), value: value.slice(position + TLV_HEADER_OCTETS, end) });
    position = end;
  }
  return { afi: read16(value, 0), safi: value[2]!, nextHop: value.slice(HEADER_OCTETS, start), tlvs };
}

export const nextHopCharacteristics: AttributeCodec = {
  type: ATTRIBUTE_TYPE.nextHopCharacteristics,
  name: 'NHC',
  flags: ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive,
  flagsAction: 'attribute-discard',
  decode(value, draft) {
    const decoded = decodeCharacteristics(value);
    if (typeof decoded === 'string') return discard(UPDATE_SUBCODE.optionalAttribute, decoded);
    draft.nextHopCharacteristics = decoded;
    return undefined;
  },
  encode({ nextHopCharacteristics: given }) {
    if (!given) return undefined;
    const { afi, safi, nextHop, tlvs } = given;
    const encoded = tlvs.map(({ code, value }) => concat([octets16(code), octets16(value.length), value]));
    return concat([octets16(afi), Uint8Array.of(safi, nextHop.length), nextHop, ...encoded]);
  },
  format({ nextHopCharacteristics: given }) {
    if (!given) return undefined;
    const nnhn = nextNextHopNodes(given);
    const nodes = nnhn && { nextHop: formatIdentifier(nnhn.nextHop), nodes: nnhn.nodes.map(formatIdentifier) };
    const tlvs = given.tlvs.map(({ code, value }) => ({ code, value: hex(value) }));
    return { nextHopCharacteristics: { nextHop: hex(given.nextHop), tlvs, ...(nodes && { nextNextHopNodes: nodes }) } };
  },
};
