/** Putting AS numbers in front of an AS_PATH (RFC 4271 section 5.1.2). */
import type { AsNumber } from '../net/as-number.js';
import type { AsPathSegment } from '../wire/bgp/path-attributes.js';

/** An AS_PATH segment counts its ASes in one octet. */
const MAX_SEGMENT_ASNS = 255;

/** RFC 4271 section 5.1.2 b. */
export function prepended(path: readonly AsPathSegment[], asn: AsNumber): readonly AsPathSegment[] {
  const first = path[0];
  if (first?.kind !== 'sequence' || first.asns.length >= MAX_SEGMENT_ASNS)
    return [{ kind: 'sequence', asns: [asn] }, ...path];
  return [{ kind: 'sequence', asns: [asn, ...first.asns] }, ...path.slice(1)];
}
