/** A path that drops everything while its links stay up: who finds out, how soon, and how many writes to the kernel move what was on it. */
import { expect } from 'vitest';
import { crowded, ENDS, INTACT, LEAF, lossOf, since, WITHOUT_SPINE1 } from '../harness/crowd.js';
import { describeTrials, type Trial, ways } from '../harness/trial.js';

/** Milliseconds. */
const INTERVAL = 1000;
const MULTIPLIER = 5;
/** A machine that stands still for less fails no path. */
const DETECTION = INTERVAL * MULTIPLIER;
/** What a busy machine may take beyond that; the hold time is longer. */
const slackOf = ({ real }: Trial) => (real ? 30_000 : 300);

const BFD = `bfd: { interval: ${INTERVAL}, multiplier: ${MULTIPLIER} }
timers: { hold: 90 }`;
describeTrials('a path that fails in silence, with BFD', crowded('fw-bfd', BFD), (trial) => {
  const { fabric, scenario, settles, under } = trial;
  const table = async () => ways(await fabric.table(LEAF));

  for (const [what, directions] of [
    ['in both directions', 'both'],
    ['towards the spine only', 'out'],
  ] as const) {
    scenario(`${what}: one write moves all that goes over it`, async () => {
      await settles(table, INTACT);
      const before = await fabric.writes(LEAF);
      const reports = await under(ENDS, async () => {
        await fabric.silence(LEAF, 'spine1', directions);
        await settles(table, WITHOUT_SPINE1);
      });
      const written = since(before, await fabric.writes(LEAF));
      // The next hop leads elsewhere; then the groups follow, as the tables have it. No route is written.
      expect(written.nextHops).toBe(1);
      expect(written.routes).toBe(0);
      const { outage, others } = lossOf(reports);
      expect(outage).toBeGreaterThan(DETECTION / 2);
      expect(outage).toBeLessThanOrEqual(DETECTION + slackOf(trial));
      expect(others).toBe(0);
      await fabric.heal(LEAF, 'spine1');
      await settles(table, INTACT);
    });
  }

  scenario(
    'towards the leaf only: the uplink is left all the same, and nothing is lost that leaves by it',
    async () => {
      await settles(table, INTACT);
      const reports = await under(ENDS, async () => {
        await fabric.silence('spine1', LEAF, 'out');
        await settles(table, WITHOUT_SPINE1);
      });
      const { outage, others } = lossOf(reports);
      expect(outage).toBeLessThanOrEqual(trial.real ? DETECTION / 3 : 50);
      expect(others).toBe(0);
      await fabric.heal('spine1', LEAF);
      await settles(table, INTACT);
    },
  );
});

/** Seconds. */
const HOLD = 9;
describeTrials(
  'a path that fails in silence, without BFD',
  crowded('fw-hold', `timers: { hold: ${HOLD} }`),
  (trial) => {
    const { fabric, scenario, settles, under } = trial;
    const table = async () => ways(await fabric.table(LEAF));

    scenario('is left when the hold time is over, by one write too', async () => {
      await settles(table, INTACT);
      const before = await fabric.writes(LEAF);
      const reports = await under(ENDS, async () => {
        await fabric.silence(LEAF, 'spine1', 'both');
        // Nobody knows before; a look at the tables takes longer than simulated time does.
        await fabric.pause((HOLD * 2000) / 3);
        await settles(table, WITHOUT_SPINE1);
      });
      const written = since(before, await fabric.writes(LEAF));
      expect(written.nextHops).toBe(1);
      expect(written.routes).toBe(0);
      const { outage, others } = lossOf(reports);
      // The last KEEPALIVE came at most a third of the hold time before.
      expect(outage).toBeGreaterThan((HOLD * 1000) / 2);
      expect(outage).toBeLessThanOrEqual(HOLD * 1000 + 2 * slackOf(trial));
      expect(others).toBe(0);
      await fabric.heal(LEAF, 'spine1');
      await settles(table, INTACT);
    });
  },
);
