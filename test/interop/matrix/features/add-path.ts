/** Path identifiers (RFC 7911), each way on its own. */
import { updateContents } from '../../../../src/app/replay/update-contents.js';
import { formatPrefix } from '../../../../src/core/net/prefix.js';
import { capturedMessages, peerAddPath } from '../capture.js';
import { type Cell, limit, part, yes } from '../cell.js';
import { LEAF, PEER } from '../plan.js';
import { until } from '../until.js';
import { type Feature, type Row, refusal } from './feature.js';
import { pathAt } from './routes.js';

const UPDATE = 2;
const CONTEXT = { fourOctetAs: true, addPath: ['ipv6-unicast' as const], externalPeer: true, aigp: true };

export const addPath: Feature = {
  title: 'add-path',
  measure: async (row): Promise<Cell> => {
    const { leaf, peer, context } = row.stage;
    const unable = (direction: 'receive' | 'send') => {
      if (peerAddPath(context)[direction]) return undefined;
      const refused = refusal(row, 'add-path');
      const open = `its OPEN does not offer to ${direction} path identifiers`;
      return refused === undefined ? open : `${open}; ${refused}`;
    };
    return Promise.all([
      part('from heddle', async () => {
        const why = unable('receive');
        if (why !== undefined) return limit('from heddle', why);
        await until(() => identifiedByLeaf(row, LEAF.plain), 'heddle sends the route with a path identifier');
        await until(async () => (await pathAt(peer.paths(LEAF.plain))) !== undefined, 'the peer has that route');
        return yes('from heddle');
      }),
      part('from the peer', async () => {
        const why = unable('send');
        if (why !== undefined) return limit('from the peer', why);
        const identified = async () => typeof (await leaf.path(PEER.plain, 'plain'))?.pathId === 'number';
        await until(identified, "heddle has the peer's route with a path identifier");
        return yes('from the peer');
      }),
    ]);
  },
};

function identifiedByLeaf({ stage }: Row, prefix: string): boolean {
  const updates = capturedMessages(stage.context).filter(({ from, type }) => from === 1 && type === UPDATE);
  return updates.some(({ body }) => {
    const contents = updateContents(body, CONTEXT);
    if (contents.kind === 'error') return false;
    const routes = contents.announced.flatMap((announced) => announced.routes);
    return routes.some((route) => formatPrefix(route.prefix) === prefix && route.pathId !== undefined);
  });
}
