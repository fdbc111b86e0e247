/** ORIGIN (RFC 4271 sections 4.3 and 5.1.1); errors RFC 7606 section 7.1. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { Origin } from '../path-attributes.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badLength, withdraw } from './attribute-fault.js';

const NAMES = ['igp', 'egp', 'incomplete'] as const;

export const origin: AttributeCodec = {
  type: ATTRIBUTE_TYPE.origin,
  name: 'ORIGIN',
  flags: ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    if (value.length !== 1) return badLength(value.length);
    const code = value[0]!;
    if (code > 2) return withdraw(UPDATE_SUBCODE.invalidOrigin, `unknown value ${code}`);
    draft.origin = code as Origin;
    return undefined;
  },
  encode: (attributes) => Uint8Array.of(attributes.origin),
  format: (attributes) => ({ origin: NAMES[attributes.origin] }),
};
