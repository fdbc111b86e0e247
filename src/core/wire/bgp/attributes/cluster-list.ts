/** CLUSTER_LIST (RFC 4456 section 8): checked and then left alone, since heddle reflects nothing; errors RFC 7606 section 7.10. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badListLength } from './attribute-fault.js';

export const clusterList: AttributeCodec = {
  type: ATTRIBUTE_TYPE.clusterList,
  name: 'CLUSTER_LIST',
  flags: ATTRIBUTE_FLAG.optional,
  flagsAction: 'treat-as-withdraw',
  unwanted: (context) => (context.externalPeer ? 'ignored from an external peer' : undefined),
  decode: (value) => badListLength(value.length, 4),
};
