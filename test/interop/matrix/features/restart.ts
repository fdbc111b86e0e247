/**
 * Graceful restart both ways (RFC 4724). The peer is killed without a word and comes back with one route less; then heddle is stopped
 * and started. The kernel of the leaf is watched all the time: nothing that is still announced may leave it for a moment.
 */

import { endedBeforeRoute, peerRestarts } from '../capture.js';
import { type Cell, limit, observed, type Part, part, yes } from '../cell.js';
import { LEAF, PEER } from '../plan.js';
import { answer, until } from '../until.js';
import { type Feature, lackingCapability, type Row, refusal } from './feature.js';
import { pathAt } from './routes.js';

const CAPABILITY = 'graceful restart ipv6-unicast';
/** How long a route that is to stay is looked at; a peer that drops it does so at once. */
const A_LOOK = 10_000;

async function unable(row: Row): Promise<string | undefined> {
  return refusal(row, 'graceful-restart') ?? (await lackingCapability(row, 'plain', 'graceful restart'));
}

export const helper: Feature = {
  title: 'GR, heddle as helper',
  measure: async (row): Promise<Cell> => {
    const whole = 'paths stay, stale, until the peer is back';
    const why = (await unable(row)) ?? (await lackingCapability(row, 'plain', CAPABILITY));
    const { leaf } = row.stage;
    const stopWatching = leaf.watchKernel('helper');
    await row.stage.peer.kill();
    const kept = why === undefined ? await part(whole, () => staysStale(row)) : limit(whole, why);
    await row.restartPeer([PEER.going, PEER.lost]);
    await until(() => leaf.established('plain'), 'the session is established after the restart');
    const after = await part('and what did not come back goes', async () => {
      await until(async () => (await leaf.kernelRoutes(PEER.lost)) === '', 'the lost route has left the kernel');
      await until(async () => (await leaf.path(PEER.plain, 'plain'))?.stale === false, 'the path is fresh again');
      return yes('and what did not come back goes');
    });
    const deleted = stopWatching().includes(`Deleted ${PEER.plain}`);
    return why === undefined ? [kept, after, continuity(row, deleted)] : [kept];
  },
};

async function staysStale({ stage: { leaf } }: Row): Promise<Part> {
  await until(async () => !(await leaf.established('plain')), 'the session ends');
  for (const prefix of [PEER.plain, PEER.lost]) {
    await until(async () => (await leaf.path(prefix, 'plain'))?.stale === true, `the path to ${prefix} is stale`);
    if ((await leaf.kernelRoutes(prefix)) === '') throw new Error(`${prefix} has left the kernel`);
  }
  return yes('paths stay, stale, until the peer is back');
}

/** RFC 4724 section 4.2: a family whose forwarding state the peer says it has lost goes when it is back. */
function continuity({ stage }: Row, deleted: boolean): Part {
  const what = 'and nothing leaves the kernel in between';
  if (!deleted) return yes(what);
  const forwarded = peerRestarts(stage.context).at(-1)?.preserved;
  // Which of the two comes first is up to chance where both can: one note for both.
  if (forwarded === false || endedBeforeRoute(stage.context, PEER.plain))
    return observed(
      what,
      'its OPEN says that it forwarded nothing meanwhile, or its End-of-RIB comes before the route',
    );
  return { what, outcome: 'failed', seen: `${PEER.plain} was deleted from the kernel` };
}

export const restarter: Feature = {
  title: 'GR, heddle as restarter',
  measure: async (row): Promise<Cell> => {
    const { leaf, peer } = row.stage;
    const why = await unable(row);
    await until(async () => (await pathAt(peer.paths(LEAF.plain))) !== undefined, 'the peer has the route');
    await until(async () => (await leaf.kernelRoutes(PEER.plain)) !== '', "heddle's kernel has the route");
    const stopWatching = leaf.watchKernel('restarter');
    await leaf.stop();
    const kept = await part('the peer keeps the paths', async () => {
      const what = 'the peer keeps the paths';
      if (why !== undefined) return limit(what, why);
      await until(async () => !(await peer.established('plain')), 'the session ends for the peer');
      const lost = await answer(async () => (await pathAt(peer.paths(LEAF.plain))) === undefined, A_LOOK);
      return lost
        ? observed(what, 'it shows none while heddle is away, although its OPEN has the capability')
        : yes(what);
    });
    await row.restartLeaf();
    const back = await part('and has them again afterwards', async () => {
      await until(() => leaf.established('plain'), 'the session is established after the restart');
      await until(async () => (await pathAt(peer.paths(LEAF.plain))) !== undefined, 'the peer has the route again');
      await until(
        async () => (await leaf.path(PEER.plain, 'plain'))?.stale === false,
        "heddle has the peer's route again",
      );
      return yes('and has them again afterwards');
    });
    const deleted = stopWatching().includes(`Deleted ${PEER.plain}`);
    const what = "nothing leaves heddle's kernel in between";
    const forwarding: Part = deleted
      ? { what, outcome: 'failed', seen: `${PEER.plain} was deleted from the kernel` }
      : yes(what);
    return [forwarding, kept, back];
  },
};
