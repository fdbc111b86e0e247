/** BFD strict mode (draft-ietf-idr-bgp-bfd-strict-mode). */
import { emptyCapability } from './capability-codec.js';

export const strictBfd = emptyCapability(74, { kind: 'strict-bfd' });
