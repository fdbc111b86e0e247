/** Several paths of a prefix (RFC 7911) between a heddle spine, an FRR leaf and a BIRD leaf: each direction by itself, then both. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { birdc } from '../../src/app/lab/bird-driver.js';
import { tearDown } from '../../src/app/lab/build.js';
import { vtysh } from '../../src/app/lab/frr-driver.js';
import { controlSocket, findRouter, type Lab, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { formatPrefix } from '../../src/core/net/prefix.js';
import { readMrt } from '../../src/core/wire/mrt/read-mrt.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { reload } from '../../src/edge/control/command-client.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

/** Two routes of BIRD's own, told apart by a community; and one that the spine and FRR both originate. */
const TWICE = 'fd00:9::/64';
const SHARED = 'fd00:8::/64';
const STATICS = `
protocol static once { ipv6; route ${TWICE} blackhole; }
protocol static again { ipv6; route ${TWICE} blackhole { bgp_community.add((65102, 2)); }; }
`;
const PATIENCE = { timeout: 120_000, interval: 200 };

interface FrrRoute {
  readonly paths?: readonly { readonly community?: { readonly string: string }; readonly addPathId?: number }[];
}

describe.skipIf(unusable)('a heddle spine between FRR and BIRD', () => {
  let lab: Lab;
  const client = () => new ControlClient(controlSocket(lab, 'spine1'));
  const bird = (command: string) => birdc(lab, findRouter(lab, 'leaf2'), command);
  const frr = (...commands: string[]) => vtysh(lab, 'leaf1', commands);

  const agreed = async (leaf: string) => {
    const [neighbor] = await client().neighbor(`to-${leaf}`);
    const ipv6 = neighbor?.addPath.find(({ family }) => family === 'ipv6-unicast');
    return [neighbor?.state, ipv6?.receive, ipv6?.send];
  };
  const pathIds = async (prefix: string) => {
    const route = await client().route(prefix);
    return (route?.paths ?? []).map((path) => path.pathId);
  };
  const frrPaths = async (prefix: string) => {
    const route: FrrRoute = JSON.parse(await frr(`show bgp ipv6 unicast ${prefix} json`));
    return (route.paths ?? []).map(({ community }) => community?.string ?? '').sort();
  };
  const birdPaths = async (prefix: string) =>
    (await bird(`show route ${prefix} all`)).match(/BGP\.as_path: .*/g)?.sort() ?? [];

  async function configureBird(paths: string): Promise<void> {
    const file = join(lab.directory, 'leaf2.bird.conf');
    const config = readFileSync(file, 'utf8').replaceAll(
      /ipv6 \{ (?:add paths \w+; )?import all/g,
      `ipv6 { ${paths} import all`,
    );
    writeFileSync(file, config.includes(TWICE) ? config : config + STATICS);
    await bird('configure');
  }

  async function configureSpine(): Promise<void> {
    const file = join(lab.directory, 'spine1.yaml');
    const config: { fabric: Record<string, object>; advertise: object[] } = parse(readFileSync(file, 'utf8'));
    for (const name of ['to-leaf1', 'to-leaf2'])
      config.fabric[name] = { ...config.fabric[name], 'add-path': { receive: true, send: 'all' } };
    config.advertise = [{ prefix: SHARED }];
    writeFileSync(file, stringify(config));
    await reload(controlSocket(lab, 'spine1'));
  }

  beforeAll(async () => {
    lab = await startLab('name: apseveral\nspines: 1\nleaves: 2\nimplementations: { leaf1: frr, leaf2: bird }\n');
    await configureBird('add paths tx;');
    await configureSpine();
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('takes paths from the one that only sends them, and sends them to the one that only takes them', async () => {
    await expect.poll(() => agreed('leaf1'), PATIENCE).toEqual(['established', 'offered', 'agreed']);
    await expect.poll(() => agreed('leaf2'), PATIENCE).toEqual(['established', 'agreed', 'offered']);
    await expect.poll(async () => new Set(await pathIds(TWICE)).size, PATIENCE).toBe(2);
    await expect.poll(() => frrPaths(TWICE), PATIENCE).toEqual(['', '65102:2']);
  });

  it('withdraws one path and leaves the other', async () => {
    await bird('disable again');
    await expect.poll(() => frrPaths(TWICE), PATIENCE).toEqual(['']);
    await expect.poll(() => pathIds(TWICE), PATIENCE).toHaveLength(1);
    await bird('enable again');
    await expect.poll(() => frrPaths(TWICE), PATIENCE).toEqual(['', '65102:2']);
  });

  it('writes them into a dump in the form of RFC 8050', () => {
    const file = join(lab.directory, 'table.mrt');
    execFileSync(join(PACKAGE_ROOT, 'bin', 'heddle'), ['dump', 'mrt', file, '--socket', controlSocket(lab, 'spine1')]);
    const found = readMrt(readFileSync(file)).items.flatMap(({ content }) =>
      content.kind === 'rib' && formatPrefix(content.rib.prefix) === TWICE ? [content.rib] : [],
    );
    expect(found.map(({ addPath, entries }) => [addPath, new Set(entries.map(({ pathId }) => pathId)).size])).toEqual([
      [true, 2],
    ]);
  });

  it('has identifiers in both directions with neighbours that do both', async () => {
    await configureBird('add paths on;');
    await frr(
      'configure',
      `ipv6 prefix-list COLOUR-1 permit ${SHARED}`,
      'router bgp',
      'address-family ipv6 unicast',
      'neighbor to-spine1 addpath-tx-all-paths',
      `network ${SHARED}`,
    );
    for (const leaf of ['leaf1', 'leaf2'])
      await expect.poll(() => agreed(leaf), PATIENCE).toEqual(['established', 'agreed', 'agreed']);
    await expect.poll(() => birdPaths(SHARED), PATIENCE).toEqual(['BGP.as_path: 65001', 'BGP.as_path: 65001 65101']);
    await expect.poll(async () => (await pathIds(SHARED)).sort(), PATIENCE).toEqual([expect.any(Number), null]);
    await frr('configure', 'router bgp', 'address-family ipv6 unicast', `no network ${SHARED}`);
    await expect.poll(() => birdPaths(SHARED), PATIENCE).toEqual(['BGP.as_path: 65001']);
    await expect.poll(() => frrPaths(TWICE), PATIENCE).toEqual(['', '65102:2']);
  });
});
