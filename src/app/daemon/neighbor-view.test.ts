/** What is shown of a neighbour, held to the schema that clients check it by. */
import { expect, it } from 'vitest';
import { neighborSchema } from '../../edge/control/schema.js';
import { leafSpine } from '../../simulator/leaf-spine.fixture.js';
import { neighborViews } from './neighbor-view.js';

it('is understood by clients when a third of the hold time is no whole number of seconds', async () => {
  const timers = { hold: 5, connectRetry: 10, sendHold: 480, routerAdvertisement: 10_000, neighbourLifetime: 30_000 };
  const fabric = await leafSpine({ uplinks: [{ spine: 1 }], prefixes: [], changes: { timers } });
  const [shown] = [...neighborViews(fabric.node('leaf1').speaker!, fabric.clock)];
  const { keepaliveTime } = neighborSchema.parse(shown);
  expect(keepaliveTime).toBeCloseTo(5 / 3, 6);
});
