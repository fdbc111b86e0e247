/** Route refresh (RFC 2918). */
import { emptyCapability } from './capability-codec.js';

export const routeRefresh = emptyCapability(2, { kind: 'route-refresh' });
