/**
 * An IBGP neighbour at a loopback address, which a static route leads to: its routes go where that route goes, move with it, and are
 * hidden without it. Two links lie between heddle and BIRD.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { labUnusable } from '../harness/lab.js';
import { createNamespace, deleteNamespace, ip } from '../harness/netns.js';

const BORDER = 'nh-border';
const CORE = 'nh-core';
const PREFIX = '198.51.100.0/24';
const PATIENCE = { timeout: 120_000, interval: 200 };

const BIRD = `router id 10.255.0.2;
protocol device {}
protocol static { ipv4; route ${PREFIX} blackhole; }
protocol bgp {
  local 10.255.0.2 as 65001; neighbor 10.255.0.1 as 65001; multihop 4; connect retry time 1;
  ipv4 { import all; export all; next hop self; };
}
`;

const heddleConfig = (folder: string): string => `name: border
role: spine
as: 65001
router-id: 10.255.0.1
families: [ipv4]
neighbors: { 10.255.0.2: { remote-as: internal, multihop: 4, source: 10.255.0.1 } }
control-socket: ${join(folder, 'border.sock')}
`;

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('an IBGP neighbour at a loopback address', () => {
  let folder: string;
  const processes: ChildProcess[] = [];

  const route = (...words: string[]) => ip('-n', BORDER, 'route', ...words);
  /** In the kernel, as `GATEWAY INTERFACE`. */
  const installed = (): string[] =>
    [...route('show', PREFIX, 'proto', '179').matchAll(/via (\S+) dev (\S+)/g)].map(([, via, dev]) => `${via} ${dev}`);
  const path = async () => {
    const found = await new ControlClient(join(folder, 'border.sock')).route(PREFIX);
    return found.paths[0];
  };

  function createLinks(): void {
    for (const namespace of [BORDER, CORE]) createNamespace(namespace);
    for (const n of ['1', '2']) {
      ip('link', 'add', `nh${n}`, 'netns', BORDER, 'type', 'veth', 'peer', 'name', `nh${n}`, 'netns', CORE);
      for (const [namespace, host] of [
        [BORDER, '1'],
        [CORE, '2'],
      ] as const) {
        ip('-n', namespace, 'addr', 'add', `10.0.${n}.${host}/24`, 'dev', `nh${n}`);
        ip('-n', namespace, 'link', 'set', 'dev', `nh${n}`, 'up');
      }
    }
    ip('-n', BORDER, 'addr', 'add', '10.255.0.1/32', 'dev', 'lo');
    ip('-n', CORE, 'addr', 'add', '10.255.0.2/32', 'dev', 'lo');
    route('add', '10.255.0.2/32', 'via', '10.0.1.2', 'metric', '7');
    ip('-n', CORE, 'route', 'add', '10.255.0.1/32', 'nexthop', 'via', '10.0.1.1', 'nexthop', 'via', '10.0.2.1');
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-nh-'));
    createLinks();
    writeFileSync(join(folder, 'bird.conf'), BIRD);
    writeFileSync(join(folder, 'border.yaml'), heddleConfig(folder));
    const bird = [CORE, 'bird', '-f', '-c', '/lab/bird.conf', '-s', '/lab/bird.ctl'];
    const heddle = ['netns', 'exec', BORDER, process.execPath, join(PACKAGE_ROOT, 'bin', 'heddle'), 'run'];
    const env = { ...process.env, HEDDLE_PEER_DIR: folder };
    processes.push(spawn(join(PACKAGE_ROOT, 'scripts', 'peer-run'), bird, { env, stdio: 'ignore' }));
    processes.push(spawn('ip', [...heddle, join(folder, 'border.yaml')], { stdio: 'ignore' }));
  });

  afterAll(async () => {
    const ended = processes.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of processes) child.kill();
    await Promise.all(ended);
    for (const namespace of [BORDER, CORE]) deleteNamespace(namespace);
    rmSync(folder, { recursive: true });
  });

  it('has its routes where the static route to it goes', async () => {
    await expect.poll(installed, PATIENCE).toEqual(['10.0.1.2 nh1']);
    const via = [{ interface: 'nh1', gateway: '10.0.1.2' }];
    const resolved = { nextHop: '10.255.0.2', onLink: false, cost: 7, via };
    await expect
      .poll(path, PATIENCE)
      .toMatchObject({ status: 'preferred', interface: 'nh1', nextHops: ['10.0.1.2'], resolved });
  });

  it('takes them along when that moves, and over both links', async () => {
    route('replace', '10.255.0.2/32', 'via', '10.0.2.2', 'metric', '7');
    await expect.poll(installed, PATIENCE).toEqual(['10.0.2.2 nh2']);
    const hops = ['nexthop', 'via', '10.0.1.2', 'nexthop', 'via', '10.0.2.2'];
    route('replace', '10.255.0.2/32', 'metric', '7', ...hops);
    await expect.poll(() => installed().sort(), PATIENCE).toEqual(['10.0.1.2 nh1', '10.0.2.2 nh2']);
  });

  it('goes on over the other link when one loses carrier', async () => {
    ip('-n', CORE, 'link', 'set', 'dev', 'nh2', 'down');
    await expect.poll(installed, PATIENCE).toEqual(['10.0.1.2 nh1']);
    await expect.poll(async () => (await path())?.nextHops, PATIENCE).toEqual(['10.0.1.2']);
    ip('-n', CORE, 'link', 'set', 'dev', 'nh2', 'up');
    await expect.poll(() => installed().sort(), PATIENCE).toEqual(['10.0.1.2 nh1', '10.0.2.2 nh2']);
  });

  it('has them hidden, with the reason, when no route leads to it', async () => {
    route('delete', '10.255.0.2/32', 'metric', '7');
    await expect.poll(installed, PATIENCE).toEqual([]);
    const reason = 'next hop 10.255.0.2 cannot be resolved: no route to it';
    await expect.poll(path, PATIENCE).toMatchObject({ status: 'ineligible', reason, nextHops: [] });
    route('add', 'default', 'via', '10.0.1.2');
    const byDefault = 'next hop 10.255.0.2 cannot be resolved: only the default route leads to it';
    await expect.poll(async () => (await path())?.reason, PATIENCE).toBe(byDefault);
    route('add', '10.255.0.2/32', 'via', '10.0.1.2', 'metric', '7');
    await expect.poll(installed, PATIENCE).toEqual(['10.0.1.2 nh1']);
  });
});
