import { beforeEach, describe, expect, it } from 'vitest';
import { type Address, formatAddress, parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import type { LinkState } from '../ports/links.js';
import type { Resolution } from '../ports/reachability.js';
import { type ForeignRoute, ReachTable } from './reach-table.js';

const address = (text: string): Address => parseAddress(text)!;

/** `PREFIX METRIC HOP...`, a hop as `INDEX` or `INDEX@GATEWAY`. */
function route(text: string): ForeignRoute {
  const [prefix, metric, ...hops] = text.split(' ');
  return {
    prefix: parsePrefix(prefix!)!,
    metric: Number(metric),
    hops: hops.map((hop) => {
      const [index, gateway] = hop.split('@');
      return { interfaceIndex: Number(index), ...(gateway && { gateway: address(gateway) }) };
    }),
  };
}

function link(index: number, change: Partial<LinkState> = {}): LinkState {
  const state = { index, name: `eth${index}`, adminUp: true, carrier: true, mac: new Uint8Array(), mtu: 1500 };
  return { ...state, addresses: [], ...change };
}

function shown(resolution: Resolution | undefined): string {
  if (!resolution) return 'none';
  const reaches = resolution.reaches.map(({ interfaceName, gateway }) => `${formatAddress(gateway)}%${interfaceName}`);
  return `${resolution.onLink ? 'link' : 'routed'} ${resolution.cost} ${reaches.join(' ')}`;
}

describe('ReachTable', () => {
  let table: ReachTable;
  let waiting: (() => void)[];
  const resolve = (text: string) => shown(table.resolve(address(text)));

  beforeEach(() => {
    waiting = [];
    table = new ReachTable((work) => waiting.push(work));
    for (const index of [1, 2, 3]) table.linkEvent({ kind: 'link', link: link(index) });
    for (const text of [
      '10.0.1.0/24 0 1',
      '2001:db8:1::/64 256 1',
      '10.9.0.0/16 20 1@10.0.1.7',
      '10.9.9.0/24 50 2@fe80::1',
    ])
      table.put(route(text), false);
  });

  it.each([
    ['an address of a subnet', '10.0.1.9', 'link 0 10.0.1.9%eth1'],
    ['the same for IPv6, whatever the metric of the subnet', '2001:db8:1::9', 'link 0 2001:db8:1::9%eth1'],
    ['an address behind a router', '10.9.1.1', 'routed 20 10.0.1.7%eth1'],
    ['by the longest match', '10.9.9.1', 'routed 50 fe80::1%eth2'],
    ['nothing where there is no route', '10.10.0.1', 'none'],
    ['nothing of the other family', '2001:db8:9::1', 'none'],
  ])('resolves %s', (_, text, expected) => {
    expect(resolve(text)).toBe(expected);
  });

  it('gives every next hop of a route, also when they are told one by one', () => {
    table.put(route('10.9.9.0/24 50 3@10.0.3.7'), false);
    expect(resolve('10.9.9.1')).toBe('routed 50 fe80::1%eth2 10.0.3.7%eth3');
    table.remove(route('10.9.9.0/24 50 2@fe80::1'));
    expect(resolve('10.9.9.1')).toBe('routed 50 10.0.3.7%eth3');
  });

  it('prefers the lower metric, and what replaces a route is in its place', () => {
    table.put(route('10.9.0.0/16 10 2@10.0.2.7'), false);
    expect(resolve('10.9.1.1')).toBe('routed 10 10.0.2.7%eth2');
    table.put(route('10.9.0.0/16 10 3@10.0.3.7'), true);
    expect(resolve('10.9.1.1')).toBe('routed 10 10.0.3.7%eth3');
    table.remove(route('10.9.0.0/16 10 3@10.0.3.7'));
    expect(resolve('10.9.1.1')).toBe('routed 20 10.0.1.7%eth1');
  });

  it.each<Partial<LinkState>>([{ carrier: false }, { adminUp: false }])('leaves out an interface with %o', (change) => {
    table.put(route('10.9.9.0/24 50 3@10.0.3.7'), false);
    table.linkEvent({ kind: 'link', link: link(2, change) });
    expect(resolve('10.9.9.1')).toBe('routed 50 10.0.3.7%eth3');
    table.linkEvent({ kind: 'link', link: link(3, change) });
    expect(resolve('10.9.9.1')).toBe('routed 20 10.0.1.7%eth1');
    table.linkEvent({ kind: 'link', link: link(2) });
    expect(resolve('10.9.9.1')).toBe('routed 50 fe80::1%eth2');
  });

  it('knows nothing behind an interface that is gone', () => {
    table.linkEvent({ kind: 'link-deleted', index: 1, name: 'eth1' });
    expect(resolve('10.0.1.9')).toBe('none');
  });

  it('ends at a route that drops', () => {
    table.put(route('10.9.8.0/24 0'), false);
    expect(resolve('10.9.8.1')).toBe('none');
    expect(resolve('10.9.7.1')).toBe('routed 20 10.0.1.7%eth1');
  });

  it('forgets the next hops that are asked for', () => {
    table.put({ ...route('10.7.0.0/16 0 2@10.0.2.7 3@10.0.3.7'), object: 7 }, false);
    table.removeHops(({ object }, { interfaceIndex }) => object === 7 && interfaceIndex === 2);
    expect(resolve('10.7.0.1')).toBe('routed 0 10.0.3.7%eth3');
    table.removeHops(({ object }) => object === 7);
    expect(resolve('10.7.0.1')).toBe('none');
    expect(resolve('10.9.9.1')).toBe('routed 50 fe80::1%eth2');
  });

  it('resolves nothing by a default route, and says that it is one', () => {
    table.put(route('0.0.0.0/0 0 1@10.0.1.1'), false);
    expect(resolve('192.0.2.1')).toBe('none');
    expect(table.onlyByDefault(address('192.0.2.1'))).toBe(true);
    expect(table.onlyByDefault(address('10.9.1.1'))).toBe(false);
    expect(table.onlyByDefault(address('2001:db8:9::1'))).toBe(false);
  });

  it('knows our own addresses', () => {
    const own = { prefixLength: 24, tentative: false, duplicate: false };
    expect(table.isOwn(address('10.0.1.1'))).toBe(false);
    table.linkEvent({ kind: 'link', link: link(1, { addresses: [{ address: address('10.0.1.1'), ...own }] }) });
    expect(table.isOwn(address('10.0.1.1'))).toBe(true);
    expect(table.isOwn(address('10.0.1.2'))).toBe(false);
  });

  it('tells changes that come together once', () => {
    for (const work of waiting.splice(0)) work();
    let told = 0;
    const stop = table.watch(() => told++);
    table.put(route('10.8.0.0/16 0 1@10.0.1.7'), false);
    table.remove(route('10.8.0.0/16 0 1@10.0.1.7'));
    table.remove(route('10.8.0.0/16 0 1@10.0.1.7'));
    expect(waiting).toHaveLength(1);
    for (const work of waiting.splice(0)) work();
    expect(told).toBe(1);
    stop();
    table.clear();
    for (const work of waiting.splice(0)) work();
    expect(told).toBe(1);
    expect(resolve('10.9.1.1')).toBe('none');
  });
});
