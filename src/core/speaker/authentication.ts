/** Whether the sessions of a configuration can be protected as it says: before anything of it is applied. */
import type { Transport } from '../ports/transport.js';
import type { SpeakerConfig } from './config.js';

/** What stands in the way, in words, with the place; `undefined` when nothing does. */
export function authenticationProblem(
  { fabric, neighbours = [] }: SpeakerConfig,
  transport: Transport,
): string | undefined {
  const places = [
    ...fabric.map((link) => ({ ...link, section: 'fabric' })),
    ...neighbours.map((neighbour) => ({ ...neighbour, section: 'neighbors' })),
  ];
  for (const { section, name, authenticationKey } of places) {
    const obstacle = authenticationKey && transport.obstacle(authenticationKey);
    if (obstacle !== undefined) return `${section}.${name}.tcp-ao: ${obstacle}`;
  }
  return undefined;
}
