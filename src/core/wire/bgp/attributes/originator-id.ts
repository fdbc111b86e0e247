/** ORIGINATOR_ID (RFC 4456 section 8): checked and then left alone, since heddle reflects nothing; errors RFC 7606 section 7.9. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badLength } from './attribute-fault.js';

export const originatorId: AttributeCodec = {
  type: ATTRIBUTE_TYPE.originatorId,
  name: 'ORIGINATOR_ID',
  flags: ATTRIBUTE_FLAG.optional,
  flagsAction: 'treat-as-withdraw',
  unwanted: (context) => (context.externalPeer ? 'ignored from an external peer' : undefined),
  decode: (value) => (value.length === 4 ? undefined : badLength(value.length)),
};
