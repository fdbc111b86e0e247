import { afterAll, beforeAll, describe, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import type { Lab } from '../../src/app/lab/lab.js';
import { expectColouredPaths, expectDpfRoutes, expectFailover, expectNextHopGroups } from '../harness/fabric-checks.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('heddle leaves over FRR spines', () => {
  let lab: Lab;
  const pair = { from: 'host1', to: 'host2' };

  beforeAll(async () => {
    lab = await startLab('name: frr\nspines: 4\nleaves: 2\nimplementations: {spines: frr}\n');
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('take the path with an AIGP, although FRR passes no colour on', async () => {
    await expectDpfRoutes(lab, 'leaf1');
    await expectDpfRoutes(lab, 'leaf2');
    await expectNextHopGroups(lab, 'leaf1');
  });

  it('send each colour over its spine only', () => expectColouredPaths(lab, pair));

  it('fall back over the other three and come back', () => expectFailover(lab, pair, 1));
});
