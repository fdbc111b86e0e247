/** ATOMIC_AGGREGATE (RFC 4271 section 5.1.6); errors RFC 7606 section 7.6. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeCodec } from './attribute-codec.js';
import { discard } from './attribute-fault.js';

export const atomicAggregate: AttributeCodec = {
  type: ATTRIBUTE_TYPE.atomicAggregate,
  name: 'ATOMIC_AGGREGATE',
  flags: ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    if (value.length !== 0) return discard(UPDATE_SUBCODE.attributeLength, `length ${value.length}`);
    draft.atomicAggregate = true;
    return undefined;
  },
  encode: (attributes) => (attributes.atomicAggregate ? new Uint8Array(0) : undefined),
  format: (attributes) => (attributes.atomicAggregate ? { atomicAggregate: true } : undefined),
};
