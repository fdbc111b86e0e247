/** Enhanced route refresh (RFC 7313). */
import { emptyCapability } from './capability-codec.js';

export const enhancedRouteRefresh = emptyCapability(70, { kind: 'enhanced-route-refresh' });
