/**
 * The topologies that are exported for containerlab, as they run in namespaces: all heddle, and with FRR, with the very configurations. SR Linux cannot
 * run here: a heddle that drops AIGP stands in for its spine, and what its leaves are told must make up for that.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { tearDown } from '../../src/app/lab/build.js';
import { containerlabFiles, DEFAULT_IMAGES } from '../../src/app/lab/containerlab.js';
import { type Lab, namespaceOf } from '../../src/app/lab/lab.js';
import { planLab } from '../../src/app/lab/plan.js';
import { labUnusable, startLab, topologyOf } from '../harness/lab.js';
import { ip } from '../harness/netns.js';

/** Milliseconds, on a busy machine. */
const PATIENCE = 180_000;

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

function configsOf(topology: string, srLinux: readonly string[] = []): Map<string, string> {
  const [, ...configs] = containerlabFiles(planLab(topologyOf(topology)), DEFAULT_IMAGES, srLinux);
  return new Map(configs.map(({ path, text }) => [path.replace('configs/', ''), text]));
}

describe.skipIf(unusable)('an exported topology', () => {
  let lab: Lab | undefined;
  afterEach(async () => {
    if (lab) await tearDown(lab);
    lab = undefined;
  });

  const preferredOn = (leaf: string, prefix: string) =>
    ip('-n', namespaceOf(lab!, leaf), '-6', 'route', 'show', prefix, 'metric', '20');

  it.each(['demo', 'frr-spines'])('of labs/%s.yaml comes up here with the same configurations', async (name) => {
    const topology = readFileSync(`labs/${name}.yaml`, 'utf8').replace(/^name: .*$/m, `name: clab-${name}`);
    lab = await startLab(topology);
    const exported = configsOf(topology);
    const run = readdirSync(lab.directory).filter((file) => /\.(yaml|frr\.conf)$/.test(file));
    expect(run.sort()).toEqual([...exported.keys()].filter((file) => file !== 'frr-daemons').sort());
    const apartFromSocket = (text: string) => text.replace(/^control-socket: .*$/m, '');
    for (const file of run)
      expect(apartFromSocket(readFileSync(join(lab.directory, file), 'utf8')), file).toBe(
        apartFromSocket(exported.get(file)!),
      );
    if (name === 'demo') expect(preferredOn('leaf2', 'fc00:1:1:3::/64')).toContain('to-spine3');
  });

  it('with SR Linux spines prefers the coloured uplink, though they pass no AIGP on', async () => {
    const topology = 'name: clab-srl\nspines: 3\nleaves: 2\n';
    const exported = configsOf(topology, ['spine2']);
    const leaf = (name: string) => {
      const { fabric, policies } = parse(exported.get(`${name}.yaml`)!);
      return { fabric, policies };
    };
    const withoutAigp = { 'to-leaf1': { aigp: false }, 'to-leaf2': { aigp: false } };
    const settings = { leaf1: leaf('leaf1'), leaf2: leaf('leaf2'), spine2: { fabric: withoutAigp } };
    lab = await startLab(`${topology}${stringify({ settings })}`);
    for (const spine of [1, 2, 3])
      await expect
        .poll(() => preferredOn('leaf2', `fc00:1:1:${spine}::/64`), { timeout: PATIENCE })
        .toMatch(new RegExp(`dev to-spine${spine} `));
  });
});
