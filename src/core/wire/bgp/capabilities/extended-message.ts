/** Extended messages (RFC 8654). */
import { emptyCapability } from './capability-codec.js';

export const extendedMessage = emptyCapability(6, { kind: 'extended-message' });
