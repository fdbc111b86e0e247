/** Messages beyond 4096 octets (RFC 8654), as the capture has seen them. */

import { capturedMessages } from '../capture.js';
import { type Cell, limit, observed, part, yes } from '../cell.js';
import { type End, LEAF_BULK, PEER_BULK } from '../plan.js';
import { answer, DOUBT, until } from '../until.js';
import { type Feature, lackingCapability, type Row, refusal } from './feature.js';
import { pathAt } from './routes.js';

const LARGEST_WITHOUT = 4096;
const UPDATE = 2;

export const extendedMessage: Feature = {
  title: 'extended message',
  measure: async (row): Promise<Cell> => {
    const whole = 'UPDATEs beyond 4096 octets';
    const missing = await lackingCapability(row, 'plain', 'extended message');
    if (missing !== undefined) {
      const refused = refusal(row, 'extended-message');
      return [limit(whole, refused === undefined ? missing : `${missing}; ${refused}`)];
    }
    const { leaf, peer } = row.stage;
    return Promise.all([
      part('from heddle', async () => {
        await until(
          async () => (await pathAt(peer.paths(LEAF_BULK.at(-1)!))) !== undefined,
          "the peer has heddle's last route",
        );
        const octets = largestUpdate(row, 1);
        if (octets <= LARGEST_WITHOUT) throw new Error(`heddle's largest UPDATE has ${octets} octets`);
        return yes('from heddle');
      }),
      part('from the peer', async () => {
        await until(
          async () => (await leaf.kernelRoutes(PEER_BULK.at(-1)!)) !== '',
          "heddle has the peer's last route",
        );
        if (largestUpdate(row, 2) > LARGEST_WITHOUT) return yes('from the peer');
        // Sent as they were read from its configuration, routes may have come in small lots.
        await leaf.command('plain', 'refresh');
        if (await answer(() => largestUpdate(row, 2) > LARGEST_WITHOUT, DOUBT)) return yes('from the peer');
        return observed(
          'from the peer',
          `it sends no UPDATE beyond ${LARGEST_WITHOUT} octets for ${PEER_BULK.length} routes with equal attributes`,
        );
      }),
    ]);
  },
};

function largestUpdate({ stage }: Row, from: End): number {
  const updates = capturedMessages(stage.context).filter((message) => message.from === from && message.type === UPDATE);
  return Math.max(0, ...updates.map(({ octets }) => octets));
}
