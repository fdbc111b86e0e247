/**
 * What the Dockerfile puts into the image runs as the image would: assembled into a folder, as a user that is not root, first process, with no
 * more capabilities than a container has.
 */
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createNamespace, deleteNamespace, ip, namespacesUnusable } from '../harness/netns.js';
import { type Assembled, assembleImage, type Container, runInside, startInside } from '../packaging/assembled.js';
import { argumentsOf, readDockerfile } from '../packaging/dockerfile.js';

/** Milliseconds, on a busy machine. */
const PATIENCE = 180_000;
const LEAF = 'hc-leaf';
const SPINE = 'hc-spine';
const NET_ADMIN = 12n;
const NEEDED = (1n << 10n) | (1n << NET_ADMIN) | (1n << 13n);

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('the container image', () => {
  const image = readDockerfile(readFileSync('Dockerfile', 'utf8')).at(-1)!;
  const leaf: Container = { namespace: LEAF, capAdd: ['net_admin'] };
  const spine: Container = { namespace: SPINE, capAdd: ['net_admin'] };
  let files: Assembled;
  const config = (name: string) => join(files.folder, `${name}.yaml`);
  const start = (name: string) => [join(files.opt, 'packaging', 'container-start'), 'run', config(name)];
  const routes = () => ip('-n', LEAF, '-6', 'route', 'show', 'proto', '179');

  beforeAll(() => {
    for (const name of [LEAF, SPINE]) createNamespace(name);
    ip('link', 'add', 'to-spine1', 'netns', LEAF, 'type', 'veth', 'peer', 'name', 'to-leaf1', 'netns', SPINE);
    ip('-n', LEAF, 'link', 'set', 'to-spine1', 'up');
    ip('-n', SPINE, 'link', 'set', 'to-leaf1', 'up');
    files = assembleImage(image);
    symlinkSync(join(files.opt, 'bin', 'heddle'), join(files.folder, 'heddle'));
    const common = { families: ['ipv6'], rehearsal: false };
    const socket = (name: string) => ({ 'control-socket': join(files.run, `${name}.sock`) });
    const of = {
      leaf1: { role: 'leaf', as: 65101, 'router-id': '10.1.0.1', fabric: { 'to-spine1': { colour: 1 } } },
      spine1: { role: 'spine', as: 65001, 'router-id': '10.0.0.1', fabric: { 'to-leaf1': {} } },
    };
    const originated = { leaf1: {}, spine1: { advertise: [{ prefix: 'fc00:9::/64' }] } };
    for (const name of ['leaf1', 'spine1'] as const)
      writeFileSync(config(name), stringify({ name, ...of[name], ...common, ...originated[name], ...socket(name) }));
  });
  afterAll(() => {
    for (const name of [LEAF, SPINE]) deleteNamespace(name);
    rmSync(files.folder, { recursive: true });
  });

  const health = () => {
    const command = /CMD (.*)$/.exec(argumentsOf(image, 'HEALTHCHECK')[0]!)![1]!;
    const found = command.replace(/^heddle /, `${join(files.folder, 'heddle')} `);
    return runInside({ namespace: LEAF, capAdd: [] }, ['sh', '-c', found], {
      HEDDLE_SOCKET: join(files.run, 'leaf1.sock'),
    });
  };

  it('says which capability it was not given', () => {
    const without = runInside({ ...leaf, capAdd: [] }, start('leaf1'));
    expect(without).toEqual({
      status: 1,
      output: expect.stringContaining('run needs CAP_NET_ADMIN (routes and addresses), which this process lacks'),
    });
    const forbidden = runInside({ ...leaf, noNewPrivileges: true }, start('leaf1'));
    expect(forbidden.status).toBe(1);
    expect(forbidden.output).toContain('CAP_NET_ADMIN (routes and addresses), CAP_NET_RAW');
  });

  it('says which kernel switches the container has to be started with, in doctor too', () => {
    const container = { ...leaf, readOnlySwitches: true };
    const refused = runInside(container, start('leaf1'));
    expect(refused.status).toBe(1);
    expect(refused.output).toContain(
      'the container has to be started with --sysctl net.ipv6.conf.all.forwarding=1 --sysctl net.ipv4.ip_forward=1',
    );
    const doctor = runInside(container, [start('leaf1')[0]!, 'doctor', config('leaf1')]);
    expect(doctor.output).toMatch(/problem +kernel\.forwarding/);
    expect(doctor.output).not.toContain('sets net.');
  });

  it('is sick before it runs, well before any session is up, forwards, and leaves nothing at SIGTERM', async () => {
    expect(health().status).toBe(1);
    const daemon = startInside(leaf, start('leaf1'));
    await expect.poll(() => health().status, { timeout: PATIENCE, interval: 500 }).toBe(0);
    expect(daemon.output()).not.toContain('established');

    const status = readFileSync(`/proc/${daemon.pid()}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1];
    expect(field('Uid')?.split(/\s+/)).toEqual(Array(4).fill('10179'));
    expect(field('NSpid')?.split(/\s+/).at(-1)).toBe('1');
    expect(BigInt(`0x${field('CapEff')}`)).toBe(NEEDED);
    expect(BigInt(`0x${field('CapPrm')}`)).toBe(NEEDED);

    const peer = startInside(spine, start('spine1'));
    await expect.poll(routes, { timeout: PATIENCE }).toContain('fc00:9::/64');
    expect(health().status).toBe(0);

    process.kill(daemon.pid()!, 'SIGTERM');
    expect(await daemon.ended).toBe(0);
    expect(routes()).toBe('');
    process.kill(peer.pid()!, 'SIGTERM');
    expect(await peer.ended).toBe(0);
  });

  it('holds no development dependency and no test', () => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const held = JSON.parse(readFileSync(join(files.opt, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      expect(held).toHaveProperty([`node_modules/${name}`]);
    for (const name of ['typescript', 'vitest', 'vite', '@biomejs/biome'])
      expect(held).not.toHaveProperty([`node_modules/${name}`]);
  });
});
