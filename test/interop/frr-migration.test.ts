/** An FRR leaf is taken out of a fabric, and heddle put in its place with what `heddle config from-frr` makes of its frr.conf: routes are the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { heddleDriver } from '../../src/app/lab/heddle-driver.js';
import { kernelRoutes } from '../../src/app/lab/kernel-routes.js';
import { controlSocket, type Lab } from '../../src/app/lab/lab.js';
import { endProcesses, recordedProcesses } from '../../src/app/lab/processes.js';
import { fromFrr } from '../../src/app/translate/frr/from-frr.js';
import { writeTranslation } from '../../src/app/translate/translation.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

/** `ip -6 route`: the uplinks of each learned prefix at its best metric, in the order of the prefixes. */
async function learned(lab: Lab, node: string): Promise<string[]> {
  const routes = (await kernelRoutes(lab, node)).filter(
    ({ prefix, protocol }) => prefix.startsWith('fc00:') && protocol !== 'kernel',
  );
  const best = routes.filter(
    ({ prefix, metric }) => !routes.some((other) => other.prefix === prefix && other.metric < metric),
  );
  return best.map(({ prefix, interfaces }) => `${prefix} ${[...interfaces].sort().join(' ')}`).sort();
}

describe.skipIf(unusable)('a leaf that moves from FRR to heddle', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab('name: frr-move\nspines: 3\nleaves: 2\nimplementations: {leaf2: frr}\n');
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('has the routes that it had, and so have the others', async () => {
    const before = [await learned(lab, 'leaf1'), await learned(lab, 'leaf2')];
    expect(before[1]).toEqual([1, 2, 3].map((number) => `fc00:1:1:${number}::/64 to-spine${number}`));

    const source = readFileSync(join(lab.directory, 'leaf2.frr.conf'), 'utf8');
    const translation = fromFrr(source);
    if (typeof translation === 'string') throw new Error(translation);
    expect(translation.left).toEqual([]);
    const { text, problems } = writeTranslation(translation, 'leaf2.frr.conf');
    expect(problems).toEqual([]);
    writeFileSync(
      join(lab.directory, 'leaf2.yaml'),
      `${text}control-socket: ${controlSocket(lab, 'leaf2')}\nrehearsal: false\n`,
    );

    const old = recordedProcesses(lab.directory).filter(({ name }) => name.startsWith('leaf2.'));
    expect(await endProcesses(old, 60_000)).toEqual([]);
    await expect.poll(() => learned(lab, 'leaf1'), { timeout: 90_000 }).toEqual([]);
    const router = lab.plan.routers.find(({ name }) => name === 'leaf2')!;
    await heddleDriver.start(lab, router, 'leaf2.yaml');

    const after = async () => [await learned(lab, 'leaf1'), await learned(lab, 'leaf2')];
    await expect.poll(after, { timeout: 90_000 }).toEqual(before);
    const routes = await kernelRoutes(lab, 'leaf2');
    expect(routes.filter(({ prefix, protocol }) => prefix.startsWith('fc00:1:') && protocol !== '179')).toEqual([]);
  });
});
