/** What an operator does to a running daemon, with traffic: commands over the control socket, and a changed file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { tearDown } from '../../src/app/lab/build.js';
import { tryRun } from '../../src/app/lab/command.js';
import { kernelRoutes } from '../../src/app/lab/kernel-routes.js';
import { controlSocket, type Lab, namespaceOf, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { colourFlow, startProbe } from '../../src/app/lab/probe.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { labUnusable, startLab } from '../harness/lab.js';
import { describeOnPlanes } from '../harness/planes.js';

interface ConfigFile {
  readonly fabric: Record<string, Record<string, unknown>>;
}

describeOnPlanes('an operator of a running leaf', labUnusable({ peers: false }), (plane) => {
  let lab: Lab;
  const file = () => join(lab.directory, 'leaf1.yaml');
  const client = () => new ControlClient(controlSocket(lab, 'leaf1'));
  const heddle = (...words: string[]) =>
    tryRun(process.execPath, [join(PACKAGE_ROOT, 'bin', 'heddle'), ...words, '--socket', controlSocket(lab, 'leaf1')]);
  const neighborOn = async (link: string) => (await client().neighbor(link))[0]!;
  const edit = (change: (text: string) => string) => writeFileSync(file(), change(readFileSync(file(), 'utf8')));
  const spineLink = (spine: string) =>
    lab.plan.routers.find(({ name }) => name === 'leaf1')!.fabric.find(({ peer }) => peer.name === spine)!.interface;
  const routesOf = async (node: string) => (await kernelRoutes(lab, node)).map(({ prefix }) => prefix);

  beforeAll(async () => {
    lab = await startLab('name: op\nspines: 2\nleaves: 2\n', plane);
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('shuts a neighbour down and enables it', async () => {
    const link = spineLink('spine1');
    const shut = await heddle('neighbor', link, 'shutdown', '--message', 'optics are replaced');
    expect(shut.status, shut.stderr).toBe(0);
    expect(await neighborOn(link)).toMatchObject({ state: 'idle', hold: { kind: 'shutdown', retryInMs: null } });
    const spine = new ControlClient(controlSocket(lab, 'spine1'));
    const said = async () => (await spine.neighbors()).map(({ lastDown }) => lastDown?.message).join();
    await expect.poll(said).toContain('Administrative Shutdown (6/2): "optics are replaced"');
    expect((await heddle('neighbor', link, 'enable')).status).toBe(0);
    await expect.poll(async () => (await neighborOn(link)).state).toBe('established');
  });

  it('asks for routes again', async () => {
    const link = spineLink('spine2');
    expect((await heddle('neighbor', link, 'refresh')).status).toBe(0);
    await expect.poll(async () => (await neighborOn(link)).messages.sent.routeRefresh).toBe(1);
    expect(await heddle('neighbor', 'nowhere', 'reset')).toMatchObject({
      status: 1,
      stderr: 'heddle: no neighbor nowhere\n',
    });
  });

  it('reloads a changed file while sessions that did not change stay up and carry traffic', async () => {
    const [link1, link2] = [spineLink('spine1'), spineLink('spine2')];
    const before = await neighborOn(link2);
    const probe = await startProbe({
      from: namespaceOf(lab, 'host1'),
      to: namespaceOf(lab, 'host2'),
      flows: [await colourFlow(lab, { from: 'host1', to: 'host2', colour: 2 })],
      interval: 5,
    });
    edit((text) => {
      const config: ConfigFile = parse(text);
      config.fabric[link1] = { ...config.fabric[link1], 'send-colour': false };
      return stringify({ ...config, advertise: [{ prefix: 'fc00:aaaa::/64' }] });
    });
    const result = await heddle('reload');
    expect(result, result.stderr).toMatchObject({
      status: 0,
      stdout: `fabric interface ${link1} changed\nadvertised prefixes: 1 added\n`,
    });
    await expect.poll(() => routesOf('leaf2')).toContain('fc00:aaaa::/64');
    await expect.poll(async () => (await neighborOn(link1)).state).toBe('established');
    const after = await neighborOn(link2);
    expect(after.establishedCount).toBe(before.establishedCount);
    expect(after.uptimeMs!).toBeGreaterThan(before.uptimeMs!);
    expect((await probe.stop()).map(({ lost }) => lost)).toEqual([0]);
  });

  it('has the file read again by SIGHUP, without a word of it on a session that stays', async () => {
    const link = spineLink('spine2');
    const before = await neighborOn(link);
    edit((text) => stringify({ ...parse(text), advertise: [{ prefix: 'fc00:bbbb::/64' }] }));
    process.kill((await client().summary()).pid, 'SIGHUP');
    await expect.poll(() => routesOf('leaf2')).toContain('fc00:bbbb::/64');
    edit((text) => text.replace(/^as: /m, 'az: '));
    process.kill((await client().summary()).pid, 'SIGHUP');
    const said = () => readFileSync(join(lab.directory, 'leaf1.log'), 'utf8');
    await expect.poll(said).toMatch(/reload: .*leaf1\.yaml:\d+:\d+: az: unknown key/);
    edit((text) => text.replace(/^az: /m, 'as: '));
    const after = await neighborOn(link);
    expect(after.establishedCount).toBe(before.establishedCount);
    expect(after.messages.received.open).toBe(before.messages.received.open);
  });

  it('is told what is wrong with a file, and nothing changes', async () => {
    const good = readFileSync(file(), 'utf8');
    edit((text) => text.replace(/^as: /m, 'az: '));
    const wrong = await heddle('reload');
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toMatch(/leaf1\.yaml:\d+:\d+: az: unknown key/);
    writeFileSync(file(), good.replace(/^as: .*/m, 'as: 65999'));
    const restart = await heddle('reload');
    expect(restart).toMatchObject({ status: 2 });
    expect(restart.stderr).toMatch(/as.* changed: that needs a restart, so nothing was applied/);
    writeFileSync(file(), good);
    expect(await heddle('reload')).toMatchObject({ status: 0, stdout: 'nothing changed\n' });
  });

  return () => lab;
});
