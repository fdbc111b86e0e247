/** Sessions that end for ever and begin again, and what they cost the others. docs/field-bugs.md has all rows. */
import { describe, expect, it } from 'vitest';
import { MESSAGE_TYPE } from '../../src/core/wire/bgp/message.js';
import { keepalive, open } from '../../src/simulator/hostile-peer.js';
import { HostileStage, SECOND } from '../../src/simulator/hostile-stage.fixture.js';

describe('timers and collision', () => {
  it('a neighbour that hangs up right after each session is let in ever more seldom, and the others notice nothing', async () => {
    const stage = await HostileStage.ready();
    let sessions = 0;
    for (let second = 0; second < 60; second++) {
      const foe = await stage.connect();
      foe.send(open(), keepalive);
      await stage.pass(SECOND);
      // Ours answered its OPEN, and then its KEEPALIVE.
      if (foe.count(MESSAGE_TYPE.keepalive) > 0) sessions++;
      foe.hangUp();
      await stage.pass(10);
    }
    expect(sessions).toBeGreaterThanOrEqual(4);
    expect(sessions).toBeLessThan(15);
    expect(stage.router.fabricLinks[0]!.sessions()[0]!.summary().establishedCount).toBe(1);
  });

  it('a new connection does not displace the one that is established', async () => {
    const stage = await HostileStage.ready();
    const first = await stage.established();
    const second = await stage.connect();
    second.send(open(), keepalive);
    await stage.pass(SECOND);
    expect(second.notification).toBe('6/7');
    expect(first.closed).toBe(false);
    expect(stage.toFoe.sessions()[0]!.summary()).toMatchObject({ state: 'established', establishedCount: 1 });
  });
});
