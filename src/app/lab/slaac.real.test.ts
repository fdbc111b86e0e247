/** What the kernel of a host makes of a leaf's prefixes while they come, change, are deprecated and go (RFC 4862 section 5.5.3). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { labUnusable, startLab } from '../../../test/harness/lab.js';
import { parseMac } from '../../core/net/eui64.js';
import { tearDown } from './build.js';
import { run } from './command.js';
import { type HostAddress, hostAddresses } from './hosts.js';
import { kernelRoutes } from './kernel-routes.js';
import { controlSocket, type Lab, namespaceOf, PACKAGE_ROOT } from './lab.js';
import { deleteLink, remakeLink } from './links.js';
import { labStatus } from './status.js';

const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

const DAY = 86_400;
const TWO_HOURS = 7200;

interface PrefixEntry {
  prefix: string;
  colour: number;
  'valid-lifetime'?: number;
  'preferred-lifetime'?: number;
}

describe.skipIf(unusable)('addresses of a host', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab('name: slaac\nspines: 2\nleaves: 2\nlink-rate: 100mbit\nhost-rate: 200mbit\n');
  });
  afterAll(() => tearDown(lab));

  /** Reloads leaf1 with what `change` makes of its host's prefixes. */
  async function reload(change: (prefixes: PrefixEntry[]) => PrefixEntry[]): Promise<string> {
    const file = join(lab.directory, 'leaf1.yaml');
    const config = parse(readFileSync(file, 'utf8'));
    config.hosts['to-host1'].prefixes = change(config.hosts['to-host1'].prefixes);
    writeFileSync(file, stringify(config));
    const heddle = join(PACKAGE_ROOT, 'bin', 'heddle');
    return run(process.execPath, [heddle, 'reload', '--socket', controlSocket(lab, 'leaf1')]);
  }

  async function address(colour: number): Promise<HostAddress> {
    return (await hostAddresses(lab, lab.plan.hosts[0]!)).find((one) => one.colour === colour)!;
  }

  async function onSpine(prefix: string): Promise<boolean> {
    return (await kernelRoutes(lab, 'spine1')).some((route) => route.prefix === prefix);
  }

  it('are the EUI-64 form of its MAC in each prefix, formed in the order of the prefixes', async () => {
    const where = ['-n', namespaceOf(lab, 'host1'), '-j', 'link', 'show', 'dev', 'eth0'];
    const [link]: { address: string }[] = JSON.parse(await run('ip', where));
    // RFC 4291 appendix A, by hand: the universal/local bit inverted, ff:fe in the middle.
    const octets = [...parseMac(link!.address)!].map((octet) => octet.toString(16).padStart(2, '0'));
    octets[0] = (Number.parseInt(octets[0]!, 16) ^ 2).toString(16).padStart(2, '0');
    const [a, b, c, d, e, f] = octets;
    const written = (text: string) => new URL(`http://[${text}]`).hostname.slice(1, -1);
    const all = await hostAddresses(lab, lab.plan.hosts[0]!);
    expect(all).toMatchObject(
      [1, 2].map((colour) => ({
        expected: written(`fc00:1:1:${colour}:${a}${b}:${c}ff:fe${d}:${e}${f}`),
        condition: 'preferred',
        position: colour - 1,
      })),
    );
    for (const { valid, preferred } of all) {
      expect(valid).toBeGreaterThan(30 * DAY - 600);
      expect(valid).toBeLessThanOrEqual(30 * DAY);
      expect(preferred).toBeLessThanOrEqual(7 * DAY);
    }
  });

  it('are deprecated, kept and reachable when their preferred lifetime is 0', async () => {
    const deprecate = { 'valid-lifetime': 20_000, 'preferred-lifetime': 0 };
    const told = await reload(([one, two]) => [one!, { ...two!, ...deprecate }]);
    expect(told).toBe('host interface to-host1 changed\n');
    await expect.poll(async () => (await address(2)).condition).toBe('deprecated');
    const { usable, valid } = await address(2);
    expect(usable).toBe(true);
    expect(valid).toBeGreaterThan(TWO_HOURS);
    expect(valid).toBeLessThanOrEqual(20_000);
    expect(await address(1)).toMatchObject({ condition: 'preferred' });
    expect(await onSpine('fc00:1:1:2::/64')).toBe(true);
  });

  it('keep two hours when less is advertised', async () => {
    await reload(([one, two]) => [{ ...one!, 'valid-lifetime': 600, 'preferred-lifetime': 300 }, two!]);
    await expect.poll(async () => (await address(1)).preferred).toBeLessThanOrEqual(300);
    const { valid, condition } = await address(1);
    expect(condition).toBe('preferred');
    expect(valid).toBeGreaterThan(TWO_HOURS - 120);
    expect(valid).toBeLessThanOrEqual(TWO_HOURS);
  });

  it('are deprecated for two hours when their prefix goes, and a new prefix forms its own', async () => {
    await reload(([one]) => [one!, { prefix: 'fc00:1:1:9::/64', colour: 2 }]);
    await expect.poll(async () => (await address(2)).condition).toBe('deprecated');
    expect((await address(2)).valid).toBeLessThanOrEqual(TWO_HOURS);
    expect((await address(2)).valid).toBeGreaterThan(TWO_HOURS - 120);
    const own = (await address(1)).expected.replace('fc00:1:1:1:', '');
    const where = ['-n', namespaceOf(lab, 'host1'), '-6', 'addr', 'show', 'dev', 'eth0', '-tentative'];
    await expect.poll(() => run('ip', where)).toContain(`fc00:1:1:9:${own}/64 scope global dynamic`);
    await expect.poll(() => onSpine('fc00:1:1:9::/64')).toBe(true);
    await expect.poll(() => onSpine('fc00:1:1:2::/64')).toBe(false);
    const mine = ['-n', namespaceOf(lab, 'leaf1'), '-6', 'addr', 'show', 'dev', 'to-host1'];
    await expect.poll(() => run('ip', mine)).not.toContain('fc00:1:1:2::1');
  });

  it('are preferred again when their prefix is back', async () => {
    await reload(([one]) => [
      { prefix: one!.prefix, colour: 1 },
      { prefix: 'fc00:1:1:2::/64', colour: 2 },
    ]);
    await expect.poll(async () => (await address(2)).condition).toBe('preferred');
    for (const colour of [1, 2]) expect((await address(colour)).valid).toBeGreaterThan(29 * DAY);
    await expect.poll(() => onSpine('fc00:1:1:2::/64')).toBe(true);
  });

  it('travel over links of the rate that the topology gives them, also over links that were made anew', async () => {
    const rates = async () => {
      const { links } = await labStatus(lab);
      return links.map(({ a, rate }) => [a, rate]);
    };
    expect(await rates()).toEqual(
      ['leaf1', 'leaf2'].flatMap((leaf) => [
        [`${leaf}/to-spine1`, 100_000_000],
        [`${leaf}/to-spine2`, 100_000_000],
        [`${leaf}/to-host${leaf.slice(-1)}`, 200_000_000],
      ]),
    );
    await deleteLink(lab, 'leaf2:spine2');
    await remakeLink(lab, 'leaf2:spine2');
    for (const [node, name] of [
      ['leaf2', 'to-spine2'],
      ['spine2', 'to-leaf2'],
      ['leaf1', 'to-spine1'],
    ] as const)
      expect(await run('tc', ['-n', namespaceOf(lab, node), 'qdisc', 'show', 'dev', name])).toMatch(
        /^qdisc tbf 1: root refcnt \d+ rate 100Mbit/,
      );
  });
});
