/** What holds for the routes of a session unless it says otherwise. */
import type { SessionOptions } from '../policy/session-options.js';
import type { SessionConfig } from './config.js';

export function receivedOptions({ options }: SessionConfig): SessionOptions {
  return { enforceFirstAs: true, ...options };
}
