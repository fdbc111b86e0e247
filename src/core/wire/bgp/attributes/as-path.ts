/**
 * AS_PATH (RFC 4271 sections 4.3 and 5.1.2) with 2- or 4-octet AS numbers (RFC 6793); errors RFC 7606 section 7.2 and
 * RFC 7607. AS_SETs are deprecated (RFC 9774). Confederation segments have no business outside a confederation (RFC 5065
 * section 5), and heddle is in none.
 */
import { AS_TRANS } from '../../../net/as-number.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { UpdateContext } from '../message.js';
import { read16, read32, write16, write32 } from '../octets.js';
import type { AsPathSegment } from '../path-attributes.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeCodec, AttributeFault } from './attribute-codec.js';
import { withdraw } from './attribute-fault.js';

const AS_SET = 1;
const AS_SEQUENCE = 2;
const MAX_SEGMENT_ASNS = 255;

/** The segments, or words for what is wrong with them. */
export function decodeSegments(value: Uint8Array, asOctets: 2 | 4): readonly AsPathSegment[] | string {
  const segments: AsPathSegment[] = [];
  let position = 0;
  while (position < value.length) {
    if (value.length - position < 2) return 'a segment header is cut off';
    const type = value[position]!;
    const count = value[position + 1]!;
    const end = position + 2 + count * asOctets;
    if (type !== AS_SET && type !== AS_SEQUENCE) return `segment type ${type} is not allowed`;
    if (count === 0) return 'a segment is empty';
    if (end > value.length) return 'a segment overruns the attribute';
    const asns = decodeAsns(value, position + 2, { end, asOctets });
    if (asns.includes(0)) return 'AS 0';
    segments.push({ kind: type === AS_SET ? 'set' : 'sequence', asns });
    position = end;
  }
  return segments;
}

/** RFC 9774 section 3: treat-as-withdraw, in AS_PATH and in AS4_PATH. */
export function deprecatedSet(segments: readonly AsPathSegment[], context: UpdateContext): AttributeFault | undefined {
  if (context.asSets || segments.every(({ kind }) => kind === 'sequence')) return undefined;
  return withdraw(UPDATE_SUBCODE.malformedAsPath, 'an AS_SET, which is deprecated (RFC 9774)');
}

function decodeAsns(value: Uint8Array, start: number, range: { end: number; asOctets: 2 | 4 }): number[] {
  const asns: number[] = [];
  for (let at = start; at < range.end; at += range.asOctets) {
    asns.push(range.asOctets === 4 ? read32(value, at) : read16(value, at));
  }
  return asns;
}

/** A segment of more than 255 AS numbers becomes several; a number that does not fit in 2 octets becomes AS_TRANS. */
export function encodeSegments(path: readonly AsPathSegment[], asOctets: 2 | 4): Uint8Array {
  const segments = path.flatMap(splitLongSegment);
  const bytes = new Uint8Array(segments.reduce((sum, { asns }) => sum + 2 + asns.length * asOctets, 0));
  let at = 0;
  for (const { kind, asns } of segments) {
    bytes[at] = kind === 'set' ? AS_SET : AS_SEQUENCE;
    bytes[at + 1] = asns.length;
    at += 2;
    for (const asn of asns) {
      if (asOctets === 4) write32(bytes, at, asn);
      else write16(bytes, at, asn > 0xffff ? AS_TRANS : asn);
      at += asOctets;
    }
  }
  return bytes;
}

function splitLongSegment(segment: AsPathSegment): readonly AsPathSegment[] {
  const parts: AsPathSegment[] = [];
  for (let from = 0; from < segment.asns.length; from += MAX_SEGMENT_ASNS) {
    parts.push({ kind: segment.kind, asns: segment.asns.slice(from, from + MAX_SEGMENT_ASNS) });
  }
  return parts;
}

/** `65001 65002 {65003,65004}`; empty for an empty path. */
export function formatAsPath(path: readonly AsPathSegment[]): string {
  return path.map(({ kind, asns }) => (kind === 'set' ? `{${asns.join(',')}}` : asns.join(' '))).join(' ');
}

export const asPath: AttributeCodec = {
  type: ATTRIBUTE_TYPE.asPath,
  name: 'AS_PATH',
  flags: ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft, context) {
    const segments = decodeSegments(value, context.fourOctetAs ? 4 : 2);
    if (typeof segments === 'string') return withdraw(UPDATE_SUBCODE.malformedAsPath, segments);
    const deprecated = deprecatedSet(segments, context);
    if (deprecated) return deprecated;
    draft.asPath = segments;
    return undefined;
  },
  encode: (attributes, options) => encodeSegments(attributes.asPath, options.fourOctetAs ? 4 : 2),
  format: (attributes) => ({ asPath: formatAsPath(attributes.asPath) }),
};
