/** Neighbours given by their addresses: FRR in another AS over IPv6 and IPv4, BIRD in our own over IPv4 with MD5 and GTSM. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { peersRoot } from '../../src/app/lab/peers.js';
import { poll } from '../../src/app/lab/poll.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { commandNeighbor } from '../../src/edge/control/command-client.js';
import { labUnusable } from '../harness/lab.js';
import { createNamespace, deleteNamespace, ip } from '../harness/netns.js';

const BORDER = 'nn-border';
const FRR = 'nn-frr';
const BIRD = 'nn-bird';
const FRR_USER = 900;
const PEER_RUN = join(PACKAGE_ROOT, 'scripts', 'peer-run');
const PATIENCE = { timeout: 120_000, interval: 250 };

const FRR_CONFIG = `router bgp 65200
 bgp router-id 10.0.0.2
 no bgp ebgp-requires-policy
 no bgp network import-check
 no bgp default ipv4-unicast
 timers bgp 3 9
 timers connect 3
 neighbor 2001:db8:1::1 remote-as 65100
 neighbor 192.0.2.1 remote-as 65100
 neighbor 192.0.2.1 password warp-and-weft
 address-family ipv6 unicast
  network 2001:db8:f::/48
  neighbor 2001:db8:1::1 activate
 exit-address-family
 address-family ipv4 unicast
  network 198.51.100.0/24
  neighbor 192.0.2.1 activate
 exit-address-family
`;

const BIRD_CONFIG = `router id 10.0.0.3;
protocol device {}
protocol static { ipv4; route 10.99.0.0/16 blackhole; }
protocol bgp border {
  local 10.0.2.2 as 65100; neighbor 10.0.2.1 as 65100; direct; connect retry time 1;
  password "warp-and-weft"; ttl security on;
  ipv4 { import all; export all; };
}
`;

const heddleConfig = (folder: string): string => `name: border
role: spine
as: 65100
router-id: 10.0.0.1
control-socket: ${join(folder, 'border.sock')}
advertise: [ { prefix: "2001:db8:a::/48" }, { prefix: 203.0.113.0/24 } ]
policies: { all: [ { action: accept } ] }
peer-groups:
  frr: { remote-as: 65200, import: all, export: all }
neighbors:
  2001:db8:1::2: { peer-group: frr, description: "FRR over IPv6", families: [ipv6] }
  192.0.2.2: { peer-group: frr, families: [ipv4], password: warp-and-weft }
  10.0.2.2: { remote-as: internal, families: [ipv4], password: warp-and-weft, gtsm: require }
`;

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('neighbours given by their addresses', () => {
  let folder: string;
  const processes: ChildProcess[] = [];
  const socket = () => join(folder, 'border.sock');

  const frrFolders = () => [join(peersRoot(), 'etc/frr', FRR), join(peersRoot(), 'run/frr', FRR)];
  const ask = (namespace: string, ...command: string[]): string => {
    const env = { ...process.env, HEDDLE_PEER_DIR: folder };
    return execFileSync(PEER_RUN, [namespace, ...command], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  };
  const vtysh = (command: string): string => ask(FRR, 'vtysh', '-N', FRR, '-c', command);
  const birdc = (...words: string[]): string => ask(BIRD, 'birdc', '-s', '/lab/bird.ctl', ...words);
  const states = async () =>
    Object.fromEntries((await new ControlClient(socket()).neighbors()).map(({ name, state }) => [name, state]));
  const neighbor = async (name: string) => (await new ControlClient(socket()).neighbor(name))[0]!;

  function start(program: string, ...parameters: string[]): void {
    const env = { ...process.env, HEDDLE_PEER_DIR: folder };
    processes.push(spawn(program, parameters, { env, stdio: 'ignore' }));
  }

  function createLinks(): void {
    for (const namespace of [BORDER, FRR, BIRD]) {
      createNamespace(namespace);
      ip('netns', 'exec', namespace, 'sysctl', '-qw', 'net.ipv6.conf.default.accept_dad=0');
    }
    const links = [
      {
        name: 'nnf',
        far: FRR,
        near: ['2001:db8:1::1/64', '192.0.2.1/24'],
        there: ['2001:db8:1::2/64', '192.0.2.2/24'],
      },
      { name: 'nnb', far: BIRD, near: ['10.0.2.1/24'], there: ['10.0.2.2/24'] },
    ];
    for (const { name, far, near, there } of links) {
      ip('link', 'add', name, 'netns', BORDER, 'type', 'veth', 'peer', 'name', name, 'netns', far);
      for (const address of near) ip('-n', BORDER, 'addr', 'add', address, 'dev', name);
      for (const address of there) ip('-n', far, 'addr', 'add', address, 'dev', name);
      for (const namespace of [BORDER, far]) ip('-n', namespace, 'link', 'set', 'dev', name, 'up');
    }
  }

  async function startFrr(): Promise<void> {
    for (const path of frrFolders()) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path, { recursive: true });
      chownSync(path, FRR_USER, FRR_USER);
    }
    const [etc, run] = frrFolders();
    writeFileSync(join(etc!, 'vtysh.conf'), '');
    start(PEER_RUN, FRR, '/usr/lib/frr/zebra', '-N', FRR, '-f', '/dev/null');
    expect(await poll(() => existsSync(join(run!, 'zserv.api')), PATIENCE)).toBe(true);
    start(PEER_RUN, FRR, '/usr/lib/frr/bgpd', '-N', FRR, '-f', '/lab/bgpd.conf');
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-nn-'));
    execFileSync('chmod', ['755', folder]);
    createLinks();
    writeFileSync(join(folder, 'bgpd.conf'), FRR_CONFIG);
    writeFileSync(join(folder, 'bird.conf'), BIRD_CONFIG);
    writeFileSync(join(folder, 'border.yaml'), heddleConfig(folder));
    start(PEER_RUN, BIRD, 'bird', '-f', '-c', '/lab/bird.conf', '-s', '/lab/bird.ctl');
    await startFrr();
    start(
      'ip',
      'netns',
      'exec',
      BORDER,
      process.execPath,
      join(PACKAGE_ROOT, 'bin', 'heddle'),
      'run',
      join(folder, 'border.yaml'),
    );
  });

  afterAll(async () => {
    const ended = processes.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of processes) child.kill();
    await Promise.all(ended);
    for (const namespace of [BORDER, FRR, BIRD]) deleteNamespace(namespace);
    for (const path of [...frrFolders(), folder]) rmSync(path, { recursive: true, force: true });
  });

  it('have sessions over IPv6 and IPv4, signed and with hop limit 255 where that is configured', async () => {
    await expect.poll(() => existsSync(socket()), PATIENCE).toBe(true);
    const up = { '2001:db8:1::2': 'established', '192.0.2.2': 'established', '10.0.2.2': 'established' };
    await expect.poll(states, PATIENCE).toEqual(up);
    expect(await neighbor('2001:db8:1::2')).toMatchObject({
      configured: true,
      group: 'frr',
      description: 'FRR over IPv6',
    });
    expect((await neighbor('192.0.2.2')).security).toMatchObject({ md5: true });
    expect((await neighbor('10.0.2.2')).security).toMatchObject({ md5: true, gtsm: 'require' });
  });

  it('tell and are told routes of both families, which go into the kernels', async () => {
    await expect.poll(() => vtysh('show bgp ipv6 unicast'), PATIENCE).toContain('2001:db8:a::/48');
    await expect.poll(() => vtysh('show bgp ipv4 unicast'), PATIENCE).toMatch(/203\.0\.113\.0\/24 +192\.0\.2\.1/);
    await expect.poll(() => birdc('show', 'route'), PATIENCE).toContain('203.0.113.0/24');
    const ipv4 = () => ip('-n', BORDER, 'route', 'show', 'proto', '179');
    await expect.poll(ipv4, PATIENCE).toMatch(/198\.51\.100\.0\/24 .*via 192\.0\.2\.2 dev nnf/);
    await expect.poll(ipv4, PATIENCE).toMatch(/10\.99\.0\.0\/16 .*via 10\.0\.2\.2 dev nnb/);
    await expect
      .poll(() => ip('-n', BORDER, '-6', 'route', 'show', 'proto', '179'), PATIENCE)
      .toContain('2001:db8:f::/48');
  });

  it('obey by the name of their group, and go with their link', async () => {
    expect(await commandNeighbor(socket(), { name: 'frr', command: 'shutdown' })).toEqual([
      '2001:db8:1::2',
      '192.0.2.2',
    ]);
    await expect.poll(() => vtysh('show bgp ipv6 unicast'), PATIENCE).not.toContain('2001:db8:a::/48');
    ip('-n', BIRD, 'link', 'set', 'dev', 'nnb', 'down');
    await expect.poll(async () => (await neighbor('10.0.2.2')).why, PATIENCE).toBe('nnb: no carrier');
  });
});
