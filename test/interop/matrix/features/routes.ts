/** Sessions and the routes on them: both families, both directions, into heddle's kernel and out of it again. */
import { type Cell, limit, observed, type Part, part, yes } from '../cell.js';
import { leafConfig } from '../heddle.js';
import type { PeerPath } from '../peers/peer.js';
import { LEAF, PEER } from '../plan.js';
import { answer, DOUBT, until } from '../until.js';
import { type Feature, lackingCapability, type Row, refusal } from './feature.js';

export const establish: Feature = {
  title: 'establish',
  measure: async ({ stage }) => [
    await part('heddle says so', async () => {
      await until(() => stage.leaf.established('plain'), 'the session is established for heddle');
      return yes('heddle says so');
    }),
    await part('the peer says so', async () => {
      await until(() => stage.peer.established('plain'), 'the session is established for the peer');
      return yes('the peer says so');
    }),
  ],
};

export const ipv6: Feature = {
  title: 'IPv6',
  measure: (row) => bothWays(row, { ours: LEAF.plain, theirs: PEER.plain }),
};

export const ipv4: Feature = {
  title: 'IPv4 over IPv6 next hop',
  measure: async (row) => {
    const why =
      refusal(row, 'extended-next-hop') ?? (await lackingCapability(row, 'plain', 'extended next hop ipv4-unicast'));
    if (why !== undefined) return [limit('IPv4 over an IPv6 next hop', why)];
    return bothWays(row, { ours: LEAF.ipv4, theirs: PEER.ipv4 });
  },
};

async function bothWays({ stage }: Row, { ours, theirs }: { ours: string; theirs: string }): Promise<Cell> {
  return Promise.all([
    part("heddle's route at the peer", async () => {
      const what = "heddle's route at the peer";
      // It may have to look the next hop up first.
      const usable = await answer(async () => (await pathAt(stage.peer.paths(ours)))?.unusable === undefined, DOUBT);
      const path = await answer(() => pathAt(stage.peer.paths(ours)));
      if (!path) throw new Error(`the peer has no path for ${ours}`);
      return usable && path.unusable === undefined
        ? yes(what)
        : observed(what, `it shows the path as: ${path.unusable}`);
    }),
    part("the peer's route in heddle's kernel", async () => {
      await until(
        async () => (await stage.leaf.kernelRoutes(theirs)).includes('dev plain'),
        `the kernel of the leaf has a route to ${theirs}`,
      );
      return yes("the peer's route in heddle's kernel");
    }),
  ]);
}

export async function pathAt(shown: Promise<readonly PeerPath[]>): Promise<PeerPath | undefined> {
  return (await shown).find(({ link }) => link === 'plain');
}

export const withdraw: Feature = {
  title: 'withdraw',
  measure: ({ stage }) =>
    Promise.all([
      part('by heddle', async () => {
        await until(async () => (await pathAt(stage.peer.paths(LEAF.going))) !== undefined, 'the peer has the route');
        await stage.leaf.reload(leafConfig(stage.folder, stage.context.addressing, [LEAF.going]));
        await until(
          async () => (await pathAt(stage.peer.paths(LEAF.going))) === undefined,
          'the peer has lost the route',
        );
        return yes('by heddle');
      }),
      part('by the peer', async () => {
        await until(async () => (await stage.leaf.kernelRoutes(PEER.going)) !== '', "heddle's kernel has the route");
        await stage.peer.withdraw(PEER.going);
        await until(
          async () => (await stage.leaf.kernelRoutes(PEER.going)) === '',
          "heddle's kernel has lost the route",
        );
        return yes('by the peer');
      }),
    ]),
};

export const refresh: Feature = {
  title: 'route refresh',
  measure: async (row) => {
    const asked = await peerAsks(row);
    const answered = await heddleAsks(row);
    // One that ended the session is back before the next feature begins.
    await until(() => row.stage.leaf.established('plain'), 'the session is established after the refresh');
    return [answered, asked];
  },
};

/** A new session brings all routes as well: that is no answer. */
const A_LOOK = 10_000;

function heddleAsks(row: Row): Promise<Part> {
  const { leaf, peer } = row.stage;
  return part('heddle asks', async () => {
    const why = await lackingCapability(row, 'plain', 'route refresh');
    if (why !== undefined) return limit('heddle asks', why);
    const before = await leaf.neighbor('plain');
    const ended = async () => {
      const { state, establishedCount } = await leaf.neighbor('plain');
      return state !== 'established' || establishedCount > before.establishedCount;
    };
    await leaf.command('plain', 'refresh');
    const again = await answer(
      async () => (await leaf.neighbor('plain')).messages.received.update > before.messages.received.update,
      DOUBT,
    );
    if (await answer(ended, A_LOOK)) return observed('heddle asks', 'it ends the session');
    if (again) return yes('heddle asks');
    const refused = await peer.refusedRefresh?.('plain');
    if (refused !== undefined) return limit('heddle asks', `it sends nothing again, and logs "${refused}"`);
    throw new Error('no UPDATE came again');
  });
}

function peerAsks({ stage: { leaf, peer } }: Row): Promise<Part> {
  return part('the peer asks', async () => {
    const before = (await leaf.neighbor('plain')).messages;
    await peer.refresh('plain');
    const asked = await answer(async () => {
      const { received } = (await leaf.neighbor('plain')).messages;
      return received.routeRefresh > before.received.routeRefresh;
    }, DOUBT);
    if (!asked) return observed('the peer asks', 'its command for that sends no ROUTE-REFRESH');
    await until(async () => {
      const { sent } = (await leaf.neighbor('plain')).messages;
      return sent.update > before.sent.update;
    }, 'heddle sends its routes again');
    return yes('the peer asks');
  });
}
