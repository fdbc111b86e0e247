import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { birdc } from '../../src/app/lab/bird-driver.js';
import { tearDown } from '../../src/app/lab/build.js';
import { findRouter, type Lab } from '../../src/app/lab/lab.js';
import { expectColouredPaths, expectDpfRoutes, expectFailover } from '../harness/fabric-checks.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a BIRD leaf behind heddle spines', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab('name: bird-leaf\nspines: 4\nleaves: 2\nimplementations: {leaf2: bird}\n');
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('gets four paths, with AIGP 1 and the colour on the one that the origin prefers', async () => {
    for (let colour = 1; colour <= 4; colour++) {
      let shown = '';
      const paths = async () => {
        shown = await birdc(lab, findRouter(lab, 'leaf2'), `show route fc00:1:1:${colour}::/64 all`);
        return shown.match(/BGP\.as_path: \d+ 65101/g);
      };
      await expect.poll(paths).toHaveLength(4);
      expect(shown.match(new RegExp(`\\(generic, 0x30b0000, 0x${colour}\\)`, 'g'))).toHaveLength(4);
      expect([...shown.matchAll(/aigp: (\d+)/g)].map((match) => match[1])).toEqual(['1']);
    }
  });

  it('chooses by that AIGP alone, and the heddle leaf by the AIGP that BIRD originates', async () => {
    await expectDpfRoutes(lab, 'leaf1');
    await expectColouredPaths(lab, { from: 'host2', to: 'host1' });
    await expectColouredPaths(lab, { from: 'host1', to: 'host2' });
  });

  it('and the heddle leaf fall back and come back', () => expectFailover(lab, { from: 'host1', to: 'host2' }, 1));
});
