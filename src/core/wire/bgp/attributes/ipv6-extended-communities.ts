/** IPv6 ADDRESS SPECIFIC EXTENDED COMMUNITIES (RFC 5701): passed on unread; errors RFC 7606 section 7.15. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badListLength } from './attribute-fault.js';

const OCTETS = 20;
const FLAGS = ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive;

export const ipv6ExtendedCommunities: AttributeCodec = {
  type: ATTRIBUTE_TYPE.ipv6ExtendedCommunities,
  name: 'IPV6 EXTENDED COMMUNITIES',
  flags: FLAGS,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    const fault = badListLength(value.length, OCTETS);
    if (fault) return fault;
    const attribute = { flags: FLAGS, type: ATTRIBUTE_TYPE.ipv6ExtendedCommunities, value: value.slice() };
    draft.unknown = [...(draft.unknown ?? []), attribute];
    return undefined;
  },
};
