/** COMMUNITIES (RFC 1997); errors RFC 7606 section 7.8. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { read32, write32 } from '../octets.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badListLength } from './attribute-fault.js';

/** `65000:1` */
export function formatCommunity(community: number): string {
  return `${community >>> 16}:${community & 0xffff}`;
}

export const communities: AttributeCodec = {
  type: ATTRIBUTE_TYPE.communities,
  name: 'COMMUNITIES',
  flags: ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    const fault = badListLength(value.length, 4);
    if (fault) return fault;
    draft.communities = Array.from({ length: value.length / 4 }, (_, index) => read32(value, index * 4));
    return undefined;
  },
  encode({ communities }) {
    if (!communities?.length) return undefined;
    const bytes = new Uint8Array(communities.length * 4);
    communities.forEach((community, index) => {
      write32(bytes, index * 4, community);
    });
    return bytes;
  },
  format: ({ communities }) => communities && { communities: communities.map(formatCommunity) },
};
