/**
 * What an operator does to a running router, seen from both sides: heddle between an FRR of another AS, over two links, and an FRR of
 * its own AS at a loopback address behind a third one.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { peersRoot } from '../../src/app/lab/peers.js';
import { poll } from '../../src/app/lab/poll.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { labUnusable } from '../harness/lab.js';
import { createNamespace, deleteNamespace, ip } from '../harness/netns.js';

const BORDER = 'lv-border';
const OUT = 'lv-out';
const CORE = 'lv-core';
const LINKS = [
  { name: 'lv1', far: OUT },
  { name: 'lv2', far: OUT },
  { name: 'lv3', far: CORE },
];
const PATIENCE = { timeout: 120_000, interval: 300 };
/** The user of FRR's packages; scripts/peers-install makes it. */
const FRR_USER = 900;

const OURS = '2001:db8:a::/48';
const SHARED = '2001:db8:f0::/48';
const JUDGED = '2001:db8:f1::/48';
const REJECTED = '2001:db8:f2::/48';
const INSIDE = '2001:db8:c::/48';
/** heddle's end of the first link, and FRR's. */
const NEAR = '2001:db8:1::1';
const FAR = '2001:db8:1::2';

/** One megabit is 125000 octets a second: the first link has a third of the second's. */
const OUTSIDE = `router bgp 65200
 bgp router-id 10.0.0.2
 bgp log-neighbor-changes
 no bgp ebgp-requires-policy
 no bgp network import-check
 no bgp default ipv4-unicast
 neighbor 2001:db8:1::1 remote-as 65100
 neighbor 2001:db8:1::1 timers connect 1
 neighbor 2001:db8:2::1 remote-as 65100
 neighbor 2001:db8:2::1 timers connect 1
 address-family ipv6 unicast
  network ${SHARED}
  network ${JUDGED}
  network ${REJECTED}
  neighbor 2001:db8:1::1 activate
  neighbor 2001:db8:1::1 route-map narrow out
  neighbor 2001:db8:2::1 activate
  neighbor 2001:db8:2::1 route-map wide out
 exit-address-family
exit
route-map narrow permit 10
 set extcommunity bandwidth 1000
exit
route-map wide permit 10
 set extcommunity bandwidth 3000
exit
`;

const INTERNAL = `router bgp 65100
 bgp router-id 10.0.0.3
 no bgp network import-check
 no bgp default ipv4-unicast
 neighbor 2001:db8:ff::1 remote-as 65100
 neighbor 2001:db8:ff::1 update-source 2001:db8:ff::2
 neighbor 2001:db8:ff::1 timers connect 1
 address-family ipv6 unicast
  network ${INSIDE}
  neighbor 2001:db8:ff::1 activate
 exit-address-family
`;

interface Policy {
  readonly localPref: number;
  readonly colour: number;
  readonly community: string;
  readonly rejected: string;
}

const FIRST: Policy = { localPref: 200, colour: 5, community: '65100:1', rejected: REJECTED };
const SECOND: Policy = { localPref: 300, colour: 6, community: '65100:2', rejected: '2001:db8:f3::/48' };

const heddleConfig = (folder: string, { localPref, colour, community, rejected }: Policy): string =>
  stringify({
    name: 'border',
    role: 'spine',
    as: 65100,
    'router-id': '10.0.0.1',
    'control-socket': join(folder, 'border.sock'),
    timers: { hold: 60, 'connect-retry': 1 },
    advertise: [{ prefix: OURS }],
    policies: {
      in: [
        { match: { prefixes: [rejected] }, action: 'reject' },
        { match: { prefixes: [JUDGED] }, set: { 'local-pref': localPref, colour }, action: 'accept' },
        { action: 'accept' },
      ],
      out: [{ set: { communities: { add: [community] } }, action: 'accept' }],
    },
    'peer-groups': { outside: { 'remote-as': 65200, import: 'in', export: 'out' } },
    neighbors: {
      [FAR]: { 'peer-group': 'outside', 'link-bandwidth': 1.25e9 },
      '2001:db8:2::2': { 'peer-group': 'outside', 'link-bandwidth': 2.5e9 },
      '2001:db8:ff::2': { 'remote-as': 'internal', multihop: 3, source: '2001:db8:ff::1' },
    },
  });

interface FrrPath {
  readonly peer: { readonly peerId: string };
  readonly community?: { readonly list: readonly string[] };
  readonly extendedCommunity?: { readonly string: string };
}

interface FrrNeighbour {
  readonly bgpState: string;
  readonly connectionsEstablished: number;
  readonly messageStats: { readonly routeRefreshRecv: number };
}

interface KernelNextHop {
  readonly id: number;
  readonly dev?: string;
  readonly group?: readonly { readonly id: number; readonly weight?: number }[];
}

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('the operator of a router between two FRRs', () => {
  let folder: string;
  const processes: ChildProcess[] = [];
  const peerRun = join(PACKAGE_ROOT, 'scripts', 'peer-run');
  const heddleBin = join(PACKAGE_ROOT, 'bin', 'heddle');
  const socket = () => join(folder, 'border.sock');
  const frrFolders = (space: string) => ['etc/frr', 'run/frr'].map((part) => join(peersRoot(), part, space));

  function heddle(...words: string[]): string {
    const run = [heddleBin, ...words, '--socket', socket()];
    return execFileSync(process.execPath, run, { encoding: 'utf8', stdio: 'pipe' });
  }
  const neighbor = async (name = FAR) => (await new ControlClient(socket()).neighbor(name))[0]!;
  const pathOf = async (prefix: string) => (await new ControlClient(socket()).route(prefix)).paths[0];

  /** `undefined` while it does not answer. */
  function vtysh<Answer>(command: string): Answer | undefined {
    try {
      const words = [OUT, 'vtysh', '-N', OUT, '-d', 'bgpd', '-c', command];
      return JSON.parse(execFileSync(peerRun, words, { encoding: 'utf8', stdio: 'pipe' }));
    } catch {
      return undefined;
    }
  }
  const pathsOutside = (prefix: string) =>
    vtysh<{ paths?: FrrPath[] }>(`show bgp ipv6 unicast ${prefix} json`)?.paths ?? [];
  const communitiesOutside = () => pathsOutside(OURS).map(({ community }) => community?.list);
  const neighbourOutside = () => vtysh<Record<string, FrrNeighbour>>(`show bgp neighbors ${NEAR} json`)?.[NEAR];

  const log = () => readFileSync(join(peersRoot(), 'run/frr', OUT, 'bgpd.log'), 'utf8');

  function start(program: string, words: readonly string[]): void {
    processes.push(spawn(program, words, { env: { ...process.env, HEDDLE_PEER_DIR: folder }, stdio: 'ignore' }));
  }

  function createLinks(): void {
    for (const namespace of [BORDER, OUT, CORE]) {
      createNamespace(namespace);
      ip('netns', 'exec', namespace, 'sysctl', '-qw', 'net.ipv6.conf.default.accept_dad=0');
    }
    for (const [index, { name, far }] of LINKS.entries()) {
      ip('link', 'add', name, 'netns', BORDER, 'type', 'veth', 'peer', 'name', name, 'netns', far);
      for (const [namespace, host] of [
        [BORDER, 1],
        [far, 2],
      ] as const) {
        ip('-n', namespace, 'addr', 'add', `2001:db8:${index + 1}::${host}/64`, 'dev', name);
        ip('-n', namespace, 'link', 'set', 'dev', name, 'up');
      }
    }
    ip('-n', BORDER, 'addr', 'add', '2001:db8:ff::1/128', 'dev', 'lo');
    ip('-n', CORE, 'addr', 'add', '2001:db8:ff::2/128', 'dev', 'lo');
    ip('-n', BORDER, 'route', 'add', '2001:db8:ff::2/128', 'via', '2001:db8:3::2', 'metric', '7');
    ip('-n', CORE, 'route', 'add', '2001:db8:ff::1/128', 'via', '2001:db8:3::1');
  }

  async function startFrr(space: string): Promise<void> {
    for (const path of frrFolders(space)) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path, { recursive: true });
      chownSync(path, FRR_USER, FRR_USER);
    }
    const [etc, run] = frrFolders(space);
    // Without them vtysh complains before it answers.
    for (const name of ['vtysh.conf', 'frr.conf']) writeFileSync(join(etc!, name), '');
    const quiet = ['-N', space, '-A', '127.0.0.1', '-P', '0'];
    start(peerRun, [space, '/usr/lib/frr/zebra', ...quiet, '-f', '/dev/null']);
    expect(await poll(() => existsSync(join(run!, 'zserv.api')), PATIENCE)).toBe(true);
    const logging = ['--log', `file:/run/frr/${space}/bgpd.log`, '--log-level', 'informational'];
    start(peerRun, [space, '/usr/lib/frr/bgpd', ...quiet, ...logging, '-f', `/lab/${space}.conf`]);
  }

  const configure = (policy: Policy) => writeFileSync(join(folder, 'border.yaml'), heddleConfig(folder, policy));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-lv-'));
    // bgpd reads its file as FRR's user.
    chmodSync(folder, 0o755);
    createLinks();
    writeFileSync(join(folder, `${OUT}.conf`), OUTSIDE);
    writeFileSync(join(folder, `${CORE}.conf`), INTERNAL);
    configure(FIRST);
    start('ip', ['netns', 'exec', BORDER, process.execPath, heddleBin, 'run', join(folder, 'border.yaml')]);
    await Promise.all([OUT, CORE].map(startFrr));
  });

  afterAll(async () => {
    const ended = processes.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of processes) child.kill();
    await Promise.all(ended);
    for (const namespace of [BORDER, OUT, CORE]) deleteNamespace(namespace);
    for (const path of [OUT, CORE].flatMap(frrFolders)) rmSync(path, { recursive: true, force: true });
    rmSync(folder, { recursive: true });
  });

  it('spreads traffic over both links as the bandwidths say, and tells what its own are', async () => {
    const nextHops = (): KernelNextHop[] => JSON.parse(ip('-n', BORDER, '-j', 'nexthop', 'show'));
    /** Of the groups in the kernel, by interface. */
    const weights = () => {
      const known = new Map(nextHops().map((nextHop) => [nextHop.id, nextHop]));
      return [...known.values()].flatMap(({ group }) =>
        group ? [Object.fromEntries(group.map(({ id, weight }) => [known.get(id)?.dev, weight ?? 1]))] : [],
      );
    };
    await expect.poll(weights, PATIENCE).toContainEqual({ lv1: 1, lv2: 3 });
    const groupOf = (prefix: string) => {
      const [route] = JSON.parse(ip('-n', BORDER, '-6', '-j', 'route', 'show', prefix, 'metric', '20'));
      return nextHops().find(({ id }) => id === route?.nhid)?.group;
    };
    await expect.poll(() => groupOf(SHARED), PATIENCE).toHaveLength(2);
    const bandwidths = () =>
      Object.fromEntries(pathsOutside(OURS).map((path) => [path.peer.peerId, path.extendedCommunity?.string]));
    await expect.poll(bandwidths, PATIENCE).toEqual({
      '2001:db8:1::1': expect.stringMatching(/^LB:65100:1250000000\b/),
      '2001:db8:2::1': expect.stringMatching(/^LB:65100:2500000000\b/),
    });
  });

  it('changes policies alone, and both sides see it within the same sessions', async () => {
    const inFirst = { localPref: 200, colours: [5], status: 'preferred' };
    await expect.poll(() => pathOf(JUDGED), PATIENCE).toMatchObject(inFirst);
    await expect
      .poll(() => JSON.parse(heddle('show', 'route', REJECTED, '--json')).paths, PATIENCE)
      .toMatchObject([
        { status: 'ineligible', reason: 'rejected by import policy in term 1' },
        { status: 'ineligible', reason: 'rejected by import policy in term 1' },
      ]);
    await expect.poll(communitiesOutside, PATIENCE).toEqual([['65100:1'], ['65100:1']]);
    const before = await neighbor();
    const since = neighbourOutside()?.connectionsEstablished;

    configure(SECOND);
    heddle('reload');
    await expect.poll(() => pathOf(JUDGED), PATIENCE).toMatchObject({ localPref: 300, colours: [6] });
    await expect.poll(() => pathOf(REJECTED), PATIENCE).toMatchObject({ status: 'preferred' });
    await expect.poll(communitiesOutside, PATIENCE).toEqual([['65100:2'], ['65100:2']]);
    const after = await neighbor();
    expect(after.uptimeMs).toBeGreaterThan(before.uptimeMs!);
    expect(after.messages.sent.routeRefresh).toBe(before.messages.sent.routeRefresh);
    expect(neighbourOutside()).toMatchObject({ bgpState: 'Established', connectionsEstablished: since });
  });

  it('asks for the routes again without a new session', async () => {
    const before = await neighbor();
    heddle('neighbor', FAR, 'refresh');
    await expect.poll(() => neighbourOutside()?.messageStats.routeRefreshRecv, PATIENCE).toBeGreaterThan(0);
    await expect.poll(async () => (await neighbor()).stale, PATIENCE).toBeNull();
    const after = await neighbor();
    expect(after.messages.received.update).toBeGreaterThan(before.messages.received.update);
    expect(after).toMatchObject({ establishedCount: before.establishedCount, prefixes: before.prefixes });
  });

  it('takes a session down with a text, up again, and has it begin anew', async () => {
    const { establishedCount } = await neighbor();
    heddle('neighbor', FAR, 'shutdown', '--message', 'optics are replaced');
    expect(await neighbor()).toMatchObject({ state: 'idle', hold: { kind: 'shutdown' }, uptimeMs: null });
    // FRR tries to connect and is told so again; its `show` forgets the text over that, its log keeps it.
    const told = () => log().match(/NOTIFICATION: received .* 6\/2 \(.*\) "optics are replaced"/g)?.length ?? 0;
    await expect.poll(told, PATIENCE).toBeGreaterThan(1);
    expect(log()).not.toContain('Connection Rejected');
    expect(neighbourOutside()?.bgpState).not.toBe('Established');

    heddle('neighbor', FAR, 'enable');
    const up = { state: 'established', hold: null, establishedCount: establishedCount + 1 };
    await expect.poll(() => neighbor(), PATIENCE).toMatchObject(up);
    heddle('neighbor', FAR, 'reset', '--message', 'once more');
    await expect
      .poll(() => neighbor(), PATIENCE)
      .toMatchObject({ state: 'established', establishedCount: establishedCount + 2 });
    await expect.poll(log, PATIENCE).toMatch(/NOTIFICATION: received .* 6\/4 \(.*\) "once more"/);
    expect((await neighbor()).lastDown?.message).toBe('stopped here: Cease/Administrative Reset (6/4): "once more"');
    await expect.poll(neighbourOutside, PATIENCE).toMatchObject({ bgpState: 'Established' });
  });

  it('has the routes of a router at a loopback address go where the static route to it goes', async () => {
    const installed = (namespace: string, prefix: string) => ip('-n', namespace, '-6', 'route', 'show', prefix);
    await expect.poll(() => installed(BORDER, INSIDE), PATIENCE).toMatch(/metric 20 .*via 2001:db8:3::2 dev lv3/s);
    await expect
      .poll(() => pathOf(INSIDE), PATIENCE)
      .toMatchObject({
        status: 'preferred',
        asPath: '',
        resolved: { nextHop: '2001:db8:ff::2', onLink: false, cost: 7, via: [{ interface: 'lv3' }] },
      });
    await expect.poll(() => installed(CORE, OURS), PATIENCE).toMatch(/via 2001:db8:3::1 dev lv3/);
    expect(await neighbor('2001:db8:ff::2')).toMatchObject({ hops: 3, localAddress: '2001:db8:ff::1' });
  });
});
