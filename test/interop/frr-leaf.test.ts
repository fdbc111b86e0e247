import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { vtysh } from '../../src/app/lab/frr-driver.js';
import type { Lab } from '../../src/app/lab/lab.js';
import { expectColouredPaths, expectDpfRoutes, expectFailover } from '../harness/fabric-checks.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

interface RouteJson {
  readonly paths: readonly {
    readonly valid?: boolean;
    readonly nexthops: readonly { readonly accessible?: boolean }[];
  }[];
}

describe.skipIf(unusable)('an FRR leaf behind heddle spines', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab('name: frr-leaf\nspines: 4\nleaves: 2\nimplementations: {leaf2: frr}\n');
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('gets four usable paths for every prefix', async () => {
    for (let colour = 1; colour <= 4; colour++) {
      const usable = async () => {
        const shown: RouteJson = JSON.parse(
          await vtysh(lab, 'leaf2', [`show bgp ipv6 unicast fc00:1:1:${colour}::/64 json`]),
        );
        return shown.paths.map(({ valid, nexthops }) => valid && nexthops.every((hop) => hop.accessible !== false));
      };
      await expect.poll(usable).toEqual([true, true, true, true]);
    }
  });

  it('and the heddle leaf follow the colours in both directions', async () => {
    await expectDpfRoutes(lab, 'leaf1');
    await expectColouredPaths(lab, { from: 'host1', to: 'host2' });
    await expectColouredPaths(lab, { from: 'host2', to: 'host1' });
  });

  it('fall back over the other three and come back', () => expectFailover(lab, { from: 'host1', to: 'host2' }, 3));
});
