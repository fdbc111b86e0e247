/**
 * Where things lie in one UPDATE (RFC 4271 section 4.3): offsets into its body, filled by `splitUpdate`. One view is
 * reused for all messages of a session, so that the hot path allocates nothing. All ranges are [start, end) in `body`.
 */
import type { UpdateContext } from './message.js';
import type { AttributeError } from './path-attributes.js';

/** The field that a set of routes stands in: the classic NLRI field (IPv4 only) or MP_REACH_NLRI (RFC 4760). */
export type NlriField = 'classic' | 'mp';

/** An attribute type is one octet, and duplicates are dropped by the scan. */
const MAX_ATTRIBUTES = 256;

export class UpdateView {
  /** Valid only as long as the caller keeps the octets, which is during the framer's callback. */
  body: Uint8Array = new Uint8Array(0);
  context: UpdateContext = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: false };

  withdrawnStart = 0;
  withdrawnEnd = 0;
  nlriStart = 0;
  nlriEnd = 0;

  /** MP_REACH_NLRI; `reachAfi` is 0 when there is none. */
  reachAfi = 0;
  reachSafi = 0;
  reachNextHopStart = 0;
  reachNextHopEnd = 0;
  reachNlriStart = 0;
  reachNlriEnd = 0;

  /** MP_UNREACH_NLRI; `unreachAfi` is 0 when there is none. */
  unreachAfi = 0;
  unreachSafi = 0;
  unreachNlriStart = 0;
  unreachNlriEnd = 0;

  /** Offsets of the flags octet of every attribute but MP_REACH_NLRI, MP_UNREACH_NLRI and duplicates; the first `attributeCount` count. */
  readonly attributeOffsets = new Uint16Array(MAX_ATTRIBUTES);
  attributeCount = 0;

  /** What the scan itself found wrong, short of a reset. Such an UPDATE has no attribute key. */
  readonly faults: AttributeError[] = [];

  /** There are routes in either field that announces. */
  get hasReachable(): boolean {
    return this.nlriEnd > this.nlriStart || this.reachNlriEnd > this.reachNlriStart;
  }
}
