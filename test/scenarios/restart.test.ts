/** Daemons that end and start again under traffic, and links that come back: nothing is lost, and the kernel ends as if nothing had been. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { buildLab, raiseLinks, tearDown } from '../../src/app/lab/build.js';
import { run } from '../../src/app/lab/command.js';
import { heddleDriver } from '../../src/app/lab/heddle-driver.js';
import { waitHostAddresses } from '../../src/app/lab/hosts.js';
import { controlSocket, findRouter, type Lab, namespaceOf } from '../../src/app/lab/lab.js';
import { failLink, healLink } from '../../src/app/lab/links.js';
import { poll } from '../../src/app/lab/poll.js';
import { colourFlows, type Probe, startProbe } from '../../src/app/lab/probe.js';
import { isAlive, recordedProcesses } from '../../src/app/lab/processes.js';
import { waitReady } from '../../src/app/lab/readiness.js';
import { reload } from '../../src/edge/control/command-client.js';
import { SeededRandom } from '../../src/simulator/seeded-random.js';
import { labUnusable, newLab } from '../harness/lab.js';
import { describeOnPlanes } from '../harness/planes.js';

/** Milliseconds, on a busy machine. */
const PATIENCE = 180_000;
const MANY = 4000;
/** From all sessions up until what an earlier run has left is gone. */
const SWEPT = 5500;
const SEED = 4;
const KILLS = { kernel: 4, ebpf: 1 };
/** Milliseconds: of a process, from before it reads its configuration to when it has learned, and of a link that is down. */
const LONGEST_LIFE = 2500;
const LONGEST_FLAP = 600;
/** Seconds of the restart time: a busy machine takes long to start a process. */
const RESTART = { helper: true, restarter: true, 'restart-time': 600 };
/** For what would still be lost. */
const QUIET = 2000;

describeOnPlanes('a leaf under traffic', labUnusable({ peers: false }), (plane) => {
  let lab: Lab;
  const file = (node: string) => join(lab.directory, `${node}.yaml`);
  const log = (node: string) => readFileSync(join(lab.directory, `${node}.log`), 'utf8');
  const reloaded = (node: string) => reload(controlSocket(lab, node));
  const edit = (node: string, change: (config: Record<string, unknown>) => Record<string, unknown>) =>
    writeFileSync(file(node), stringify(change(parse(readFileSync(file(node), 'utf8')))));

  async function end(node: string, signal: NodeJS.Signals): Promise<void> {
    const running = recordedProcesses(lab.directory).find(({ name }) => name === node)!;
    process.kill(running.pid, signal);
    expect(await poll(() => !isAlive(running), { timeout: 120_000, interval: 10 })).toBe(true);
  }

  /** Resolves when it has learned all and swept: five seconds after it says that it has converged. */
  async function start(node: string): Promise<void> {
    const before = log(node).length;
    await heddleDriver.start(lab, findRouter(lab, node), `${node}.yaml`);
    await expect.poll(() => log(node).slice(before), { timeout: PATIENCE }).toContain(': all sessions up');
    await sleep(SWEPT);
  }

  /** Routes with their next hops, and the objects, as they are and with their ids. */
  async function kernelOf(node: string): Promise<{ routes: string[]; objects: string[] }> {
    const ip = async (...words: string[]) =>
      (await run('ip', ['-n', namespaceOf(lab, node), ...words])).trimEnd().split('\n');
    return {
      routes: (await ip('-o', '-6', 'route', 'show', 'proto', '179')).map(inOrder).toSorted(),
      objects: (await ip('nexthop', 'show', 'proto', '179')).map(inOrder).toSorted(),
    };
  }

  /** The same without ids. */
  async function forwardingOf(node: string): Promise<string[]> {
    return (await kernelOf(node)).routes.map((route) => route.replace(/ nhid \d+/, '')).toSorted();
  }

  /** What is seen once nothing changes any more. */
  async function settled<Seen>(look: () => Promise<Seen>): Promise<Seen> {
    let seen = await look();
    const isStill = async () => {
      const before = JSON.stringify(seen);
      await sleep(QUIET);
      seen = await look();
      return JSON.stringify(seen) === before;
    };
    await expect.poll(isStill, { timeout: PATIENCE }).toBe(true);
    return seen;
  }

  async function probes(): Promise<Probe[]> {
    const ends = [
      ['host1', 'host2'],
      ['host2', 'host1'],
    ] as const;
    return Promise.all(
      ends.map(async ([from, to]) =>
        startProbe({
          from: namespaceOf(lab, from),
          to: namespaceOf(lab, to),
          flows: await colourFlows(lab, from, to),
          interval: 5,
        }),
      ),
    );
  }

  /** Datagrams lost since the mark of that name, or in all, by flow. */
  async function lost(running: readonly Probe[], mark?: string): Promise<number[]> {
    const reports = (await Promise.all(running.map((probe) => probe.stop()))).flat();
    for (const { sent } of reports) expect(sent).toBeGreaterThan(100);
    return reports.map((report) => (report.marks.find(({ name }) => name === mark) ?? report).lost);
  }

  beforeAll(async () => {
    lab = await newLab('name: rs\nspines: 2\nleaves: 2\n', plane);
    await buildLab(lab);
    for (const { name } of lab.plan.routers) {
      await end(name, 'SIGINT');
      edit(name, (config) => ({ ...config, 'graceful-restart': RESTART }));
      await heddleDriver.start(lab, findRouter(lab, name), `${name}.yaml`);
    }
    await raiseLinks(lab);
    const { missing } = await waitReady(lab, { timeout: PATIENCE });
    expect([...missing, ...(await waitHostAddresses(lab, PATIENCE))]).toEqual([]);
    await sleep(SWEPT);
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'that is ended by %s and starts again loses nothing and leaves every object as it was',
    async (signal) => {
      const before = await kernelOf('leaf1');
      expect(before.routes.length).toBeGreaterThan(0);
      const running = await probes();
      await end('leaf1', signal);
      expect(await kernelOf('leaf1')).toEqual(before);
      await start('leaf1');
      expect(await lost(running)).toEqual([0, 0, 0, 0]);
      await expect.poll(() => kernelOf('leaf1'), { timeout: PATIENCE }).toEqual(before);
    },
  );

  it('that is replaced by one with other settings of its groups loses nothing', async () => {
    const before = await forwardingOf('leaf1');
    const running = await probes();
    await end('leaf1', 'SIGTERM');
    edit('leaf1', (config) => ({ ...config, fib: { buckets: 64 } }));
    await start('leaf1');
    expect(await lost(running)).toEqual([0, 0, 0, 0]);
    const others = async () => {
      const { objects } = await kernelOf('leaf1');
      return objects.filter((object) => object.includes('buckets') && !object.includes('buckets 64'));
    };
    await expect.poll(others, { timeout: PATIENCE }).toEqual([]);
    await expect.poll(() => forwardingOf('leaf1'), { timeout: PATIENCE }).toEqual(before);
  });

  it('loses nothing when its link comes back', async () => {
    const [before, farther] = [await forwardingOf('leaf1'), await forwardingOf('leaf2')];
    const running = await probes();
    await failLink(lab, 'leaf1:spine1');
    await expect.poll(() => forwardingOf('leaf1'), { timeout: PATIENCE }).not.toEqual(before);
    await expect.poll(() => forwardingOf('leaf2'), { timeout: PATIENCE }).not.toEqual(farther);
    await sleep(QUIET);
    for (const probe of running) probe.mark('heal');
    await healLink(lab, 'leaf1:spine1');
    await expect.poll(() => forwardingOf('leaf1'), { timeout: PATIENCE }).toEqual(before);
    await sleep(QUIET);
    expect(await lost(running, 'heal')).toEqual([0, 0, 0, 0]);
  });

  it('that is killed while it installs, while a link goes down and while it reloads ends as one that never was', async () => {
    const prefixes = Array.from({ length: MANY }, (_, n) => ({ prefix: `fc01:${n.toString(16)}::/64` }));
    edit('leaf2', (config) => ({ ...config, advertise: prefixes }));
    await reloaded('leaf2');
    await expect
      .poll(async () => (await forwardingOf('leaf1')).length, { timeout: PATIENCE, interval: 5 })
      .toBeGreaterThan(100);
    await end('leaf1', 'SIGKILL');
    await heddleDriver.start(lab, findRouter(lab, 'leaf1'), 'leaf1.yaml');
    await expect.poll(async () => (await forwardingOf('leaf1')).length, { timeout: PATIENCE }).toBeGreaterThan(MANY);
    await failLink(lab, 'leaf1:spine2');
    await end('leaf1', 'SIGKILL');
    await start('leaf1');
    await healLink(lab, 'leaf1:spine2');
    edit('leaf1', (config) => ({ ...config, advertise: [{ prefix: 'fc02::/64' }] }));
    const reloading = reloaded('leaf1').catch(() => undefined);
    await end('leaf1', 'SIGKILL');
    await reloading;
    await start('leaf1');
    expect((await waitReady(lab, { timeout: PATIENCE })).missing).toEqual([]);
    const killed = await settled(() => forwardingOf('leaf1'));
    expect(killed.length).toBeGreaterThan(MANY);
    await end('leaf1', 'SIGINT');
    expect((await kernelOf('leaf1')).routes).toEqual(['']);
    await start('leaf1');
    await expect.poll(() => forwardingOf('leaf1'), { timeout: PATIENCE }).toEqual(killed);
  });

  it('that is killed again and again, at moments from a seed, while a link flaps ends as one that never was', async () => {
    const picture = async () => ({
      routes: await forwardingOf('leaf1'),
      objects: (await kernelOf('leaf1')).objects.length,
    });
    const before = await settled(picture);
    const random = new SeededRandom(SEED);
    const flap = async () => {
      await failLink(lab, 'leaf1:spine1');
      await sleep(LONGEST_FLAP * random.next());
      await healLink(lab, 'leaf1:spine1');
    };
    for (let kill = 0; kill < KILLS[plane]; kill++) {
      const flapping = flap();
      await sleep(LONGEST_LIFE * random.next());
      await end('leaf1', 'SIGKILL');
      await heddleDriver.start(lab, findRouter(lab, 'leaf1'), 'leaf1.yaml');
      await flapping;
    }
    await expect.poll(picture, { timeout: PATIENCE, interval: 500 }).toEqual(before);
  });

  return () => lab;
});

/** Next hops of a route come in the order in which they were added. */
function inOrder(line: string): string {
  const [head = '', ...hops] = line.replace(/\\/g, ' ').split(/\s+(?=nexthop )/);
  return [head.trim(), ...hops.map((hop) => hop.trim()).toSorted()].join(' ').replaceAll(/\s+/g, ' ');
}
