/** What of an AS_PATH makes a route of a neighbour unusable, and the switches of those who want it all the same. */
import { describe, expect, it } from 'vitest';
import { attribute, ORIGIN, reach, update } from '../../test/harness/hostile-updates.js';
import { FOE_PREFIX, HostileStage, SECOND, type StageChanges } from './hostile-stage.fixture.js';

/** What the router makes of one route of AS 64999 with this AS_PATH. */
async function routeWith(asPath: string, changes: StageChanges = {}) {
  const stage = await HostileStage.ready(changes);
  const foe = await stage.established();
  const nextHop = 'fe800000000000000000000000000066';
  foe.send(update({ attributes: [ORIGIN, attribute(0x40, 2, asPath), reach(nextHop, '40fc00006600000000')] }));
  await stage.pass(SECOND);
  const { rib } = stage.router.engine;
  const id = rib.find(FOE_PREFIX);
  expect(foe.closed).toBe(false);
  return { stage, paths: id === undefined ? [] : rib.explain(id).paths };
}

describe('a route with an AS_SET (RFC 9774)', () => {
  const WITH_SET = '0201 0000fde7 0101 0000fde8'.replaceAll(' ', '');

  it('counts as withdrawn, and the log says so', async () => {
    const { stage, paths } = await routeWith(WITH_SET);
    expect(paths).toEqual([]);
    expect(stage.events.some(({ message }) => message.includes('an AS_SET, which is deprecated (RFC 9774)'))).toBe(
      true,
    );
  });

  it('is used and passed on with accept-as-sets', async () => {
    const { stage, paths } = await routeWith(WITH_SET, { router: { acceptAsSets: true } });
    expect(paths.map(({ status }) => status)).toEqual(['best']);
    const friend = stage.fabric.node('friend').speaker!.engine.rib;
    // The friend has no such switch.
    expect(friend.find(FOE_PREFIX)).toBeUndefined();
  });
});

describe('a route whose AS_PATH begins with another AS than the neighbour', () => {
  const FOREIGN = '02020000fde80000fde7';

  it('is hidden, passed on to nobody, and shown with the reason', async () => {
    const { stage, paths } = await routeWith(FOREIGN);
    expect(paths).toMatchObject([
      { status: 'hidden', reason: "the AS path does not begin with the neighbour's AS 64999" },
    ]);
    expect(stage.fabric.node('friend').speaker!.engine.rib.find(FOE_PREFIX)).toBeUndefined();
  });

  it('is used with enforce-first-as: false, as a route server needs it', async () => {
    const { stage, paths } = await routeWith(FOREIGN, { toFoe: { options: { enforceFirstAs: false } } });
    expect(paths.map(({ status }) => status)).toEqual(['best']);
    expect(stage.fabric.node('friend').speaker!.engine.rib.find(FOE_PREFIX)).toBeDefined();
  });
});
