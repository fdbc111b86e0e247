/**
 * heddle as route reflector between BIRD and FRR, and towards an FRR of another AS with another AS of its own: what the clients see
 * of the reflection, and what the outside sees of the AS.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { peersRoot } from '../../src/app/lab/peers.js';
import { labUnusable } from '../harness/lab.js';
import { createNamespace, deleteNamespace, ip } from '../harness/netns.js';

const REFLECTOR = 'at-rr';
const CLIENTS = ['at-bird', 'at-frr', 'at-out'] as const;
const PREFIX = '198.51.100.0/24';
const PATIENCE = { timeout: 120_000, interval: 300 };
/** The user of FRR's packages; scripts/peers-install makes it. */
const FRR_USER = 900;

const BIRD = `router id 10.0.0.2;
protocol device {}
protocol static { ipv4; route ${PREFIX} blackhole; }
protocol bgp {
  local 10.1.1.2 as 65001; neighbor 10.1.1.1 as 65001; connect retry time 1;
  ipv4 { import all; export filter { bgp_path.prepend(4200000001); accept; }; next hop self; };
}
`;

const frrConfig = (as: number, id: string, remote: string, remoteAs: number): string => `router bgp ${as}
 bgp router-id ${id}
 no bgp ebgp-requires-policy
 neighbor ${remote} remote-as ${remoteAs}
 neighbor ${remote} timers connect 1
`;

const heddleConfig = (folder: string): string => `name: reflector
role: spine
as: 65001
router-id: 10.0.0.1
cluster-id: 10.0.0.255
families: [ipv4]
policies: { all: [{ action: accept }] }
peer-groups: { clients: { remote-as: internal, route-reflector-client: true } }
neighbors:
  10.1.1.2: { peer-group: clients }
  10.1.2.2: { peer-group: clients, default-originate: true }
  10.1.3.2: { remote-as: 65100, local-as: 65009, remove-private-as: all, import: all, export: all }
control-socket: ${join(folder, 'reflector.sock')}
`;

interface FrrPath {
  readonly aspath: { readonly string: string };
  readonly originatorId?: string;
  readonly clusterList?: { readonly list: readonly string[] };
  readonly nexthops: readonly { readonly ip: string }[];
}

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a route reflector', () => {
  let folder: string;
  const processes: ChildProcess[] = [];
  const frrFolders = (space: string) => ['etc/frr', 'run/frr'].map((part) => join(peersRoot(), part, space));
  const peerRun = join(PACKAGE_ROOT, 'scripts', 'peer-run');

  function createLinks(): void {
    for (const namespace of [REFLECTOR, ...CLIENTS]) createNamespace(namespace);
    for (const [index, client] of CLIENTS.entries()) {
      const link = `at${index + 1}`;
      ip('link', 'add', link, 'netns', REFLECTOR, 'type', 'veth', 'peer', 'name', link, 'netns', client);
      for (const [namespace, host] of [
        [REFLECTOR, 1],
        [client, 2],
      ] as const) {
        ip('-n', namespace, 'addr', 'add', `10.1.${index + 1}.${host}/24`, 'dev', link);
        ip('-n', namespace, 'link', 'set', 'dev', link, 'up');
      }
    }
  }

  function startFrr(space: string): void {
    for (const path of frrFolders(space)) {
      mkdirSync(path, { recursive: true });
      chownSync(path, FRR_USER, FRR_USER);
    }
    // Without them vtysh complains before it answers.
    for (const name of ['vtysh.conf', 'frr.conf']) writeFileSync(join(frrFolders(space)[0]!, name), '');
    const files = ['-f', `/lab/${space}.conf`, '--log', 'stdout'];
    const bgpd = ['/usr/lib/frr/bgpd', '-N', space, '--no_zebra', ...files, '-A', '127.0.0.1', '-P', '0'];
    start(peerRun, [space, ...bgpd]);
  }

  function start(program: string, words: readonly string[]): void {
    processes.push(spawn(program, words, { env: { ...process.env, HEDDLE_PEER_DIR: folder }, stdio: 'ignore' }));
  }

  /** What FRR has of a prefix; nothing while it has none. */
  function seenBy(space: string, prefix: string): FrrPath | undefined {
    try {
      const words = [space, 'vtysh', '-N', space, '-d', 'bgpd', '-c', `show bgp ipv4 unicast ${prefix} json`];
      const answer: { paths?: FrrPath[] } = JSON.parse(
        execFileSync(peerRun, words, { encoding: 'utf8', stdio: 'pipe' }),
      );
      return answer.paths?.[0];
    } catch {
      return undefined;
    }
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-at-'));
    // bgpd reads its file as FRR's user.
    chmodSync(folder, 0o755);
    createLinks();
    writeFileSync(join(folder, 'bird.conf'), BIRD);
    writeFileSync(join(folder, 'at-frr.conf'), frrConfig(65001, '10.0.0.3', '10.1.2.1', 65001));
    writeFileSync(join(folder, 'at-out.conf'), frrConfig(65100, '10.0.0.4', '10.1.3.1', 65009));
    writeFileSync(join(folder, 'reflector.yaml'), heddleConfig(folder));
    const heddle = [process.execPath, join(PACKAGE_ROOT, 'bin', 'heddle'), 'run', join(folder, 'reflector.yaml')];
    start('ip', ['netns', 'exec', REFLECTOR, ...heddle]);
    start(peerRun, ['at-bird', 'bird', '-f', '-c', '/lab/bird.conf', '-s', '/lab/bird.ctl']);
    for (const space of ['at-frr', 'at-out']) startFrr(space);
  });

  afterAll(async () => {
    const ended = processes.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of processes) child.kill();
    await Promise.all(ended);
    for (const namespace of [REFLECTOR, ...CLIENTS]) deleteNamespace(namespace);
    for (const path of ['at-frr', 'at-out'].flatMap(frrFolders)) rmSync(path, { recursive: true, force: true });
    rmSync(folder, { recursive: true });
  });

  it('tells a client the route of another, with originator, cluster and the next hop that it had', async () => {
    await expect
      .poll(() => seenBy('at-frr', PREFIX), PATIENCE)
      .toMatchObject({
        aspath: { string: '4200000001' },
        originatorId: '10.0.0.2',
        clusterList: { list: ['10.0.0.255'] },
        nexthops: [{ ip: '10.1.1.2' }],
      });
  });

  it('tells the client that is to have one a default route of its own', async () => {
    await expect.poll(() => seenBy('at-frr', '0.0.0.0/0')?.nexthops, PATIENCE).toMatchObject([{ ip: '10.1.2.1' }]);
    expect(seenBy('at-out', '0.0.0.0/0')).toBeUndefined();
  });

  it('shows the outside its other AS before its own, and no private one behind', async () => {
    await expect.poll(() => seenBy('at-out', PREFIX)?.aspath.string, PATIENCE).toBe('65009 65001');
    expect(seenBy('at-out', PREFIX)).not.toHaveProperty('originatorId');
  });
});
