/** Whether the sessions of a configuration can be protected as it says: before anything of it is applied. */
import type { Transport } from '../ports/transport.js';
import type { SpeakerConfig } from './config.js';

/** What stands in the way, in words, with the place; `undefined` when nothing does. */
export function authenticationProblem({ fabric }: SpeakerConfig, transport: Transport): string | undefined {
  for (const { name, authenticationKey } of fabric) {
    const obstacle = authenticationKey && transport.obstacle(authenticationKey);
    if (obstacle !== undefined) return `fabric.${name}.tcp-ao: ${obstacle}`;
  }
  return undefined;
}
