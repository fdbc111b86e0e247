import { describe, expect, it } from 'vitest';
import { type LinkChange, linkChanges, scheduleChanges } from '../network/link-changes.js';
import { smallClos, smallFabric } from '../network/small-fabric.fixture.js';
import { uplinksOf } from '../network/topology.js';
import { FabricSampler } from './fabric-sampler.js';
import { runResult } from './run-result.js';

const US = 1e6;
const WINDOW = { from: 0, until: Number.POSITIVE_INFINITY };

describe('the imbalance of uplinks', () => {
  const topology = smallClos(2, 4, 1);
  const leaf = topology.hosts;
  const uplinks = uplinksOf(topology, leaf);

  /** Imbalances of intervals of 10 us, in each of which leaf1's uplinks carry so much; changes are of the uplink to spine3. */
  function imbalances(carried: readonly (readonly number[])[], changes: readonly Omit<LinkChange, 'link'>[] = []) {
    const simulation = smallFabric(topology);
    const link = uplinks[2]! >> 1;
    const ofLink = changes.map((change) => ({ ...change, link }) as LinkChange);
    scheduleChanges(simulation, linkChanges(simulation, ofLink));
    const sampler = new FabricSampler(simulation, 10 * US, WINDOW);
    sampler.start();
    const nothing = { start() {}, timer() {}, completed() {}, isDone: false };
    for (const [interval, octets] of carried.entries()) {
      simulation.proceed(nothing, (interval * 10 + 5) * US);
      for (const [place, port] of uplinks.entries())
        simulation.ports.sentOctets[port] = simulation.ports.sentOctets[port]! + octets[place]!;
      simulation.proceed(nothing, (interval * 10 + 10) * US);
    }
    const of = { scheme: 'ecmp', seed: 1, outcomes: [], window: WINDOW, messages: 0, finished: 0, firstStart: 0 };
    const { links } = runResult(simulation, sampler, of);
    const downShare = links.find(({ from, to }) => from === 'leaf1' && to === 'spine3')!.downShare;
    return { found: sampler.imbalances, downShare };
  }

  it('is the most minus the least over the mean, of intervals in which something was carried', () => {
    const { found, downShare } = imbalances([
      [300, 100, 100, 100],
      [0, 0, 0, 0],
      [50, 50, 50, 50],
    ]);
    expect(found).toEqual([200 / 150, 0]);
    expect(downShare).toBe(0);
  });

  it('is without a port that was down in the interval, or in a part of it', () => {
    const { found, downShare } = imbalances(
      [
        [100, 100, 20, 100],
        [100, 100, 0, 100],
        [100, 100, 30, 100],
        [100, 100, 50, 100],
      ],
      [
        { time: 2 * US, kind: 'down' },
        { time: 27 * US, kind: 'up' },
      ],
    );
    expect(found).toEqual([0, 0, 0, 50 / 87.5]);
    expect(downShare).toBeCloseTo(25 / 40, 9);
  });

  it('a link that went down twice was down for both times', () => {
    const { downShare } = imbalances(
      [
        [1, 1, 0, 1],
        [1, 1, 0, 1],
      ],
      [
        { time: 0, kind: 'down' },
        { time: 3 * US, kind: 'up' },
        { time: 18 * US, kind: 'down' },
      ],
    );
    expect(downShare).toBeCloseTo(5 / 20, 9);
  });
});
