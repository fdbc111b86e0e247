/** The lab itself, with FRR on every router so that a fault of heddle is not one of the lab. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labUnusable, newLab } from '../../../test/harness/lab.js';
import { buildLab, raiseLinks, tearDown } from './build.js';
import { run } from './command.js';
import { pathOf } from './counters.js';
import { hostAddresses, waitHostAddresses } from './hosts.js';
import { allNamespaces, type Lab, loadLab, namespaceOf } from './lab.js';
import { failLink, healLink, linkConditions, silenceLink } from './links.js';
import { listNamespaces } from './namespaces.js';
import { peersRoot } from './peers.js';
import { poll } from './poll.js';
import { colourFlows, startProbe } from './probe.js';
import { isAlive, recordedProcesses, signalProcess } from './processes.js';
import { waitReady } from './readiness.js';
import { labStatus } from './status.js';

/** Milliseconds; the hold time is longer. */
const WITHDRAWN_AFTER = 2000;

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a lab', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await newLab('name: lab\nspines: 2\nleaves: 2\nimplementation: frr\n');
  });
  afterAll(async () => {
    await tearDown(lab);
  });

  it('comes up, and its hosts have the addresses that RFC 4862 makes of their MACs', async () => {
    await buildLab(lab);
    expect((await linkConditions(lab)).map(({ state }) => state)).toEqual(['cut', 'cut', 'cut', 'cut', 'cut', 'cut']);
    await raiseLinks(lab);
    expect((await waitReady(lab, { timeout: 120_000 })).missing).toEqual([]);
    expect(await waitHostAddresses(lab, 20_000)).toEqual([]);
    const [host] = lab.plan.hosts;
    const addresses = await hostAddresses(lab, host!);
    expect(addresses.map(({ prefix, usable }) => [prefix, usable])).toEqual([
      ['fc00:1:1:1::/64', true],
      ['fc00:1:1:2::/64', true],
    ]);
    for (const { expected } of addresses)
      expect(expected).toMatch(/^fc00:1:1:[12]:[0-9a-f]+:[0-9a-f]*ff:fe[0-9a-f]+:[0-9a-f]+$/);
  });

  it('cannot be built twice', async () => {
    await expect(buildLab(lab)).rejects.toThrow(
      'lab lab is already up (from lab): heddle lab down --lab lab removes it',
    );
  });

  it('tells which uplink carries a colour, and the gap that traffic sees when it fails', async () => {
    const question = { from: 'host1', to: 'host2', colour: 2 };
    await expect.poll(async () => (await pathOf(lab, question)).carriers).toEqual(['to-spine2']);
    const flows = await colourFlows(lab, 'host1', 'host2');
    const probe = await startProbe({ from: namespaceOf(lab, 'host1'), to: namespaceOf(lab, 'host2'), flows });
    probe.mark('failed');
    // The far link: nobody can move the traffic before the spine has withdrawn, and that it does when it may.
    signalProcess(lab.directory, 'spine2.bgpd', 'SIGSTOP');
    await failLink(lab, 'spine2:leaf2');
    await sleep(WITHDRAWN_AFTER);
    signalProcess(lab.directory, 'spine2.bgpd', 'SIGCONT');
    expect((await linkConditions(lab)).filter(({ state }) => state === 'cut')).toHaveLength(1);
    const moved = await poll(async () => (await pathOf(lab, question)).carriers.join() === 'to-spine1', {
      timeout: 120_000,
      interval: 100,
    });
    expect(moved).toBe(true);
    probe.mark('healed');
    await healLink(lab, 'leaf2:spine2');
    const [one, two] = await probe.stop();
    expect(one).toMatchObject({ flow: 'colour 1', lost: 0, received: one?.sent });
    expect(two?.marks.map(({ name }) => name)).toEqual(['failed', 'healed']);
    expect(two?.marks[0]?.lost).toBeGreaterThan(0);
    expect(two?.marks[0]?.longestOutageMs).toBeGreaterThan(0);
    expect((await waitReady(lab, { timeout: 120_000 })).missing).toEqual([]);
  });

  it('can lose a link without losing its carrier', async () => {
    await silenceLink(lab, 'leaf1:spine1');
    const bad = (await linkConditions(lab)).filter(({ state }) => state !== 'up');
    expect(bad.map(({ link, state }) => [link.b.node, state])).toEqual([['spine1', 'silent']]);
    const arrived = async () => {
      const { burst, received } = await pathOf(lab, { from: 'host1', to: 'host2', colour: 1 });
      return [...received.values()].reduce((sum, packets) => sum + packets, 0) / burst;
    };
    expect(await arrived()).toBeLessThan(0.1);
    await healLink(lab, 'spine1:leaf1');
    expect(await poll(async () => (await arrived()) >= 1, { timeout: 120_000, interval: 100 })).toBe(true);
    expect((await linkConditions(lab)).filter(({ state }) => state !== 'up')).toEqual([]);
  });

  it('keeps the rate of a link that is silenced and healed', async () => {
    const device = ['-n', namespaceOf(lab, 'leaf1'), 'qdisc'];
    const rate = ['root', 'handle', '1:', 'tbf', 'rate', '100mbit', 'burst', '20000', 'limit', '200000'];
    await run('tc', [...device, 'add', 'dev', 'to-spine1', ...rate]);
    const states = async () => (await linkConditions(lab)).map(({ state }) => state).filter((state) => state !== 'up');
    const arrived = async () => (await pathOf(lab, { from: 'host1', to: 'host2', colour: 1 })).received;
    const total = async () => [...(await arrived()).values()].reduce((sum, packets) => sum + packets, 0);
    expect(await states()).toEqual([]);
    await silenceLink(lab, 'leaf1:spine1', 'out');
    expect(await states()).toEqual(['silent']);
    expect(await total()).toBeLessThan(200);
    await healLink(lab, 'leaf1:spine1');
    expect(await states()).toEqual([]);
    expect(await run('tc', [...device, 'show', 'dev', 'to-spine1'])).toMatch(/^qdisc tbf 1: root .*rate 100Mbit/);
    expect(await poll(async () => (await total()) >= 2048, { timeout: 120_000, interval: 100 })).toBe(true);
    await run('tc', [...device, 'del', 'dev', 'to-spine1', 'root']);
  });

  it('says in its status which process died', async () => {
    const victim = recordedProcesses(lab.directory).find((one) => one.name === 'spine1.bgpd')!;
    process.kill(victim.pid, 'SIGKILL');
    expect(await poll(() => !isAlive(victim), { timeout: 120_000, interval: 10 })).toBe(true);
    const spine = (await labStatus(lab)).routers.find((router) => router.name === 'spine1');
    expect(spine?.processes.filter((one) => !one.alive).map((one) => one.name)).toEqual(['spine1.bgpd']);
    expect(spine?.sessions).toMatchObject({ up: 0, total: 2, missing: ['not running'] });
  });

  it('is taken down whole by another process that knows only its name, and a second time without complaint', async () => {
    const processes = recordedProcesses(lab.directory);
    // A pid that now belongs to someone else is none of the lab's.
    writeFileSync(join(lab.directory, 'recycled.pid'), `${process.pid} 1\n`);
    const known = loadLab('lab');
    const report = await tearDown(known);
    expect(report).toMatchObject({ namespaces: 6, strangers: [] });
    expect(processes.filter(isAlive)).toEqual([]);
    const left = await listNamespaces();
    expect(allNamespaces(lab).filter((name) => left.includes(name))).toEqual([]);
    expect(existsSync(lab.directory)).toBe(false);
    expect(existsSync(join(peersRoot(), 'run/frr', namespaceOf(lab, 'leaf1')))).toBe(false);
    expect(await tearDown(known)).toEqual({ processes: 0, namespaces: 0, strangers: [] });
  });

  it('does not touch a namespace that it did not make', async () => {
    const foreign = namespaceOf(lab, 'leaf1');
    await run('ip', ['netns', 'add', foreign]);
    try {
      await expect(buildLab(lab)).rejects.toThrow(`the network namespace ${foreign} exists and is no lab's`);
      expect(await listNamespaces()).toContain(foreign);
    } finally {
      await run('ip', ['netns', 'delete', foreign]);
    }
  });
});
