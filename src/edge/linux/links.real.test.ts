import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, inNamespace, ip, namespacesUnusable } from '../../../test/harness/netns.js';
import { formatAddress, parseAddress } from '../../core/net/address.js';
import { formatMac } from '../../core/net/eui64.js';
import type { LinkEvent, LinkState } from '../../core/ports/links.js';
import { LinuxLinks } from './links.js';

const NAMESPACE = 'nd-links';
const PEER = 'nd-links-peer';
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

function ns(...parameters: string[]): string {
  return ip('-n', NAMESPACE, ...parameters);
}

describe.skipIf(unusable)('links of a namespace', () => {
  let links: LinuxLinks;
  let events: LinkEvent[] = [];

  beforeAll(async () => {
    createNamespace(NAMESPACE);
    createNamespace(PEER);
    ns('link', 'add', 'swp1', 'address', '02:00:00:00:00:01', 'type', 'veth', 'peer', 'name', 'far', 'netns', PEER);
    links = await inNamespace(NAMESPACE, () => LinuxLinks.open());
    links.watch((event) => events.push(event));
  });
  afterAll(() => {
    links.close();
    deleteNamespace(NAMESPACE);
    deleteNamespace(PEER);
  });
  beforeEach(() => {
    events = [];
  });

  async function link(name: string): Promise<LinkState | undefined> {
    return (await links.list()).find((candidate) => candidate.name === name);
  }

  async function addresses(name: string): Promise<string[]> {
    return (await link(name))!.addresses.map(
      ({ address, prefixLength, tentative, duplicate, ours }) =>
        `${formatAddress(address)}/${prefixLength}${tentative ? ' tentative' : ''}${duplicate ? ' duplicate' : ''}${ours ? ' ours' : ''}`,
    );
  }

  function toldOf(name: string): LinkState[] {
    return events.flatMap((event) => (event.kind === 'link' && event.link.name === name ? [event.link] : []));
  }

  it('lists what is there', async () => {
    expect(await link('lo')).toMatchObject({ adminUp: true, carrier: true, mac: new Uint8Array(), mtu: 65536 });
    expect(await addresses('lo')).toEqual(['127.0.0.1/8', '::1/128']);
    const swp1 = (await link('swp1'))!;
    expect(swp1).toMatchObject({ adminUp: false, carrier: false, mtu: 1500, addresses: [] });
    expect(formatMac(swp1.mac)).toBe('02:00:00:00:00:01');
  });

  it('follows state, tentative and final link-local address, and MTU', async () => {
    ns('link', 'set', 'swp1', 'up');
    await expect.poll(async () => (await link('swp1'))?.adminUp).toBe(true);
    expect((await link('swp1'))?.carrier).toBe(false);
    ip('-n', PEER, 'link', 'set', 'far', 'up');
    await expect.poll(() => addresses('swp1')).toEqual(['fe80::ff:fe00:1/64']);
    ns('link', 'set', 'swp1', 'mtu', '1400');
    await expect.poll(async () => (await link('swp1'))?.mtu).toBe(1400);
    ip('-n', PEER, 'link', 'set', 'far', 'down');
    await expect.poll(async () => (await link('swp1'))?.carrier).toBe(false);
    const told = toldOf('swp1');
    expect(told.some(({ carrier }) => carrier)).toBe(true);
    expect(told.some((state) => state.addresses.some(({ tentative }) => tentative))).toBe(true);
    await expect.poll(async () => toldOf('swp1').at(-1)).toEqual(await link('swp1'));
  });

  it('tells of a duplicate address', async () => {
    ip('-n', PEER, 'link', 'set', 'far', 'up');
    ip('-n', PEER, 'address', 'add', 'fe80::77/64', 'dev', 'far', 'nodad');
    ns('address', 'add', 'fe80::77/64', 'dev', 'swp1');
    await expect.poll(() => addresses('swp1')).toContain('fe80::77/64 tentative duplicate');
    ns('address', 'delete', 'fe80::77/64', 'dev', 'swp1');
    await expect.poll(() => addresses('swp1')).not.toContain('fe80::77/64 tentative duplicate');
  });

  it('sees an interface that appears later, is renamed, and goes (sonic #26960)', async () => {
    ns('link', 'add', 'swp2', 'type', 'bridge');
    await expect.poll(() => link('swp2')).toBeDefined();
    const { index } = (await link('swp2'))!;
    ns('link', 'set', 'swp2', 'name', 'swp3');
    await expect.poll(() => link('swp3')).toBeDefined();
    expect(events).toContainEqual({ kind: 'link-deleted', index, name: 'swp2' });
    ns('link', 'delete', 'swp3');
    await expect.poll(() => link('swp3')).toBeUndefined();
    const own = events.filter((event) => (event.kind === 'link' ? event.link.index : event.index) === index);
    expect(own.at(-1)).toEqual({ kind: 'link-deleted', index, name: 'swp3' });
  });

  it('takes the messages of a bridge about its ports for what they are', async () => {
    ns('link', 'add', 'br0', 'type', 'bridge');
    ns('link', 'add', 'port', 'type', 'veth', 'peer', 'name', 'other');
    ns('link', 'set', 'port', 'master', 'br0');
    ns('link', 'set', 'port', 'nomaster');
    ns('link', 'set', 'port', 'mtu', '1300');
    await expect.poll(async () => (await link('port'))?.mtu).toBe(1300);
    expect(events.filter(({ kind }) => kind === 'link-deleted')).toEqual([]);
    ns('link', 'delete', 'br0');
    ns('link', 'delete', 'port');
  });

  it.each([
    ['fd00:1:1:1::1', 64],
    ['192.0.2.1', 24],
  ])('adds %s as its own, usable at once, and deletes it; both may be repeated', async (text, length) => {
    const { index } = (await link('swp1'))!;
    const address = parseAddress(text)!;
    await links.addAddress(index, address, length);
    await links.addAddress(index, address, length);
    await expect.poll(() => addresses('swp1')).toContain(`${text}/${length} ours`);
    expect(ns('-o', 'address', 'show', 'dev', 'swp1')).toContain(`${text}/${length}`);
    await links.deleteAddress(index, address, length);
    await links.deleteAddress(index, address, length);
    await expect.poll(() => addresses('swp1')).not.toContain(`${text}/${length} ours`);
  });

  it('says why an address cannot be added', async () => {
    await expect(links.addAddress(4711, parseAddress('fd00::1')!, 64)).rejects.toThrow(
      /^cannot add fd00::1\/64 to interface 4711: .*\(ENODEV\)$/,
    );
    await expect(links.deleteAddress(4711, parseAddress('fd00::1')!, 64)).resolves.toBeUndefined();
  });

  it('reads and writes kernel switches', () => {
    inNamespace(NAMESPACE, () => {
      links.writeSwitch('swp1', 'accept_ra', 0);
      expect(links.readSwitch('swp1', 'accept_ra')).toBe(0);
      links.writeSwitch('swp1', 'accept_ra', 2);
      expect(links.readSwitch('swp1', 'accept_ra')).toBe(2);
      links.writeSwitch('swp1', 'retrans_time_ms', 200);
      expect(links.readSwitch('swp1', 'retrans_time_ms')).toBe(200);
      expect(links.readSwitch('swp99', 'accept_ra')).toBeUndefined();
      expect(() => links.writeSwitch('swp99', 'accept_ra', 0)).toThrow(
        'cannot set net.ipv6.conf.swp99.accept_ra to 0: there is no such interface or switch',
      );
      expect(() => links.writeSwitch('../../ipv4', 'accept_ra', 0)).toThrow('no interface name');
    });
  });

  it('is right again after more changes than it could read', async () => {
    const lines = ['link add gone type bridge', 'link add stays type bridge'];
    execFileSync('ip', ['-n', NAMESPACE, '-batch', '-'], { input: lines.join('\n') });
    await expect.poll(() => link('gone')).toBeDefined();
    events = [];
    // The event loop stands still meanwhile, and the receive buffer overflows.
    const storm = Array.from({ length: 12000 }, (_, index) => `link set stays mtu ${1300 + (index % 2)}`);
    execFileSync('ip', ['-n', NAMESPACE, '-batch', '-'], {
      input: [...storm, 'link delete gone', 'link set stays mtu 1299'].join('\n'),
    });
    await expect.poll(async () => (await link('stays'))?.mtu).toBe(1299);
    expect(await link('gone')).toBeUndefined();
    expect(events.filter(({ kind }) => kind === 'link-deleted')).toMatchObject([{ name: 'gone' }]);
    expect(events.length).toBeLessThan(storm.length);
  });
});
