/**
 * AIGP (RFC 7311). Whatever is wrong with it, and on a session where it is not enabled, it is treated as an unrecognised
 * non-transitive attribute: dropped, and the route stays (sections 3 and 3.2).
 */
import { counted } from '../../../net/counted.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { concat, octets16, read16, read32 } from '../octets.js';
import type { Aigp, AigpTlv } from '../path-attributes.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeCodec } from './attribute-codec.js';
import { discard } from './attribute-fault.js';

const TLV_METRIC = 1;
const TLV_HEADER_OCTETS = 3;
const METRIC_OCTETS = 8;
const INFINITE = 0xffff_ffff_ffff_ffffn;

/** The list of TLVs, or words for what is wrong with it. */
function decodeTlvs(value: Uint8Array): readonly AigpTlv[] | string {
  const tlvs: AigpTlv[] = [];
  let position = 0;
  while (position < value.length) {
    if (value.length - position < TLV_HEADER_OCTETS) return 'a TLV header is cut off';
    const length = read16(value, position + 1);
    const end = position + length;
    if (length < TLV_HEADER_OCTETS || end > value.length) return `TLV length ${length} is not possible`;
    tlvs.push({ type: value[position]!, value: value.slice(position + TLV_HEADER_OCTETS, end) });
    position = end;
  }
  return tlvs;
}

/** Section 3: the first TLV of type 1 counts; later ones and unknown ones are no error and are kept. */
function decodeAigp(value: Uint8Array): Aigp | string {
  const tlvs = decodeTlvs(value);
  if (typeof tlvs === 'string') return tlvs;
  const first = tlvs.findIndex(({ type }) => type === TLV_METRIC);
  if (first < 0) return 'no AIGP TLV in it';
  const octets = tlvs[first]!.value;
  if (octets.length !== METRIC_OCTETS) return `AIGP TLV with a value of ${counted(octets.length, 'octet')}`;
  const metric = (BigInt(read32(octets, 0)) << 32n) | BigInt(read32(octets, 4));
  if (metric === INFINITE) return 'infinite metric';
  return { metric, otherTlvs: tlvs.filter((_, index) => index !== first) };
}

function encodeTlv(type: number, value: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(type), octets16(TLV_HEADER_OCTETS + value.length), value]);
}

function metricOctets(metric: bigint): Uint8Array {
  return Uint8Array.from({ length: METRIC_OCTETS }, (_, index) => Number((metric >> BigInt(56 - index * 8)) & 0xffn));
}

export const aigp: AttributeCodec = {
  type: ATTRIBUTE_TYPE.aigp,
  name: 'AIGP',
  flags: ATTRIBUTE_FLAG.optional,
  flagsAction: 'attribute-discard',
  unwanted: (context) => (context.aigp ? undefined : 'ignored: not enabled on this session'),
  decode(value, draft) {
    const decoded = decodeAigp(value);
    if (typeof decoded === 'string') return discard(UPDATE_SUBCODE.optionalAttribute, decoded);
    draft.aigp = decoded;
    return undefined;
  },
  encode: ({ aigp }) =>
    aigp &&
    concat([
      encodeTlv(TLV_METRIC, metricOctets(aigp.metric)),
      ...aigp.otherTlvs.map(({ type, value }) => encodeTlv(type, value)),
    ]),
  // Decimal text: JSON numbers are exact only to 2^53.
  format: ({ aigp }) => aigp && { aigp: aigp.metric.toString() },
};
