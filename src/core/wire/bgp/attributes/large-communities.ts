/** LARGE_COMMUNITY (RFC 8092); errors its section 6. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { read32, write32 } from '../octets.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badListLength } from './attribute-fault.js';

const OCTETS = 12;

export type LargeCommunity = readonly [number, number, number];

export function formatLargeCommunity(community: LargeCommunity): string {
  return community.join(':');
}

export const largeCommunities: AttributeCodec = {
  type: ATTRIBUTE_TYPE.largeCommunities,
  name: 'LARGE_COMMUNITY',
  flags: ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    const fault = badListLength(value.length, OCTETS);
    if (fault) return fault;
    draft.largeCommunities = Array.from({ length: value.length / OCTETS }, (_, index) => {
      const at = index * OCTETS;
      return [read32(value, at), read32(value, at + 4), read32(value, at + 8)] as const;
    });
    return undefined;
  },
  encode({ largeCommunities }) {
    if (!largeCommunities?.length) return undefined;
    // RFC 8092 section 5: a duplicate is not sent.
    const distinct = [
      ...new Map(largeCommunities.map((community) => [formatLargeCommunity(community), community])).values(),
    ];
    const bytes = new Uint8Array(distinct.length * OCTETS);
    distinct.forEach((community, index) => {
      community.forEach((part, position) => {
        write32(bytes, index * OCTETS + position * 4, part);
      });
    });
    return bytes;
  },
  format: ({ largeCommunities }) =>
    largeCommunities && { largeCommunities: largeCommunities.map(formatLargeCommunity) },
};
