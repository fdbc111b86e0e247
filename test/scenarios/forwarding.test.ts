/**
 * What forwarding does when a link fails, with traffic on it: who moves it, how many writes to the kernel that takes, and what is
 * lost.
 */
import { expect } from 'vitest';
import {
  CROWD,
  crowded,
  ENDS,
  FAR,
  IN_THE_CROWD,
  INTACT,
  LEAF,
  lossOf,
  since,
  WITHOUT_SPINE1,
} from '../harness/crowd.js';
import { describeTrials, ways } from '../harness/trial.js';

/** Milliseconds that the daemon is stopped at least; if the daemon had to move the traffic, it would be lost for as long. */
const STOPPED = 500;
/** A preferred and a fallback one for each colour, once those are joined that came in pieces. */
const GROUPS = 6;

/** Seconds; so long that no session ends while its daemon is stopped. */
const HOLD = 90;

describeTrials('a link that fails', crowded('fw-link', `timers: { hold: ${HOLD} }`), (trial) => {
  const { fabric, scenario, settles, under } = trial;
  const table = async () => ways(await fabric.table(LEAF));

  const failures = [
    { what: 'is set down here', fail: () => fabric.fail(LEAF, 'spine1'), heal: () => fabric.heal(LEAF, 'spine1') },
    { what: 'loses carrier', fail: () => fabric.fail('spine1', LEAF), heal: () => fabric.heal('spine1', LEAF) },
    { what: 'is deleted', fail: () => fabric.remove(LEAF, 'spine1'), heal: () => fabric.restore(LEAF, 'spine1') },
  ];
  for (const { what, fail, heal } of failures) {
    scenario(`${what}: the kernel moves its prefixes, all of them, while the daemon is stopped`, async () => {
      await settles(table, INTACT);
      const failing = await under(ENDS, async () => {
        await fabric.suspend(LEAF);
        await fail();
        // Metric 30 is all that is left of those over spine 1; the groups of the others have lost a member.
        await settles(table, { ' | spine2 spine3': CROWD + 1, 'spine2 | spine3': 1, 'spine3 | spine2': 1 });
        for (const address of ['fc00:1:1:1::1', IN_THE_CROWD])
          expect(['to-spine2', 'to-spine3']).toContain(await fabric.lookup(LEAF, address));
        // The eBPF plane leaves packets to the kernel 100 ms after the last word of the daemon.
        await fabric.pause(STOPPED);
      });
      const stopped = await under(ENDS, () => fabric.pause(STOPPED));
      await fabric.resume(LEAF);
      await settles(table, WITHOUT_SPINE1);
      const healing = await under(ENDS, async () => {
        await heal();
        await settles(table, INTACT);
      });
      expect(await fabric.lookup(LEAF, IN_THE_CROWD)).toBe('to-spine1');
      // The kernel drops what is on the wire while it takes the link down, for as long as that takes it; after that nothing is lost.
      if (!trial.real) expect(lossOf(failing).outage).toBeLessThanOrEqual(STOPPED / 2);
      expect(lossOf(failing).others).toBe(0);
      for (const reports of [stopped, healing]) expect(reports.map(({ lost }) => lost)).toEqual([0, 0, 0]);
    });
  }

  scenario("is the spine's to the far leaf: one write a group, however many prefixes", async () => {
    await settles(table, INTACT);
    await settles(() => fabric.groupCount(LEAF), GROUPS);
    const before = await fabric.writes(LEAF);
    const reports = await under(ENDS, async () => {
      await fabric.fail('spine1', FAR);
      await settles(table, WITHOUT_SPINE1);
    });
    const written = since(before, await fabric.writes(LEAF));
    // A busy spine may tell it in pieces, which are written route by route: each once, that of the colour alone included.
    if (trial.real && written.routes > 0) expect(written.routes).toBeLessThanOrEqual(CROWD + 1);
    // The preferred group of the crowd, and the fallback groups of the other two.
    else expect(written).toEqual({ nextHops: 0, groups: 3, routes: 0 });
    const { outage, others } = lossOf(reports);
    // Two daemons of a busy machine wait for their turn; the hold timer would take two thirds of its time at least.
    expect(outage).toBeLessThanOrEqual(trial.real ? (HOLD * 1000) / 3 : 250);
    expect(others).toBe(0);
    await fabric.heal('spine1', FAR);
    await settles(table, INTACT);
  });
});
