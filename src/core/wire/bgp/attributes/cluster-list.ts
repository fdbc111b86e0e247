/** CLUSTER_LIST (RFC 4456 section 8): the clusters that reflected the route, the last one first; errors RFC 7606 section 7.10. */
import { formatIdentifier } from '../../../net/identifier.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { concat, octets32, read32 } from '../octets.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badListLength } from './attribute-fault.js';

export const clusterList: AttributeCodec = {
  type: ATTRIBUTE_TYPE.clusterList,
  name: 'CLUSTER_LIST',
  flags: ATTRIBUTE_FLAG.optional,
  flagsAction: 'treat-as-withdraw',
  unwanted: (context) => (context.externalPeer ? 'ignored from an external peer' : undefined),
  decode(value, draft) {
    const fault = badListLength(value.length, 4);
    if (fault) return fault;
    draft.clusterList = Array.from({ length: value.length / 4 }, (_, index) => read32(value, index * 4));
    return undefined;
  },
  encode: ({ clusterList }) => (clusterList?.length ? concat(clusterList.map(octets32)) : undefined),
  format: ({ clusterList }) => clusterList && { clusterList: clusterList.map(formatIdentifier) },
};
