/** What a session has beside routes: signatures, hop limits, BFD, limits, and how it ends. */
import { limit, observed, part, yes } from '../cell.js';
import { PREFIX_LIMIT } from '../plan.js';
import { answer, DOUBT, until } from '../until.js';
import { type Feature, type Row, refusal } from './feature.js';

export const md5: Feature = {
  title: 'MD5',
  measure: async (row) => [
    await part('session with the password', async () => {
      const why = refusal(row, 'md5');
      if (why !== undefined) return limit('session with the password', why);
      const { leaf, peer } = row.stage;
      await until(() => leaf.established('signed'), 'the session with a password is established');
      await until(() => peer.established('signed'), 'the peer says so');
      return yes('session with the password');
    }),
  ],
};

export const gtsm: Feature = {
  title: 'GTSM',
  measure: async (row) => [
    await part('session at hop limit 255', async () => {
      const why = refusal(row, 'gtsm');
      if (why !== undefined) return limit('session at hop limit 255', why);
      const { leaf, peer } = row.stage;
      await until(() => leaf.established('near'), 'the session at hop limit 255 is established');
      await until(async () => (await leaf.neighbor('near')).security.hopLimit === 255, 'the peer sends hop limit 255');
      await until(() => peer.established('near'), 'the peer says so');
      return yes('session at hop limit 255');
    }),
  ],
};

export const bfd: Feature = {
  title: 'BFD',
  measure: async (row) => [
    await part('up on both sides', async () => {
      const why = refusal(row, 'bfd');
      if (why !== undefined) return limit('up on both sides', why);
      const { leaf, peer } = row.stage;
      await until(async () => (await leaf.neighbor('watched')).bfd?.state === 'Up', 'BFD is up for heddle');
      await until(async () => /^up$/i.test(await peer.bfd()), 'BFD is up for the peer');
      await until(() => leaf.established('watched'), 'the session beside it is established');
      return yes('up on both sides');
    }),
  ],
};

export const maxPrefix: Feature = {
  title: 'max-prefix',
  measure: async ({ stage: { leaf, peer } }) => [
    await part('heddle ends the session', async () => {
      await until(
        async () => (await leaf.neighbor('limited')).hold?.kind === 'prefix-limit',
        `the session ends beyond ${PREFIX_LIMIT} prefixes`,
      );
      const { lastDown } = await leaf.neighbor('limited');
      const sent = `${lastDown?.code}/${lastDown?.subcode}`;
      if (sent !== '6/1') throw new Error(`heddle ended it with ${sent}`);
      return yes('heddle ends the session');
    }),
    await part('the peer shows why', async () => {
      const shown = await answer(async () => {
        const text = await peer.lastError('limited');
        return /prefix|Code=6 .*Subcode=1\b/i.test(text) ? text : undefined;
      }, DOUBT);
      return shown !== undefined
        ? yes('the peer shows why')
        : observed('the peer shows why', `it shows "${await peer.lastError('limited')}"`);
    }),
  ],
};

const OUR_TEXT = 'optics are replaced';
const THEIR_TEXT = 'fibre is cleaned';

/** A peer that calls again at once and fails at it is told of in the place of how the session ended. */
const ATTEMPTS = 3;

/** What heddle shows as the peer ends the session: looked at all the while, for it may be up again at once. */
async function endedByPeer({ leaf, peer }: Row['stage']): Promise<string> {
  const before = (await leaf.neighbor('ended')).messages.received.notification;
  const came = answer(async () => {
    const { messages, lastDown } = await leaf.neighbor('ended');
    return messages.received.notification > before && (lastDown?.message ?? '');
  });
  const [shown] = await Promise.all([came, peer.shutdown('ended', THEIR_TEXT)]);
  if (shown === undefined) throw new Error('no NOTIFICATION came to heddle');
  return shown;
}

export const notification: Feature = {
  title: 'notification text',
  measure: async ({ stage }: Row) => [
    await part('from heddle', async () => {
      const { leaf, peer } = stage;
      await until(() => leaf.established('ended'), 'the session is established');
      await leaf.command('ended', 'shutdown', OUR_TEXT);
      await until(async () => !(await peer.established('ended')), 'the session ends for the peer');
      const shown = await answer(async () => (await peer.lastError('ended')).includes(OUR_TEXT), DOUBT);
      return shown ? yes('from heddle') : observed('from heddle', `it shows "${await peer.lastError('ended')}"`);
    }),
    await part('from the peer', async () => {
      const { leaf } = stage;
      await leaf.command('ended', 'enable');
      let shown = '';
      for (let left = ATTEMPTS; left > 0 && !shown.startsWith('the neighbour sent'); left--) {
        await until(() => leaf.established('ended'), 'the session is established again');
        shown = await endedByPeer(stage);
      }
      if (shown.includes(THEIR_TEXT)) return yes('from the peer');
      return observed('from the peer', `heddle shows "${shown.replace(/; since then.*/, '')}"`);
    }),
  ],
};
