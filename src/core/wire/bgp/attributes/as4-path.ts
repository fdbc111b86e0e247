/**
 * AS4_PATH (RFC 6793): the 4-octet AS numbers that a 2-octet peer passes on. Meaningless from, and never sent to, a peer
 * that knows 4 octets (section 4.1); errors section 6.
 */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { AsPathSegment } from '../path-attributes.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import { decodeSegments, deprecatedSet, encodeSegments } from './as-path.js';
import type { AttributeCodec } from './attribute-codec.js';
import { discard } from './attribute-fault.js';

/** A set counts as one AS (RFC 4271 section 9.1.2.2). */
export function asPathLength(path: readonly AsPathSegment[]): number {
  return path.reduce((sum, { kind, asns }) => sum + (kind === 'set' ? 1 : asns.length), 0);
}

/** Section 4.2.3: the leading part of AS_PATH that AS4_PATH does not cover, then AS4_PATH; AS_PATH when it is the shorter one. */
export function mergeAs4Path(
  path: readonly AsPathSegment[],
  as4Path: readonly AsPathSegment[],
): readonly AsPathSegment[] {
  let uncovered = asPathLength(path) - asPathLength(as4Path);
  if (uncovered < 0) return path;
  const merged: AsPathSegment[] = [];
  for (const segment of path) {
    if (uncovered <= 0) break;
    const taken = segment.kind === 'set' ? segment.asns : segment.asns.slice(0, uncovered);
    merged.push({ kind: segment.kind, asns: taken });
    uncovered -= segment.kind === 'set' ? 1 : taken.length;
  }
  return joinSequences([...merged, ...as4Path]);
}

function joinSequences(segments: readonly AsPathSegment[]): readonly AsPathSegment[] {
  const joined: AsPathSegment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last?.kind !== 'sequence' || segment.kind !== 'sequence') joined.push(segment);
    else joined[joined.length - 1] = { kind: 'sequence', asns: [...last.asns, ...segment.asns] };
  }
  return joined;
}

export const as4Path: AttributeCodec = {
  type: ATTRIBUTE_TYPE.as4Path,
  name: 'AS4_PATH',
  flags: ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive,
  flagsAction: 'attribute-discard',
  unwanted: (context) => (context.fourOctetAs ? 'ignored from a peer with 4-octet AS numbers' : undefined),
  decode(value, draft, context) {
    const segments = decodeSegments(value, 4);
    if (typeof segments === 'string') return discard(UPDATE_SUBCODE.optionalAttribute, segments);
    const deprecated = deprecatedSet(segments, context);
    if (deprecated) return deprecated;
    draft.as4Path = segments;
    return undefined;
  },
  encode({ asPath }, options) {
    const needed = !options.fourOctetAs && asPath.some(({ asns }) => asns.some((asn) => asn > 0xffff));
    return needed ? encodeSegments(asPath, 4) : undefined;
  },
};
