/**
 * NEXT_HOP (RFC 4271 section 5.1.3), the next hop of the classic NLRI field; errors RFC 7606 section 7.3 and RFC 4271
 * section 6.3. The next hop in MP_REACH_NLRI is decoded by ../next-hop.ts into the same place.
 */
import { formatAddress } from '../../../net/address.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { NextHop } from '../message.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeCodec, JsonValue } from './attribute-codec.js';
import { badLength, withdraw } from './attribute-fault.js';

export const nextHop: AttributeCodec = {
  type: ATTRIBUTE_TYPE.nextHop,
  name: 'NEXT_HOP',
  flags: ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    if (value.length !== 4) return badLength(value.length);
    const first = value[0]!;
    // Not the address of a host: this network, loopback, multicast and above.
    if (first === 0 || first === 127 || first >= 224) {
      return withdraw(UPDATE_SUBCODE.invalidNextHop, `${formatAddress(value)} is not a host's address`);
    }
    draft.nextHop = { global: value.slice() };
    return undefined;
  },
  format: (attributes) => (attributes.nextHop ? { nextHop: formatNextHop(attributes.nextHop) } : undefined),
};

function formatNextHop(hop: NextHop): JsonValue {
  return {
    ...(hop.global && { global: formatAddress(hop.global) }),
    ...(hop.linkLocal && { linkLocal: formatAddress(hop.linkLocal) }),
  };
}
