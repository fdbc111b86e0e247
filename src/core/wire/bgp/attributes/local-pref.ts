/** LOCAL_PREF (RFC 4271 section 5.1.5): internal sessions only; errors RFC 7606 section 7.5. */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { octets32, read32 } from '../octets.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badLength } from './attribute-fault.js';

export const localPref: AttributeCodec = {
  type: ATTRIBUTE_TYPE.localPref,
  name: 'LOCAL_PREF',
  flags: ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  unwanted: (context) => (context.externalPeer ? 'ignored from an external peer' : undefined),
  decode(value, draft) {
    if (value.length !== 4) return badLength(value.length);
    draft.localPref = read32(value, 0);
    return undefined;
  },
  encode: ({ localPref }) => (localPref === undefined ? undefined : octets32(localPref)),
  format: ({ localPref }) => (localPref === undefined ? undefined : { localPref }),
};
