/**
 * Where things lie in one UPDATE (RFC 4271 section 4.3): offsets into its body, filled by `splitUpdate`. One view is
 * reused for all messages of a session, so that the hot path allocates nothing. All ranges are [start, end) in `body`.
 */
import type { UpdateContext } from './message.js';
import type { AttributeError, ErrorAction } from './path-attributes.js';

/** The field that a set of routes stands in: the classic NLRI field (IPv4 only) or MP_REACH_NLRI (RFC 4760). */
export type NlriField = 'classic' | 'mp';

/** An attribute type is one octet, and duplicates are dropped by the scan. */
const MAX_ATTRIBUTES = 256;

/** UPDATE Message Error subcodes (RFC 4271 section 6.3). */
export const UPDATE_SUBCODE = {
  malformedList: 1,
  unrecognizedWellKnown: 2,
  missingWellKnown: 3,
  attributeFlags: 4,
  attributeLength: 5,
  invalidOrigin: 6,
  invalidNextHop: 8,
  optionalAttribute: 9,
  invalidNetwork: 10,
  malformedAsPath: 11,
};

export class UpdateView {
  /** Valid only as long as the caller keeps the octets, which is during the framer's callback. */
  body: Uint8Array = new Uint8Array(0);
  /** How the session that the message came in reads it. */
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

  /** One bit for each attribute type that the scan has met. */
  private readonly seen = new Uint32Array(MAX_ATTRIBUTES / 32);

  /** Notes an attribute type; true when it was there before. */
  meetAgain(type: number): boolean {
    const bit = 1 << (type & 31);
    const word = type >>> 5;
    if ((this.seen[word]! & bit) !== 0) return true;
    this.seen[word]! |= bit;
    return false;
  }

  /** Forgets the last message. */
  reset(body: Uint8Array, context: UpdateContext): void {
    this.body = body;
    this.context = context;
    this.withdrawnStart = this.withdrawnEnd = 0;
    this.nlriStart = this.nlriEnd = 0;
    this.reachAfi = this.reachSafi = 0;
    this.reachNextHopStart = this.reachNextHopEnd = 0;
    this.reachNlriStart = this.reachNlriEnd = 0;
    this.unreachAfi = this.unreachSafi = 0;
    this.unreachNlriStart = this.unreachNlriEnd = 0;
    this.attributeCount = 0;
    for (let word = 0; word < this.seen.length; word++) this.seen[word] = 0;
    if (this.faults.length > 0) this.faults.length = 0;
  }

  addFault(action: ErrorAction, attribute: number, reason: string, subcode = UPDATE_SUBCODE.malformedList): void {
    this.faults.push({ action, attribute, reason, subcode });
  }

  /** There are routes in this field. */
  hasRoutes(field: NlriField): boolean {
    return field === 'mp' ? this.reachNlriEnd > this.reachNlriStart : this.nlriEnd > this.nlriStart;
  }

  /** There are routes in either field that announces. */
  get hasReachable(): boolean {
    return this.hasRoutes('classic') || this.hasRoutes('mp');
  }
}
