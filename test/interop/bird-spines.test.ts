import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { birdc } from '../../src/app/lab/bird-driver.js';
import { tearDown } from '../../src/app/lab/build.js';
import { findRouter, type Lab } from '../../src/app/lab/lab.js';
import { expectColouredPaths, expectDpfRoutes, expectFailover, expectNextHopGroups } from '../harness/fabric-checks.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('heddle leaves over BIRD 2 and BIRD 3 spines', () => {
  let lab: Lab;
  const pair = { from: 'host1', to: 'host2' };

  beforeAll(async () => {
    lab = await startLab(
      'name: bird\nspines: 4\nleaves: 2\nimplementations: {spines: bird, spine3: bird3, spine4: bird3}\n',
    );
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('take the path with the AIGP that the spine has counted up', async () => {
    await expectDpfRoutes(lab, 'leaf1');
    await expectDpfRoutes(lab, 'leaf2');
    await expectNextHopGroups(lab, 'leaf2');
  });

  it.each(['spine2', 'spine4'])(
    'give %s every prefix with its colour, and AIGP 0 with its own colour only',
    async (spine) => {
      const router = findRouter(lab, spine);
      for (let colour = 1; colour <= 4; colour++) {
        let shown = '';
        const show = async () => {
          shown = await birdc(lab, router, `show route fc00:1:1:${colour}::/64 all`);
          return shown;
        };
        await expect.poll(show).toMatch(new RegExp(`\\(generic, 0x30b0000, (0x)?${colour}\\)`));
        const aigp = /aigp: (\d+)/.exec(shown)?.[1];
        expect(aigp, shown).toBe(colour === router.number ? '0' : undefined);
      }
    },
  );

  it('send each colour over its spine only', () => expectColouredPaths(lab, pair));

  it('fall back over the other three and come back', () => expectFailover(lab, pair, 4));
});
