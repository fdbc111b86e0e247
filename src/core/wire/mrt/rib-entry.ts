/**
 * The attributes of one route in TABLE_DUMP_V2 (RFC 6396 section 4.3.4), both ways: all AS numbers in 4 octets, and
 * MP_REACH_NLRI shortened to the length of the next hop and the next hop.
 */
import { AFI, type Family, SAFI_UNICAST } from '../../net/family.js';
import type { Prefix } from '../../net/prefix.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE, encodeAttribute } from '../bgp/attribute-header.js';
import { MESSAGE_TYPE } from '../bgp/message.js';
import { encodeMessage } from '../bgp/message-header.js';
import { encodeNextHop } from '../bgp/next-hop.js';
import { concat, octets16, octets32, read16 } from '../bgp/octets.js';
import type { PathAttributes } from '../bgp/path-attributes.js';
import { encodeAttributes, offsetAfterType } from '../bgp/update-encoder.js';
import type { RibEntry } from './table-dump.js';

/** A route of the router's own has no next hop; other writers put the unspecified address there. */
const UNSPECIFIED: Readonly<Record<Family, Uint8Array>> = {
  'ipv4-unicast': new Uint8Array(4),
  'ipv6-unicast': new Uint8Array(16),
};

export function encodeEntryAttributes(attributes: PathAttributes, family: Family): Uint8Array {
  const encoded = encodeAttributes(attributes, { fourOctetAs: true });
  const nextHop = encodeNextHop(attributes.nextHop ?? {}, 'single') ?? UNSPECIFIED[family];
  const classic = nextHop.length === 4;
  const attribute = classic
    ? encodeAttribute(ATTRIBUTE_FLAG.transitive, ATTRIBUTE_TYPE.nextHop, nextHop)
    : encodeAttribute(ATTRIBUTE_FLAG.optional, ATTRIBUTE_TYPE.mpReach, abbreviated(nextHop));
  const at = offsetAfterType(encoded, classic ? ATTRIBUTE_TYPE.nextHop : ATTRIBUTE_TYPE.mpReach);
  return concat([encoded.subarray(0, at), attribute, encoded.subarray(at)]);
}

function abbreviated(nextHop: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(nextHop.length), nextHop]);
}

export interface EntryRoute {
  readonly family: Family;
  readonly prefix: Prefix;
  /** Put in the place of the entry's own next hop: a route of the router's own has none that an UPDATE may carry. */
  readonly nextHop?: Uint8Array;
}

/**
 * The UPDATE, header included, that would have brought the route to a peer with 4-octet AS numbers; `undefined` when the
 * attributes do not fill their space.
 */
export function entryToUpdate(entry: RibEntry, route: EntryRoute): Uint8Array | undefined {
  const attributes = splitAttributes(entry.attributes);
  if (!attributes) return undefined;
  const { prefix } = route;
  const pathId = entry.pathId === undefined ? [] : [octets32(entry.pathId)];
  const nlri = concat([...pathId, Uint8Array.of(prefix.length), prefix.address.subarray(0, (prefix.length + 7) >> 3)]);
  const isReach = ({ type }: SplitAttribute) => type === ATTRIBUTE_TYPE.mpReach;
  const reach = attributes.filter(isReach).map(({ value }) => fullReach(value, route, nlri));
  const others = attributes.filter((attribute) => !isReach(attribute)).map((other) => withNextHop(other, route));
  const fields = concat([...reach, ...others]);
  const classic = reach.length === 0 ? [nlri] : [];
  return encodeMessage(MESSAGE_TYPE.update, concat([octets16(0), octets16(fields.length), fields, ...classic]));
}

/** Early writers left the attribute whole: it then starts with the AFI, whose first octet is 0, as no length is. */
function fullReach(value: Uint8Array, { family, nextHop }: EntryRoute, nlri: Uint8Array): Uint8Array {
  const short = value[0] === 0 ? value.subarray(3) : value;
  const hop = nextHop ? abbreviated(nextHop) : short.subarray(0, 1 + (short[0] ?? 0));
  const whole = [octets16(AFI[family]), Uint8Array.of(SAFI_UNICAST), hop, Uint8Array.of(0), nlri];
  return encodeAttribute(ATTRIBUTE_FLAG.optional, ATTRIBUTE_TYPE.mpReach, concat(whole));
}

function withNextHop({ type, bytes }: SplitAttribute, { nextHop }: EntryRoute): Uint8Array {
  if (type !== ATTRIBUTE_TYPE.nextHop || nextHop?.length !== 4) return bytes;
  return encodeAttribute(ATTRIBUTE_FLAG.transitive, ATTRIBUTE_TYPE.nextHop, nextHop);
}

interface SplitAttribute {
  readonly type: number;
  readonly value: Uint8Array;
  /** With its header. */
  readonly bytes: Uint8Array;
}

function splitAttributes(octets: Uint8Array): SplitAttribute[] | undefined {
  const attributes: SplitAttribute[] = [];
  let at = 0;
  while (at < octets.length) {
    const extended = (octets[at]! & ATTRIBUTE_FLAG.extendedLength) !== 0;
    const start = at + (extended ? 4 : 3);
    if (start > octets.length) return undefined;
    const end = start + (extended ? read16(octets, at + 2) : octets[at + 2]!);
    if (end > octets.length) return undefined;
    attributes.push({ type: octets[at + 1]!, value: octets.subarray(start, end), bytes: octets.subarray(at, end) });
    at = end;
  }
  return attributes;
}
