/** AS4_AGGREGATOR (RFC 6793): as AS4_PATH, for AGGREGATOR. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import { decodeAggregator, encodeAggregator } from './aggregator.js';
import type { AttributeCodec } from './attribute-codec.js';
import { discard } from './attribute-fault.js';

export const as4Aggregator: AttributeCodec = {
  type: ATTRIBUTE_TYPE.as4Aggregator,
  name: 'AS4_AGGREGATOR',
  flags: ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive,
  flagsAction: 'attribute-discard',
  unwanted: (context) => (context.fourOctetAs ? 'ignored from a peer with 4-octet AS numbers' : undefined),
  decode(value, draft) {
    const decoded = decodeAggregator(value, 4);
    if (!decoded) return discard(UPDATE_SUBCODE.optionalAttribute, `length ${value.length}, or AS 0`);
    draft.as4Aggregator = decoded;
    return undefined;
  },
  encode: ({ aggregator }, options) =>
    aggregator && !options.fourOctetAs && aggregator.asn > 0xffff ? encodeAggregator(aggregator, 4) : undefined,
};
