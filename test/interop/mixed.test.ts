import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import type { Lab } from '../../src/app/lab/lab.js';
import { expectColouredPaths, expectDpfRoutes, expectFailover, expectNextHopGroups } from '../harness/fabric-checks.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a fabric of heddle, FRR, BIRD 2 and BIRD 3 (labs/mixed.yaml)', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab(readFileSync('labs/mixed.yaml', 'utf8'));
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('holds every prefix on its own spine, whatever runs there', async () => {
    await expectDpfRoutes(lab, 'leaf1');
    await expectDpfRoutes(lab, 'leaf2');
    await expectNextHopGroups(lab, 'leaf1');
  });

  it.each([
    ['host1', 'host2'],
    ['host1', 'host3'],
    ['host3', 'host2'],
  ])('sends each colour from %s to %s over its spine only', (from, to) => expectColouredPaths(lab, { from, to }));

  it.each([1, 2, 3, 4])('loses spine %d and gets it back', (colour) =>
    expectFailover(lab, { from: 'host1', to: 'host2' }, colour),
  );
});
