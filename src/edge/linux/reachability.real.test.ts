/** What the ip command does to routes and links of a namespace, as Reachability has it a moment later. */
import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, inNamespace, namespacesUnusable } from '../../../test/harness/netns.js';
import { formatAddress, parseAddress } from '../../core/net/address.js';
import { LinuxLinks } from './links.js';
import { LinuxReachability } from './reachability.js';

const NAMESPACE = `nh-reach-${process.pid}`;
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

/** Each line is one command of `ip`, which tells the family from the addresses. */
function commands(...lines: string[]): void {
  execFileSync('ip', ['-n', NAMESPACE, '-batch', '-'], { input: lines.join('\n'), stdio: ['pipe', 'pipe', 'pipe'] });
}

const bothLinks = (...lines: string[]) =>
  ['nh1', 'nh2'].flatMap((link) => lines.map((line) => line.replaceAll('LINK', link)));

describe.skipIf(unusable)('reachability of a namespace', () => {
  let links: LinuxLinks;
  let reachability: LinuxReachability;

  const resolve = (text: string): string => {
    const resolution = reachability.resolve(parseAddress(text)!);
    if (!resolution) return 'none';
    const reaches = resolution.reaches.map(
      ({ interfaceName, gateway }) => `${formatAddress(gateway)}%${interfaceName}`,
    );
    return [resolution.onLink ? 'link' : `routed ${resolution.cost}`, ...reaches.sort()].join(' ');
  };
  const expectResolved = (text: string, expected: string) => expect.poll(() => resolve(text)).toBe(expected);

  beforeAll(async () => {
    createNamespace(NAMESPACE);
    commands(...bothLinks('link add LINK type veth peer name LINKp', 'link set dev LINKp up', 'link set dev LINK up'));
    links = await inNamespace(NAMESPACE, () => LinuxLinks.open());
  });
  afterAll(() => {
    links.close();
    deleteNamespace(NAMESPACE);
  });

  beforeEach(async () => {
    commands(
      ...['addr add 10.0.1.1/24 dev nh1', 'addr add 10.0.2.1/24 dev nh2'],
      ...['addr add 2001:db8:1::1/64 dev nh1 nodad', 'addr add 2001:db8:2::1/64 dev nh2 nodad'],
      ...['route add 10.9.0.0/16 via 10.0.1.7 metric 5', 'route add 2001:db8:9::/48 via 2001:db8:1::7 metric 7'],
    );
    const carriers = async () => (await links.list()).filter(({ name, carrier }) => name !== 'lo' && carrier).length;
    await expect.poll(carriers).toBe(4);
    reachability = await inNamespace(NAMESPACE, () => LinuxReachability.open(links));
  });
  afterEach(async () => {
    reachability.close();
    commands('route flush proto boot', ...bothLinks('addr flush dev LINK scope global', 'link set dev LINK down'));
    commands(...bothLinks('link set dev LINKp up', 'link set dev LINK up'));
    // A closed socket leaves with the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('knows at start what is there, of both families', () => {
    expect(resolve('10.0.1.9')).toBe('link 10.0.1.9%nh1');
    expect(resolve('2001:db8:2::9')).toBe('link 2001:db8:2::9%nh2');
    expect(resolve('10.9.3.3')).toBe('routed 5 10.0.1.7%nh1');
    expect(resolve('2001:db8:9::9')).toBe('routed 7 2001:db8:1::7%nh1');
    expect(resolve('10.10.0.1')).toBe('none');
    expect(reachability.isOwn(parseAddress('10.0.2.1')!)).toBe(true);
    expect(reachability.isOwn(parseAddress('10.0.2.2')!)).toBe(false);
  });

  it('follows routes that come, move and go', async () => {
    let told = 0;
    reachability.watch(() => told++);
    commands('route replace 10.9.0.0/16 via 10.0.2.7 metric 5', 'route add 2001:db8:9:9::/64 via fe80::7 dev nh2');
    await expectResolved('10.9.3.3', 'routed 5 10.0.2.7%nh2');
    await expectResolved('2001:db8:9:9::1', 'routed 1024 fe80::7%nh2');
    commands('route del 2001:db8:9:9::/64', 'route add 10.9.3.3/32 via inet6 fe80::9 dev nh1 metric 4');
    await expectResolved('2001:db8:9:9::1', 'routed 7 2001:db8:1::7%nh1');
    await expectResolved('10.9.3.3', 'routed 4 fe80::9%nh1');
    expect(told).toBeGreaterThan(0);
  });

  it('gives all next hops of a route, and what is left of them', async () => {
    commands('route replace 10.9.0.0/16 metric 5 nexthop via 10.0.1.7 nexthop via 10.0.2.7');
    commands('route add 2001:db8:8::/48 nexthop via 2001:db8:1::7 nexthop via 2001:db8:2::7');
    await expectResolved('10.9.3.3', 'routed 5 10.0.1.7%nh1 10.0.2.7%nh2');
    await expectResolved('2001:db8:8::1', 'routed 1024 2001:db8:1::7%nh1 2001:db8:2::7%nh2');
    commands('route del 2001:db8:8::/48 via 2001:db8:1::7');
    await expectResolved('2001:db8:8::1', 'routed 1024 2001:db8:2::7%nh2');
  });

  it('reads the next hops of a route that names an object', async () => {
    commands('nexthop add id 7 via 10.0.2.7 dev nh2', 'route add 10.7.0.0/16 nhid 7');
    await expectResolved('10.7.0.1', 'routed 0 10.0.2.7%nh2');
    commands('nexthop replace id 7 via 10.0.1.7 dev nh1');
    await expectResolved('10.7.0.1', 'routed 0 10.0.1.7%nh1');
    commands('nexthop del id 7', 'nexthop add id 8 via 10.0.2.7 dev nh2', 'route add 10.8.0.0/16 nhid 8');
    await expectResolved('10.7.0.1', 'none');
    await expectResolved('10.8.0.1', 'routed 0 10.0.2.7%nh2');
    commands('link set dev nh2p down');
    await expectResolved('10.8.0.1', 'none');
    commands('link set dev nh2p up');
    await expectResolved('10.0.2.9', 'link 10.0.2.9%nh2');
    expect(resolve('10.8.0.1')).toBe('none');
  });

  it('takes no route of ours, no other table and no default route', async () => {
    commands('route add 10.5.0.0/16 via 10.0.1.7 proto 179', 'route add 10.6.0.0/16 via 10.0.1.7 table 77');
    commands('route add default via 10.0.1.7', 'route add 10.4.0.0/16 via 10.0.1.7');
    await expectResolved('10.4.0.1', 'routed 0 10.0.1.7%nh1');
    expect(resolve('10.5.0.1')).toBe('none');
    expect(resolve('10.6.0.1')).toBe('none');
    expect(reachability.onlyByDefault(parseAddress('10.6.0.1')!)).toBe(true);
  });

  it('leaves a link without carrier out, and takes it back', async () => {
    commands('route add 10.9.0.0/16 via 10.0.2.7 metric 9', 'link set dev nh1p down');
    await expectResolved('10.9.3.3', 'routed 9 10.0.2.7%nh2');
    await expectResolved('2001:db8:9::9', 'none');
    commands('link set dev nh1p up');
    await expectResolved('10.9.3.3', 'routed 5 10.0.1.7%nh1');
  });

  it('sees what goes in silence with an interface that is set down, or with an address', async () => {
    commands('link set dev nh1 down', 'link set dev nh1 up');
    await expectResolved('10.0.1.9', 'link 10.0.1.9%nh1');
    await expectResolved('10.9.3.3', 'none');
    commands('route add 10.9.0.0/16 via 10.0.2.7 src 10.0.1.1');
    await expectResolved('10.9.3.3', 'routed 0 10.0.2.7%nh2');
    commands('addr del 10.0.1.1/24 dev nh1');
    await expectResolved('10.9.3.3', 'none');
    await expectResolved('10.0.1.9', 'none');
  });

  it('reads the table again when events were lost', async () => {
    const lines = Array.from({ length: 12000 }, (_, n) => `route add 10.100.${n >> 6}.${(n & 63) * 4}/30 via 10.0.1.7`);
    // The event loop stands still while more events come than the receive buffer takes.
    commands(...lines, 'route replace 10.9.0.0/16 via 10.0.2.7 metric 5');
    await expectResolved('10.9.3.3', 'routed 5 10.0.2.7%nh2');
    await expectResolved('10.100.100.1', 'routed 0 10.0.1.7%nh1');
  });
});
