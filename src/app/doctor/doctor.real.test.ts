/** `heddle doctor` in a network namespace, each trouble made in turn, and the machine as it was afterwards. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createNamespace, deleteNamespace, ip, namespacesUnusable } from '../../../test/harness/netns.js';
import type { Check, Finding, Status } from './finding.js';

const LEAF = `doctor-leaf-${process.pid}`;
const SPINE = `doctor-spine-${process.pid}`;
const HEDDLE = fileURLToPath(new URL('../../../bin/heddle', import.meta.url));
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

interface Answer {
  readonly problems: number;
  readonly findings: readonly Finding[];
  readonly exitCode: number | null;
}

/** What is in the configuration beside its name, role and AS number. */
const FABRIC = 'fabric:\n  up1: {}\n  up2: { password: warp }\n';
const HOSTS = 'hosts:\n  gpu: { prefixes: [{ prefix: "fc00:1:1:1::/64" }] }\n';

describe.skipIf(unusable)('heddle doctor', () => {
  let directory: string;
  const children: ChildProcess[] = [];
  const leaf = (...parameters: string[]) => ip('-n', LEAF, ...parameters);
  const inLeaf = (...command: string[]) => ip('netns', 'exec', LEAF, ...command);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'heddle-doctor-'));
    createNamespace(LEAF);
    createNamespace(SPINE);
    inLeaf('sysctl', '-qw', 'net.ipv4.ip_forward=0');
    for (const name of ['up1', 'up2', 'gpu']) {
      leaf('link', 'add', name, 'type', 'veth', 'peer', 'name', `far-${name}`, 'netns', SPINE);
      leaf('link', 'set', name, 'up');
      ip('-n', SPINE, 'link', 'set', `far-${name}`, 'up');
    }
    await vi.waitFor(() => expect(leaf('-6', 'addr', 'show', 'tentative')).toBe(''), {
      timeout: 120_000,
      interval: 50,
    });
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => {
    deleteNamespace(LEAF);
    deleteNamespace(SPINE);
    rmSync(directory, { recursive: true });
  });

  function written(text: string): string {
    const file = join(directory, 'leaf.yaml');
    const socket = text.includes('control-socket') ? '' : `control-socket: ${directory}/run/leaf.sock\n`;
    writeFileSync(file, `name: leaf\nrole: leaf\nas: 65101\n${socket}${text}`);
    return file;
  }

  interface Way {
    /** In front of the command. */
    readonly before?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }

  function ask(text: string, { before = [], env = {} }: Way = {}): Answer {
    const command = [...before, process.execPath, HEDDLE, 'doctor', '--json', written(text)];
    const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const;
    const { stdout, stderr, status } = spawnSync('ip', ['netns', 'exec', LEAF, ...command], options);
    if (!stdout.startsWith('{')) throw new Error(`no answer: ${stdout}${stderr}`);
    return { ...JSON.parse(stdout), exitCode: status };
  }

  function found({ findings }: Answer, check: Check, subject?: string): [Status, string][] {
    return findings
      .filter((one) => one.check === check && (subject === undefined || one.subject === subject))
      .map((one) => [one.status, one.found]);
  }

  /** A process of that name in the leaf's namespace. */
  async function imposter(name: string): Promise<number> {
    const file = join(directory, name);
    copyFileSync('/bin/sleep', file);
    const child = spawn('ip', ['netns', 'exec', LEAF, file, '1000'], { stdio: 'ignore' });
    children.push(child);
    await expect.poll(() => inLeaf('cat', `/proc/${child.pid}/comm`).trim()).toBe(name);
    return child.pid!;
  }

  function machineState(): string {
    const tables = ['addr', 'link', 'nexthop', 'rule'].map((table) => leaf('-d', table, 'show'));
    const routes = ['-4', '-6'].map((family) => leaf(family, 'route', 'show', 'table', 'all'));
    const switches = inLeaf('sysctl', '-a', '--pattern', '^net\\.(ipv4|ipv6)\\.(conf|neigh|ip_forward|fib)');
    // Validity that runs out, and counters, change by themselves.
    const steady = (text: string) => text.replaceAll(/expires \d+sec|_lft \w+/g, '');
    return [...tables, ...routes]
      .map(steady)
      .concat(switches, readdirSync(directory, { recursive: true }).join())
      .join('\n');
  }

  it('finds nothing wrong with a machine that is fit, tells what would change, and changes nothing', () => {
    written(FABRIC + HOSTS);
    const before = machineState();
    const answer = ask(FABRIC + HOSTS);
    expect(machineState()).toBe(before);
    expect(answer.findings.filter(({ status }) => status === 'problem')).toEqual([]);
    expect([answer.exitCode, answer.problems]).toEqual([0, 0]);
    expect(found(answer, 'kernel.next-hops')).toEqual([['ok', 'next-hop objects, and resilient groups of them']]);
    expect(found(answer, 'kernel.tcp-md5')).toEqual([
      ['ok', 'the kernel has TCP MD5 signatures (RFC 2385); used by up2'],
    ]);
    expect(found(answer, 'link.state', 'gpu')).toEqual([['ok', 'up, with carrier and a link-local address']]);
    const changes = answer.findings.filter(({ check }) => check === 'changes');
    expect(changes.map((one) => one.found)).toEqual(
      expect.arrayContaining([
        'sets net.ipv6.conf.all.forwarding from 0 to 1; it stays so',
        'sets net.ipv6.conf.up1.accept_ra from 1 to 0; it stays so',
        'adds fc00:1:1:1::1/64, and takes it away when it stops',
        'sends router advertisements: a default router, and fc00:1:1:1::/64',
      ]),
    );
  });

  it('looks at the machine alone without a configuration, as a table too', () => {
    const { stdout, status } = spawnSync('ip', ['netns', 'exec', LEAF, process.execPath, HEDDLE, 'doctor'], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toContain('STATUS   CHECK               FOUND\nok       kernel.version      Linux');
    expect(stdout).not.toContain('A DAEMON WOULD CHANGE');
  });

  it('counts switches as problems where the daemon may not set them', () => {
    const answer = ask(`sysctl: check\n${FABRIC}`);
    expect(found(answer, 'kernel.forwarding')).toContainEqual(['problem', 'net.ipv4.ip_forward is 0, must be 1']);
    expect(found(answer, 'link.switches', 'up1')).toContainEqual([
      'problem',
      'net.ipv6.conf.up1.forwarding is 0, must be 1',
    ]);
    expect(answer.exitCode).toBe(1);
  });

  it('names the capabilities that this configuration lacks', () => {
    const without = (set: string) => ['setpriv', '--bounding-set', set, '--inh-caps', set];
    const raw = ask(FABRIC, { before: without('-net_raw') });
    expect(found(raw, 'privileges')).toEqual([['problem', 'this process lacks CAP_NET_RAW (router advertisements)']]);
    expect(raw.exitCode).toBe(1);
    const bind = ask(`port: 1790\n${FABRIC}`, { before: without('-net_bind_service') });
    expect(found(bind, 'privileges')[0]?.[0]).toBe('ok');
    const plane = ask(`plane: ebpf\n${FABRIC}`, { before: without('-bpf,-sys_admin') });
    expect(found(plane, 'privileges')).toEqual([['problem', 'this process lacks CAP_BPF (the eBPF plane)']]);
    expect(found(plane, 'kernel.ebpf')[0]?.[0]).toBe('warning');
  });

  it('says who has the port', async () => {
    const listen = 'require("net").createServer().listen(179, "::", () => console.log("listens"))';
    const child = spawn('ip', ['netns', 'exec', LEAF, process.execPath, '-e', listen]);
    children.push(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const answer = ask(FABRIC);
    expect(found(answer, 'port')).toEqual([['problem', `TCP port 179 is taken by node (process ${child.pid})`]]);
    expect(found(ask(`port: 1790\n${FABRIC}`), 'port')).toEqual([['ok', 'TCP port 1790 is free']]);
  });

  it('names other routing daemons of this namespace, and what they left in the kernel', async () => {
    const radvd = await imposter('radvd');
    leaf('-6', 'route', 'add', 'fc00:9::/64', 'dev', 'up1', 'proto', '186', 'metric', '5');
    leaf('-6', 'route', 'add', 'fc00:8::/64', 'dev', 'up1', 'proto', '179', 'metric', '20');
    const answer = ask(FABRIC);
    leaf('-6', 'route', 'flush', 'proto', '186');
    leaf('-6', 'route', 'flush', 'proto', '179');
    expect(found(answer, 'daemons')).toEqual([['warning', `radvd runs in this network namespace (process ${radvd})`]]);
    expect(found(answer, 'routes')).toEqual([
      ['warning', '1 route in the main tables of BGP of FRR (protocol 186)'],
      ['warning', '1 route of heddle itself (protocol 179), and no daemon answers'],
    ]);
    expect(answer.exitCode).toBe(0);
  });

  it('counts descriptors', () => {
    const answer = ask(FABRIC, { before: ['prlimit', '--nofile=100:100'] });
    expect(found(answer, 'limits.files')).toEqual([['problem', '100 open files are allowed, about 108 are needed']]);
  });

  it('says which native package is missing, and what could not be looked at for want of it', () => {
    const file = join(directory, 'without-netlink.cjs');
    const refuse = `if (name === 'netlink') throw new Error('gone'); return before.apply(this, arguments)`;
    writeFileSync(
      file,
      `const Module = require('node:module'); const before = Module._load;\nModule._load = function (name) { ${refuse} };\n`,
    );
    const answer = ask(FABRIC, { env: { NODE_OPTIONS: `--require ${file}` } });
    expect(found(answer, 'packages', 'netlink')[0]?.[1]).toContain('netlink is not built');
    expect(found(answer, 'kernel.netlink')[0]?.[1]).toContain('rtnetlink cannot be used: netlink is not built');
    expect(answer.exitCode).toBe(1);
  });

  it('judges links: there, up, cabled, wide enough, alone with their address', async () => {
    ip('-n', SPINE, 'link', 'set', 'far-up2', 'down');
    leaf('link', 'set', 'gpu', 'mtu', '9000');
    leaf('link', 'set', 'up1', 'mtu', '1500');
    const dark = ask(`${FABRIC}  up9: {}\n${HOSTS}`);
    ip('-n', SPINE, 'link', 'set', 'far-up2', 'up');
    leaf('link', 'set', 'gpu', 'mtu', '1500');
    expect(found(dark, 'link.state', 'up9')).toEqual([['problem', 'there is no such interface']]);
    expect(found(dark, 'link.state', 'up2')).toEqual([['problem', 'no carrier']]);
    expect(found(dark, 'link.mtu', 'gpu')).toEqual([['warning', 'MTU 9000, the fabric has 1500']]);

    leaf('link', 'set', 'up2', 'mtu', '1400');
    const narrow = ask(FABRIC);
    leaf('link', 'set', 'up2', 'mtu', '1500');
    expect(found(narrow, 'link.mtu', 'up2')).toEqual([['warning', 'MTU 1400, others of the fabric have 1500']]);
  });

  it('sees a duplicate address, and a link without a link-local one', async () => {
    ip('-n', SPINE, 'addr', 'add', 'fc00:5::5/64', 'dev', 'far-up1', 'nodad');
    leaf('addr', 'add', 'fc00:5::5/64', 'dev', 'up1');
    await expect.poll(() => leaf('-6', 'addr', 'show', 'dev', 'up1')).toContain('dadfailed');
    const duplicate = ask(FABRIC);
    leaf('addr', 'del', 'fc00:5::5/64', 'dev', 'up1');
    ip('-n', SPINE, 'addr', 'del', 'fc00:5::5/64', 'dev', 'far-up1');
    expect(found(duplicate, 'link.addresses', 'up1')).toEqual([
      ['problem', 'fc00:5::5 is a duplicate: another node on the link has it'],
    ]);

    inLeaf('sysctl', '-qw', 'net.ipv6.conf.up1.disable_ipv6=1');
    const off = ask(FABRIC);
    inLeaf('sysctl', '-qw', 'net.ipv6.conf.up1.disable_ipv6=0');
    expect(found(off, 'link.state', 'up1')).toEqual([['problem', 'no link-local address']]);
    await expect.poll(() => leaf('-6', 'addr', 'show', 'dev', 'up1', 'scope', 'link', '-tentative')).not.toBe('');
  });

  it('knows a router that was heard, and a neighbour that is on no subnet of ours', () => {
    const mac = '02:00:00:00:00:09';
    leaf('-6', 'neigh', 'add', 'fe80::9', 'lladdr', mac, 'dev', 'up2', 'nud', 'reachable', 'router');
    leaf('addr', 'add', '192.0.2.1/24', 'dev', 'up1');
    const neighbours = 'neighbors:\n  192.0.2.9: { remote-as: 65001 }\n  198.51.100.9: { remote-as: 65001 }\n';
    const answer = ask(FABRIC + neighbours);
    leaf('addr', 'del', '192.0.2.1/24', 'dev', 'up1');
    leaf('-6', 'neigh', 'del', 'fe80::9', 'dev', 'up2');
    expect(found(answer, 'link.neighbours', 'up1')).toEqual([['warning', 'nobody is known on it']]);
    expect(found(answer, 'link.neighbours', 'up2')).toEqual([['ok', 'heard: fe80::9, a router']]);
    expect(found(answer, 'link.neighbours', '192.0.2.9')).toEqual([['ok', 'on a subnet of up1']]);
    expect(found(answer, 'link.neighbours', '198.51.100.9')).toEqual([['problem', 'on no subnet of this machine']]);
  });

  it('tries whether the state can be written, and for how long', () => {
    const disk = join(directory, 'disk');
    mkdirSync(disk);
    const mount = (options: string) => [
      ...['unshare', '--mount', 'sh', '-c', `mount -t tmpfs -o ${options} tmpfs ${disk} && exec "$@"`, 'sh'],
    ];
    const text = `control-socket: ${disk}/leaf.sock\n${FABRIC}`;
    const readOnly = ask(text, { before: mount('ro') });
    expect(found(readOnly, 'storage', disk)).toEqual([
      ['problem', `the control socket: ${disk} cannot be written to (EROFS)`],
    ]);
    const small = ask(text, { before: mount('size=1m') });
    expect(found(small, 'storage', disk)).toEqual([
      ['warning', 'the control socket: 1 MiB free, 16 MiB may be needed'],
    ]);
  });

  it('ends with 2 for a configuration that is wrong', () => {
    writeFileSync(join(directory, 'wrong.yaml'), 'name: leaf\n');
    const { status, stderr } = spawnSync(process.execPath, [HEDDLE, 'doctor', join(directory, 'wrong.yaml')]);
    expect(status).toBe(2);
    expect(String(stderr)).toContain('role');
  });
});
