/**
 * `heddle verify` on real fabrics. Predicted failures against what kernels do: single links and spines, and doubles, of a fabric with four
 * spines and four leaves; then faults that it must find, and a fabric of three implementations.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labUnusable, startLab } from '../../../test/harness/lab.js';
import { tearDown } from '../lab/build.js';
import { run, tryRun } from '../lab/command.js';
import { kernelRoutes } from '../lab/kernel-routes.js';
import { type Lab, namespaceOf, PACKAGE_ROOT } from '../lab/lab.js';
import { failLink, healLink } from '../lab/links.js';
import { poll } from '../lab/poll.js';
import { failuresOf, linkNames } from './failures.js';
import { fallbackOf, preferredOf } from './model.js';
import { observeLab } from './observe.js';
import { predict } from './predict.js';
import { writeState } from './state-files.js';
import { verify } from './verify.js';

const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);
const PATIENCE = { timeout: 120_000, interval: 50 };

interface Report {
  readonly same: boolean;
  readonly probed: number | null;
  readonly failed: readonly string[];
  readonly differences: readonly { readonly kind: string; readonly node: string; readonly prefix: string | null }[];
}

/** The command as a user types it; its exit status and its JSON. */
async function heddleVerify(...parameters: readonly string[]): Promise<{ status: number; report: Report }> {
  const { status, stdout, stderr } = await tryRun(join(PACKAGE_ROOT, 'bin', 'heddle'), [
    'verify',
    '--json',
    ...parameters,
  ]);
  if (stdout === '') throw new Error(stderr);
  return { status, report: JSON.parse(stdout) };
}

describe.skipIf(unusable)('predicted failures and real ones', () => {
  let lab: Lab;
  let links: readonly string[] = [];
  const down = new Set<string>();

  beforeAll(async () => {
    lab = await startLab('name: vf4x4\nspines: 4\nleaves: 4\ntimers: { hold: 60 }\n');
    links = [...linkNames(lab.plan)].filter(([, { b }]) => b.node.startsWith('spine')).map(([name]) => name);
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  /** Kernels, prefix by prefix: `leaf2 fc00:1:1:1::/64: to-spine1 | to-spine2 to-spine3`. */
  async function kernels(): Promise<string[]> {
    const tables = await Promise.all(
      lab.plan.routers.map(async ({ name }) => {
        const routes = (await kernelRoutes(lab, name)).filter(({ protocol }) => protocol === '179');
        return [...new Set(routes.map(({ prefix }) => prefix))].map((prefix) => {
          const at = (metric: number) =>
            routes.find((route) => route.prefix === prefix && route.metric === metric)?.interfaces ?? [];
          return line(name, prefix, [at(20), at(30)]);
        });
      }),
    );
    return tables.flat().sort();
  }

  function line(node: string, prefix: string, ways: readonly (readonly string[])[]): string {
    return `${node} ${prefix}: ${ways.map((names) => [...names].sort().join(' ')).join(' | ')}`;
  }

  async function check(failed: readonly string[]): Promise<void> {
    const wanted = failuresOf(lab.plan, failed).links ?? new Set();
    await Promise.all(
      links.map(async (name) => {
        if (wanted.has(name) && !down.has(name)) await failLink(lab, name);
        if (!wanted.has(name) && down.has(name)) await healLink(lab, name);
      }),
    );
    down.clear();
    for (const name of wanted) down.add(name);
    const expected = [...predict(lab.plan, wanted).routes].flatMap(([node, routes]) =>
      [...routes.values()]
        .filter(({ paths }) => paths.length > 0)
        .map((route) => line(node, route.prefix.text, [preferredOf(route), fallbackOf(route)])),
    );
    const same = await poll(async () => (await kernels()).join() === [...expected].sort().join(), PATIENCE);
    expect(same ? [] : await kernels(), failed.join(' and ')).toEqual(same ? [] : [...expected].sort());
  }

  // A failure is made and mended beside another that stays.
  it.each([1, 2, 3, 4])('are the same for each link of leaf %d alone, and one beside another leaf', async (leaf) => {
    const own = links.filter((name) => name.startsWith(`leaf${leaf}:`));
    for (const name of own) await check([name]);
    await check([own[3]!, links[(leaf * 4 + leaf) % links.length]!]);
  });

  it.each([1, 2, 3, 4])('are the same for spine %d alone, and beside a link of another', async (spine) => {
    await check([`spine${spine}`]);
    await check([`spine${spine}`, `leaf${spine}:spine${(spine % 4) + 1}`]);
  });

  it('are the same for two spines', async () => {
    await check(['spine2', 'spine4']);
    await check([]);
  });

  it('heddle verify finds all as expected, by tables, kernels and probes', async () => {
    await expect
      .poll(() => heddleVerify('--lab', lab.name))
      .toMatchObject({ status: 0, report: { probed: 16, differences: [] } });
  });

  it('after heddle lab fail it finds the failure, and with --fail what was predicted for it', async () => {
    await check(['leaf1:spine4', 'spine2']);
    const unaware = async () => verify(predict(lab.plan), await observeLab(lab)).differences;
    await expect.poll(async () => new Set((await unaware()).map(({ kind }) => kind))).toEqual(new Set(['link']));
    await expect
      .poll(() => heddleVerify('--lab', lab.name, '--fail', 'leaf1:spine4', '--fail', 'spine2'))
      .toMatchObject({ status: 0, report: { differences: [] } });
    await check([]);
  });

  it('a foreign route that takes the traffic is found by table and probe', async () => {
    const namespace = namespaceOf(lab, 'leaf2');
    const route = ['blackhole', 'fc00:1:1:1::/64', 'metric', '5', 'proto', 'static'];
    await run('ip', ['-n', namespace, '-6', 'route', 'add', ...route]);
    const found = async () => {
      const { status, report } = await heddleVerify('--lab', lab.name);
      return [status, ...report.differences.map(({ kind, node, prefix }) => `${kind} ${node} ${prefix}`)];
    };
    const named = ['foreign-route', 'probe'].map((kind) => `${kind} leaf2 fc00:1:1:1::/64`);
    await expect.poll(found).toEqual(expect.arrayContaining([1, ...named]));
    await run('ip', ['-n', namespace, '-6', 'route', 'del', ...route]);
  });

  it('dumped state is verified without a lab, and refused for another topology', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vf-state-'));
    try {
      const [topology, other] = ['spines: 4\nleaves: 4', 'spines: 4\nleaves: 3'].map((text, index) => {
        const file = join(folder, `${index}.yaml`);
        writeFileSync(file, `name: vf4x4\n${text}\ntimers: { hold: 60 }\n`);
        return file;
      });
      const state = join(folder, 'state');
      await expect
        .poll(async () => {
          writeState(state, await observeLab(lab));
          return heddleVerify(topology!, '--state', state);
        })
        .toMatchObject({ status: 0, report: { differences: [] } });
      const refused = await tryRun(join(PACKAGE_ROOT, 'bin', 'heddle'), ['verify', other!, '--state', state]);
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain('is the state of another topology (vf4x4): the topology has no leaf4');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

const peersMissing = labUnusable({ peers: true });
if (peersMissing) console.log(`skipped: ${peersMissing}`);

describe.skipIf(peersMissing)('heddle verify on a fabric of heddle, FRR and BIRD', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab(
      'name: vfmix\nspines: 3\nleaves: 3\nimplementations: { spine2: frr, spine3: bird, leaf2: frr }\n',
    );
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('expects the known limits of each, with a link down too', async () => {
    await expect.poll(async () => (await heddleVerify('--lab', lab.name)).report.differences).toEqual([]);
    await failLink(lab, 'leaf1:spine3');
    const assumed = predict(lab.plan, new Set(['leaf1:spine3']));
    const settled = await poll(async () => verify(assumed, await observeLab(lab)).differences.length === 0, PATIENCE);
    expect(settled).toBe(true);
    await healLink(lab, 'leaf1:spine3');
  });

  it('finds the AIGP that an FRR spine drops, and blames it', async () => {
    const commands = ['configure terminal', 'router bgp 65002', 'address-family ipv6 unicast'];
    const vtysh = (...more: readonly string[]) =>
      execFileSync(join(PACKAGE_ROOT, 'scripts', 'peer-run'), [
        namespaceOf(lab, 'spine2'),
        'vtysh',
        ...['-N', namespaceOf(lab, 'spine2')],
        ...[...commands, ...more].flatMap((command) => ['-c', command]),
      ]);
    vtysh('no neighbor to-leaf1 route-map IN-2 in');
    const found = await poll(async () => {
      const { differences } = verify(predict(lab.plan), await observeLab(lab));
      return differences.some(({ kind, node }) => kind === 'aigp' && node === 'spine2');
    }, PATIENCE);
    expect(found).toBe(true);
    vtysh('neighbor to-leaf1 route-map IN-2 in');
  });
});
