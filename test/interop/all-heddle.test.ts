import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { run } from '../../src/app/lab/command.js';
import { kernelRoutes } from '../../src/app/lab/kernel-routes.js';
import { type Lab, namespaceOf } from '../../src/app/lab/lab.js';
import { endProcesses, recordedProcesses } from '../../src/app/lab/processes.js';
import {
  expectColouredPaths,
  expectDpfRoutes,
  expectFailover,
  expectNextHopGroups,
  nextHops,
} from '../harness/fabric-checks.js';
import { labUnusable, startLab } from '../harness/lab.js';

/** Milliseconds. */
const PATIENCE = 120_000;

const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a fabric of heddle alone', () => {
  let lab: Lab;
  const pair = { from: 'host1', to: 'host2' };

  beforeAll(async () => {
    lab = await startLab('name: heddle\nspines: 4\nleaves: 2\naddressing: {ipv4: "10.{leaf}.{host}{uplink}.0/24"}\n');
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('holds every prefix of either family on its own spine, with the others behind it', async () => {
    await expectDpfRoutes(lab, 'leaf1');
    await expectDpfRoutes(lab, 'leaf2');
    await expectNextHopGroups(lab, 'leaf1');
  });

  it('sends each colour over its spine only', () => expectColouredPaths(lab, pair));

  it('falls back over the other three and comes back', () => expectFailover(lab, pair, 2));

  it('leaves nothing in the kernel when a daemon is stopped', async () => {
    const [leaf1] = recordedProcesses(lab.directory).filter((one) => one.name === 'leaf1');
    expect(await endProcesses([leaf1!], PATIENCE)).toEqual([]);
    const routes = (await kernelRoutes(lab, 'leaf1')).filter((route) => route.protocol !== 'kernel');
    expect(routes).toEqual([]);
    expect(await nextHops(lab, 'leaf1')).toEqual([]);
    expect(
      await run('ip', ['-n', namespaceOf(lab, 'leaf1'), '-6', 'addr', 'show', 'dev', 'to-host1', 'scope', 'global']),
    ).toBe('');
  });
});
