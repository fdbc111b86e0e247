/** Link-local next hop (draft-ietf-idr-linklocal-capability). */
import { emptyCapability } from './capability-codec.js';

export const linkLocalNextHop = emptyCapability(77, { kind: 'link-local-next-hop' });
