/** Type codes and the flags octet of path attributes (RFC 4271 section 4.3 and the IANA registry). */

/** `kind` selects the two bits that a specification fixes; the low four bits mean nothing and are never sent set. */
export const ATTRIBUTE_FLAG = { optional: 0x80, transitive: 0x40, partial: 0x20, extendedLength: 0x10, kind: 0xc0 };

export const ATTRIBUTE_TYPE = {
  origin: 1,
  asPath: 2,
  nextHop: 3,
  med: 4,
  localPref: 5,
  atomicAggregate: 6,
  aggregator: 7,
  communities: 8,
  originatorId: 9,
  clusterList: 10,
  mpReach: 14,
  mpUnreach: 15,
  extendedCommunities: 16,
  as4Path: 17,
  as4Aggregator: 18,
  ipv6ExtendedCommunities: 25,
  aigp: 26,
  largeCommunities: 32,
  nextHopCharacteristics: 39,
};

/** One attribute with its header; the extended length only where it is needed. */
export function encodeAttribute(flags: number, type: number, value: Uint8Array): Uint8Array {
  const extended = value.length > 255;
  const attribute = new Uint8Array((extended ? 4 : 3) + value.length);
  attribute[0] = extended ? flags | ATTRIBUTE_FLAG.extendedLength : flags;
  attribute[1] = type;
  if (extended) attribute[2] = value.length >>> 8;
  attribute[extended ? 3 : 2] = value.length;
  attribute.set(value, extended ? 4 : 3);
  return attribute;
}
