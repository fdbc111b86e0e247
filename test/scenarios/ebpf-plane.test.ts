/**
 * The eBPF plane of a running fabric: what operators and faults do to it, under traffic that must all arrive. Whatever happens to the
 * plane, the kernel has the same routes and forwards on.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { tearDown } from '../../src/app/lab/build.js';
import { run } from '../../src/app/lab/command.js';
import { heddleDriver } from '../../src/app/lab/heddle-driver.js';
import { controlSocket, findRouter, type Lab, namespaceOf, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { findLinks } from '../../src/app/lab/links.js';
import { poll } from '../../src/app/lab/poll.js';
import { colourFlows, startProbe } from '../../src/app/lab/probe.js';
import { isAlive, recordedProcesses, startProcess } from '../../src/app/lab/processes.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { reload } from '../../src/edge/control/command-client.js';
import { labUnusable, startLab } from '../harness/lab.js';
import { expectPlaneForwards } from '../harness/planes.js';

const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

const LEAF = 'leaf1';
/** Milliseconds; sessions go and come back, on a busy machine. */
const SOON = { timeout: 120_000, interval: 100 };

/** With seconds in which a busy machine starts a process. */
const RESTART = '{ graceful-restart: { helper: true, restarter: true, restart-time: 600 } }';

type Config = Record<string, unknown>;

describe.skipIf(unusable)('the eBPF plane of a leaf', () => {
  let lab: Lab;
  const file = () => join(lab.directory, `${LEAF}.yaml`);
  const log = () => readFileSync(join(lab.directory, `${LEAF}.log`), 'utf8');
  const client = () => new ControlClient(controlSocket(lab, LEAF));
  const on = (node: string, ...words: string[]) => run('ip', ['-n', namespaceOf(lab, node), ...words]);
  const plane = async () => (await client().dlb()).plane;
  const attached = async () => (await plane())?.attachments.map((one) => one.interface) ?? [];
  const edit = (change: Config) =>
    writeFileSync(file(), stringify({ ...parse(readFileSync(file(), 'utf8')), ...change }));

  /** What changed. */
  async function reloaded(change: Config): Promise<readonly string[]> {
    edit(change);
    return (await reload(controlSocket(lab, LEAF))).changes;
  }

  /** While `body` runs a datagram of each colour leaves every other millisecond, both ways; all must arrive. */
  async function losesNothing(body: () => Promise<void>): Promise<void> {
    const ends = [
      ['host1', 'host2'],
      ['host2', 'host1'],
    ] as const;
    const probes = await Promise.all(
      ends.map(async ([from, to]) => {
        const flows = await colourFlows(lab, from, to);
        return startProbe({ from: namespaceOf(lab, from), to: namespaceOf(lab, to), flows, interval: 2 });
      }),
    );
    try {
      await body();
    } catch (error) {
      for (const probe of probes) probe.abandon();
      throw error;
    }
    const reports = (await Promise.all(probes.map((probe) => probe.stop()))).flat();
    expect(reports.map(({ lost }) => lost)).toEqual([0, 0, 0, 0]);
    for (const { sent } of reports) expect(sent).toBeGreaterThan(20);
  }

  /** What the spines keep for a restart that is not over they must drop at the next one (RFC 4724 section 4.2). */
  async function stale(): Promise<number> {
    const spines = ['spine1', 'spine2'].map((spine) => new ControlClient(controlSocket(lab, spine)).neighbors());
    return (await Promise.all(spines)).flat().filter((neighbor) => neighbor.stale !== null).length;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = recordedProcesses(lab.directory).find(({ name }) => name === LEAF)!;
    process.kill(running.pid, signal);
    expect(await poll(() => !isAlive(running), { timeout: 120_000, interval: 10 })).toBe(true);
  }

  beforeAll(async () => {
    lab = await startLab(
      `name: ep\nspines: 2\nleaves: 2\nsettings: { leaves: ${RESTART}, spines: ${RESTART} }\n`,
      'ebpf',
    );
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('forwards what comes in from hosts and from the fabric', async () => {
    expect(await attached()).toEqual(['to-host1', 'to-spine1', 'to-spine2']);
    await expectPlaneForwards(lab);
  });

  it('balances another way, takes other tables, goes and comes back by reload, and no packet is lost', async () => {
    await losesNothing(async () => {
      expect(await reloaded({ ebpf: { mode: 'per-packet' } })).toEqual(['the eBPF plane balances by per-packet']);
      expect(await reloaded({ ebpf: { mode: 'per-packet', flowsets: 512 } })).toEqual(['the eBPF plane forwards']);
      expect(await reloaded({ plane: 'kernel' })).toEqual(['the kernel forwards']);
      expect(await plane()).toBeNull();
      expect(await reloaded({ plane: 'ebpf', ebpf: { mode: 'flowlet' } })).toEqual(['the eBPF plane forwards']);
    });
    await expectPlaneForwards(lab);
  });

  it('takes up the interfaces that a reload brings, and lets go those that it takes', async () => {
    const { hosts } = parse(readFileSync(file(), 'utf8'));
    await on(LEAF, 'link', 'add', 'to-host9', 'type', 'veth', 'peer', 'name', 'far9');
    await on(LEAF, 'link', 'set', 'to-host9', 'up');
    await losesNothing(async () => {
      await reloaded({ hosts: { ...hosts, 'to-host9': { prefixes: [{ prefix: 'fc00:1:9:1::/64', colour: 1 }] } } });
      await expect.poll(attached, SOON).toContain('to-host9');
      await reloaded({ hosts });
      await expect.poll(attached, SOON).not.toContain('to-host9');
    });
    await on(LEAF, 'link', 'delete', 'to-host9');
  });

  it('is on an interface again that was deleted and made anew under its name', async () => {
    const [found] = findLinks(lab, `${LEAF}:spine1`);
    const { near, link } = found!;
    const far = link.a === near ? link.b : link.a;
    await on(LEAF, 'link', 'delete', near.interface);
    await expect.poll(attached, SOON).not.toContain(near.interface);
    const peer = ['peer', 'name', far.interface, 'netns', namespaceOf(lab, 'spine1')];
    await on(LEAF, 'link', 'add', near.interface, 'type', 'veth', ...peer);
    await on('spine1', 'link', 'set', far.interface, 'up');
    await on(LEAF, 'link', 'set', near.interface, 'up');
    await expect.poll(attached, SOON).toContain(near.interface);
    await expect.poll(async () => (await client().fibDifferences()).differences, SOON).toEqual([]);
    await expect.poll(async () => (await client().summary()).neighbors.up, SOON).toBe(2);
    await expect.poll(async () => (await plane())?.ports.map(({ state }) => state), SOON).toEqual(['up', 'up']);
    await expectPlaneForwards(lab);
  });

  it('is gone with a process that is killed, and there again with the next; the kernel has the packets meanwhile', async () => {
    await expect.poll(stale, SOON).toBe(0);
    await losesNothing(async () => {
      await end('SIGKILL');
      await heddleDriver.start(lab, findRouter(lab, LEAF), `${LEAF}.yaml`);
      await expect.poll(async () => (await plane())?.ports.map(({ state }) => state), SOON).toEqual(['up', 'up']);
    });
    expect((await plane())?.failure).toBeNull();
    await expectPlaneForwards(lab);
  });

  it('that the kernel refuses is told of in one line, and the kernel forwards; a reload after that says so again', async () => {
    await expect.poll(stale, SOON).toBe(0);
    await losesNothing(async () => {
      await end('SIGKILL');
      const heddle = [process.execPath, join(PACKAGE_ROOT, 'bin', 'heddle'), 'run', file()];
      const dropped = ['setpriv', '--bounding-set', '-sys_admin,-bpf,-perfmon', ...heddle];
      const before = log().length;
      startProcess(lab.directory, {
        ...{ name: LEAF, program: 'ip' },
        parameters: ['netns', 'exec', namespaceOf(lab, LEAF), ...dropped],
      });
      const refused = /the kernel forwards, not the eBPF plane: eBPF table \w+ cannot be made: not permitted \(EPERM\)/;
      const lines = () =>
        log()
          .slice(before)
          .split('\n')
          .filter((line) => refused.test(line));
      await expect.poll(lines, SOON).toHaveLength(1);
      await expect.poll(async () => (await client().summary()).neighbors.up, SOON).toBe(2);
      expect((await reloaded({})).join('\n')).toMatch(refused);
    });
    expect((await plane())?.failure).toMatch(/EPERM/);
    await expect.poll(async () => (await client().fib()).every(({ state }) => state === 'installed'), SOON).toBe(true);
  });
});
