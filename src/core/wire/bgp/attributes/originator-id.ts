/** ORIGINATOR_ID (RFC 4456 section 8): the BGP identifier of the router that brought the route into the AS; errors RFC 7606 section 7.9. */
import { formatIdentifier } from '../../../net/identifier.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { octets32, read32 } from '../octets.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badLength } from './attribute-fault.js';

export const originatorId: AttributeCodec = {
  type: ATTRIBUTE_TYPE.originatorId,
  name: 'ORIGINATOR_ID',
  flags: ATTRIBUTE_FLAG.optional,
  flagsAction: 'treat-as-withdraw',
  unwanted: (context) => (context.externalPeer ? 'ignored from an external peer' : undefined),
  decode(value, draft) {
    if (value.length !== 4) return badLength(value.length);
    draft.originatorId = read32(value, 0);
    return undefined;
  },
  encode: ({ originatorId }) => (originatorId === undefined ? undefined : octets32(originatorId)),
  format: ({ originatorId }) =>
    originatorId === undefined ? undefined : { originatorId: formatIdentifier(originatorId) },
};
