/** MULTI_EXIT_DISC (RFC 4271 section 5.1.4); errors RFC 7606 section 7.4. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { octets32, read32 } from '../octets.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badLength } from './attribute-fault.js';

export const med: AttributeCodec = {
  type: ATTRIBUTE_TYPE.med,
  name: 'MULTI_EXIT_DISC',
  flags: ATTRIBUTE_FLAG.optional,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    if (value.length !== 4) return badLength(value.length);
    draft.med = read32(value, 0);
    return undefined;
  },
  encode: ({ med }) => (med === undefined ? undefined : octets32(med)),
  format: ({ med }) => (med === undefined ? undefined : { med }),
};
