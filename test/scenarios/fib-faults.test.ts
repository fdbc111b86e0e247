/** What happens to the interfaces and tables of a running leaf: afterwards its kernel has what is wanted again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { run, tryRun } from '../../src/app/lab/command.js';
import { pathOf } from '../../src/app/lab/counters.js';
import { kernelRoutes } from '../../src/app/lab/kernel-routes.js';
import { controlSocket, type Lab, namespaceOf, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { findLinks } from '../../src/app/lab/links.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { labUnusable, startLab } from '../harness/lab.js';
import { describeOnPlanes } from '../harness/planes.js';

/** Milliseconds; sessions go and come back, on a busy machine. */
const SOON = { timeout: 120_000, interval: 250 };

describeOnPlanes('faults around the forwarding table of a leaf', labUnusable({ peers: false }), (plane) => {
  let lab: Lab;
  let link: string;
  let peerLink: string;
  const client = () => new ControlClient(controlSocket(lab, 'leaf1'));
  const on = (node: string, ...words: string[]) => run('ip', ['-n', namespaceOf(lab, node), ...words]);
  const heddle = (...words: string[]) =>
    tryRun(process.execPath, [join(PACKAGE_ROOT, 'bin', 'heddle'), ...words, '--socket', controlSocket(lab, 'leaf1')]);
  const sessions = async () => (await client().summary()).neighbors.up;
  const differences = async () => (await client().fibDifferences()).differences.map(({ why }) => why);
  const routes = async () => (await kernelRoutes(lab, 'leaf1')).length;
  let steady: number;

  /** Both sessions, all routes, and nothing that differs. */
  async function expectSteady(): Promise<void> {
    await expect
      .poll(async () => [await sessions(), await routes(), await differences()], SOON)
      .toEqual([2, steady, []]);
  }

  beforeAll(async () => {
    lab = await startLab('name: ff\nspines: 2\nleaves: 2\n', plane);
    const [found] = findLinks(lab, 'leaf1:spine1');
    link = found!.near.interface;
    peerLink = (found!.link.a === found!.near ? found!.link.b : found!.link.a).interface;
    steady = await routes();
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('ends with 0 and one line when there is none', async () => {
    await expectSteady();
    const shown = await heddle('show', 'fib', '--diff');
    expect(shown.stdout).toMatch(/^the kernel has what is wanted: \d+ routes, \d+ groups, \d+ next hops\n$/);
    expect(shown.status).toBe(0);
  });

  it('ends with 1 and what to do when a foreign route is in the way', async () => {
    const { prefix } = (await client().fib())[0]!;
    await on('leaf1', 'route', 'replace', prefix, 'dev', link, 'metric', '20');
    const shown = async () => (await heddle('show', 'fib', '--diff')).stdout;
    await expect.poll(shown, SOON).toContain('a foreign route is in the way');
    const { status, stdout } = await heddle('show', 'fib', '--diff');
    expect(stdout).toContain(`ip -6 route del ${prefix} metric 20`);
    expect(status).toBe(1);
    expect((await heddle('show', 'fib')).stdout).toContain('a route of another program has this prefix and metric');
    await on('leaf1', 'route', 'del', prefix, 'dev', link, 'metric', '20');
    await expectSteady();
  });

  it('is mended after all next hops were flushed by hand', async () => {
    await on('leaf1', 'nexthop', 'flush', 'proto', '179');
    await expectSteady();
    expect(readFileSync(join(lab.directory, 'leaf1.log'), 'utf8')).toContain('was deleted by another program');
  });

  it('is mended after the interface was deleted and made again under its name', async () => {
    const index = async () => (await client().interfaces()).find(({ name }) => name === link)?.index;
    const before = await index();
    await on('leaf1', 'link', 'delete', link);
    await expect.poll(sessions, SOON).toBe(1);
    await expect.poll(differences, SOON).toEqual([]);
    const other = ['peer', 'name', peerLink, 'netns', namespaceOf(lab, 'spine1')];
    await on('leaf1', 'link', 'add', link, 'type', 'veth', ...other);
    await on('spine1', 'link', 'set', peerLink, 'up');
    await on('leaf1', 'link', 'set', link, 'up');
    await expectSteady();
    await expect.poll(index, SOON).not.toBe(before);
  });

  it('is mended after IPv6 was disabled on the interface and enabled again', async () => {
    const toggle = (value: number) =>
      run('ip', [
        'netns',
        'exec',
        namespaceOf(lab, 'leaf1'),
        'sysctl',
        '-qw',
        `net.ipv6.conf.${link}.disable_ipv6=${value}`,
      ]);
    await toggle(1);
    await expect.poll(sessions, SOON).toBe(1);
    await expect.poll(differences, SOON).toEqual([]);
    await toggle(0);
    await expectSteady();
  });

  it('does not care for a route cache that is full: the limit counts destinations, not routes', async () => {
    const limit = (value: number) =>
      run('ip', ['netns', 'exec', namespaceOf(lab, 'leaf1'), 'sysctl', '-qw', `net.ipv6.route.max_size=${value}`]);
    await limit(1);
    await on('leaf1', 'nexthop', 'flush', 'proto', '179');
    await expectSteady();
    const arrived = async () => {
      const { burst, received } = await pathOf(lab, { from: 'host1', to: 'host2', colour: 1 });
      return [...received.values()].reduce((sum, packets) => sum + packets, 0) / burst;
    };
    await expect.poll(arrived, SOON).toBeGreaterThanOrEqual(1);
    await limit(2 ** 31 - 1);
  });

  it('does not care for the MTU', async () => {
    const before = (await client().neighbor(link))[0]!.establishedCount;
    await on('leaf1', 'link', 'set', link, 'mtu', '4000');
    await on('spine1', 'link', 'set', peerLink, 'mtu', '4000');
    await expect
      .poll(async () => (await client().interfaces()).find(({ name }) => name === link)?.mtu, SOON)
      .toBe(4000);
    await expectSteady();
    expect((await client().neighbor(link))[0]!.establishedCount).toBe(before);
  });

  it('follows the neighbour to another MAC and link-local address', async () => {
    const address = async () => (await client().neighbor(link)).map((neighbor) => neighbor.address).at(-1);
    const before = await address();
    await on('spine1', 'link', 'set', peerLink, 'down');
    await on('spine1', 'link', 'set', peerLink, 'address', '02:00:00:00:12:34');
    await on('spine1', 'link', 'set', peerLink, 'up');
    await expect.poll(address, SOON).toContain('1234');
    expect(await address()).not.toBe(before);
    await expectSteady();
  });

  return () => lab;
});
