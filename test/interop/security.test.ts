/** TCP MD5 and GTSM with FRR and BIRD, switched on in a running fabric. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { birdc } from '../../src/app/lab/bird-driver.js';
import { tearDown } from '../../src/app/lab/build.js';
import { vtysh } from '../../src/app/lab/frr-driver.js';
import { controlSocket, type Lab } from '../../src/app/lab/lab.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { reload } from '../../src/edge/control/command-client.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

const PASSWORD = 'warp-and-weft';
const PATIENCE = { timeout: 120_000, interval: 200 };

describe.skipIf(unusable)('a heddle leaf under FRR and BIRD spines', () => {
  let lab: Lab;
  const socket = () => controlSocket(lab, 'leaf1');
  const neighbor = async (spine: string) => (await new ControlClient(socket()).neighbor(`to-${spine}`))[0]!;
  const secured = async (spine: string) => {
    const { state, security } = await neighbor(spine);
    return { state, ...security };
  };

  /** The same settings for both uplinks of the leaf. */
  async function secureLeaf(settings: object): Promise<void> {
    const file = join(lab.directory, 'leaf1.yaml');
    const config: { fabric: Record<string, object> } = parse(readFileSync(file, 'utf8'));
    for (const name of ['to-spine1', 'to-spine2']) config.fabric[name] = { ...config.fabric[name], ...settings };
    writeFileSync(file, stringify(config));
    await reload(socket());
  }

  const frr = (...commands: string[]) => vtysh(lab, 'spine1', ['configure', 'router bgp', ...commands]);

  async function bird(settings: string): Promise<void> {
    const file = join(lab.directory, 'spine2.bird.conf');
    const config = readFileSync(file, 'utf8').replaceAll(
      /(neighbor range fe80::\/10 external;).*? (interface)/g,
      `$1 ${settings} $2`,
    );
    writeFileSync(file, config);
    await birdc(lab, lab.plan.routers.find(({ name }) => name === 'spine2')!, 'configure');
  }

  beforeAll(async () => {
    lab = await startLab('name: opsec\nspines: 2\nleaves: 1\nimplementations: { spine1: frr, spine2: bird }\n');
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('keeps sessions with neighbours that send no hop limit of 255', async () => {
    expect(await secured('spine1')).toMatchObject({ state: 'established', gtsm: 'auto', md5: false });
    expect(await secured('spine2')).toMatchObject({ state: 'established', gtsm: 'auto', md5: false });
  });

  it('has none with neighbours without its password, and has them with it, at hop limit 255', async () => {
    await secureLeaf({ password: PASSWORD, gtsm: 'require' });
    for (const spine of ['spine1', 'spine2']) {
      await expect.poll(async () => (await neighbor(spine)).attempts, PATIENCE).toBeGreaterThan(1);
      expect((await neighbor(spine)).establishedCount).toBe(0);
    }
    await frr(`neighbor to-leaf1 password ${PASSWORD}`);
    await frr('neighbor to-leaf1 ttl-security hops 1');
    await bird(`password "${PASSWORD}"; ttl security on;`);
    const wanted = { state: 'established', gtsm: 'require', hopLimit: 255, md5: true, tcpAo: null };
    await expect.poll(() => secured('spine1'), PATIENCE).toEqual(wanted);
    await expect.poll(() => secured('spine2'), PATIENCE).toEqual(wanted);
  });
});
