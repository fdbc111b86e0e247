import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../net/address.js';
import type { LinkState } from '../ports/links.js';
import type { Resolution } from '../ports/reachability.js';
import { familiesWithoutNextHop, localEnd } from './local-end.js';

const address = (text: string) => parseAddress(text)!;

/** `2001:db8::1/64`, with `?` behind it while it is tentative, with `!` when another node has it. */
function link(index: number, name: string, addresses: string, changes: Partial<LinkState> = {}): LinkState {
  const entries = addresses.split(' ').filter((text) => text !== '');
  return {
    index,
    name,
    adminUp: true,
    carrier: true,
    mac: new Uint8Array(),
    mtu: 1500,
    addresses: entries.map((text) => {
      const [written, length] = text.replace(/[?!]/, '').split('/');
      return {
        address: address(written!),
        prefixLength: Number(length),
        tentative: text.endsWith('?'),
        duplicate: text.endsWith('!'),
      };
    }),
    ...changes,
  };
}

interface Place {
  readonly address: string;
  readonly source?: string;
  readonly interfaceName?: string;
  readonly multihop?: number;
}

function end({ address: remote, source, ...place }: Place, links: readonly LinkState[], way?: Resolution) {
  const given = { ...place, address: address(remote), ...(source !== undefined && { source: address(source) }) };
  const found = localEnd(given, links, () => way);
  if ('problem' in found) return found.problem;
  const { ipv6, ipv4 } = found.nextHops;
  const hops = [ipv6?.global, ipv6?.linkLocal, ipv4].map((one) => (one ? formatAddress(one) : '-'));
  const without = familiesWithoutNextHop(found).map((family) => `, no ${family}`);
  return `${formatAddress(found.local)} ${found.interfaceName || 'anywhere'}: ${hops.join(' ')}${without}`;
}

const ETH0 = link(1, 'eth0', 'fe80::a/64 2001:db8::a/64 192.0.2.10/24');

describe('our end of a session with a neighbour on the link', () => {
  it.each([
    ['2001:db8::1', '2001:db8::a eth0: 2001:db8::a fe80::a 192.0.2.10'],
    ['192.0.2.1', '192.0.2.10 eth0: 2001:db8::a fe80::a 192.0.2.10'],
    ['2001:db8:1::1', '2001:db8:1::1 is on no subnet of ours (with multihop it need not be)'],
  ])('%s', (remote, expected) => {
    expect(end({ address: remote }, [ETH0])).toBe(expected);
  });

  it('is the link-local address for a link-local one', () => {
    expect(end({ address: 'fe80::1', interfaceName: 'eth0' }, [ETH0])).toBe('fe80::a eth0: - fe80::a -');
    expect(end({ address: 'fe80::1', interfaceName: 'eth9' }, [ETH0])).toBe('no interface eth9');
    expect(end({ address: 'fe80::1', interfaceName: 'eth0' }, [{ ...ETH0, carrier: false }])).toBe('eth0: no carrier');
  });

  it('is the source that is named, on the interface that is named', () => {
    const two = [link(1, 'eth0', '10.0.0.1/24 10.0.0.2/24'), link(2, 'eth1', '10.0.0.3/24')];
    expect(end({ address: '10.0.0.9', source: '10.0.0.2' }, two)).toBe('10.0.0.2 eth0: - - 10.0.0.2, no ipv6-unicast');
    expect(end({ address: '10.0.0.9', interfaceName: 'eth1' }, two)).toMatch(/^10\.0\.0\.3 eth1/);
    expect(end({ address: '10.0.0.9', source: '10.0.1.1' }, two)).toBe(
      'our address 10.0.1.1 is on no interface with a subnet that has 10.0.0.9 in it',
    );
    expect(end({ address: '10.0.1.9', interfaceName: 'eth1' }, two)).toBe(
      '10.0.1.9 is on no subnet of eth1 (with multihop it need not be)',
    );
  });

  it('names an interface that there is not, and an address that is ours', () => {
    expect(end({ address: '10.0.0.9', interfaceName: 'eth9' }, [ETH0])).toBe('no interface eth9');
    expect(end({ address: '192.0.2.10' }, [ETH0])).toBe('192.0.2.10 is our own address, on eth0');
    expect(end({ address: 'fe80::a', interfaceName: 'eth0' }, [ETH0])).toBe('fe80::a is our own address, on eth0');
    const other = link(2, 'eth1', 'fe80::b/64');
    expect(end({ address: 'fe80::a', interfaceName: 'eth1' }, [ETH0, other])).toBe('fe80::b eth1: - fe80::b -');
  });

  it.each([
    [{ adminUp: false }, 'eth0: administratively down'],
    [{ carrier: false }, 'eth0: no carrier'],
  ])('waits for its link: %o', (changes, expected) => {
    expect(end({ address: '2001:db8::1' }, [{ ...ETH0, ...changes }])).toBe(expected);
  });

  it('waits for duplicate address detection, over IPv4 for that of the IPv6 next hop', () => {
    expect(end({ address: '2001:db8::1' }, [link(1, 'eth0', '2001:db8::a/64?')])).toBe(
      'our address 2001:db8::a is tentative (duplicate address detection)',
    );
    expect(end({ address: '2001:db8::1' }, [link(1, 'eth0', '2001:db8::a/64!')])).toBe(
      'duplicate address: another node on eth0 uses 2001:db8::a',
    );
    expect(end({ address: '192.0.2.1' }, [link(1, 'eth0', 'fe80::a/64? 192.0.2.10/24')])).toBe(
      'eth0: its IPv6 addresses are tentative',
    );
  });

  it('takes the link that is up when two have the subnet', () => {
    const down = link(1, 'eth0', '10.0.0.1/24', { carrier: false });
    expect(end({ address: '10.0.0.9' }, [down, link(2, 'eth1', '10.0.0.2/24')])).toMatch(/^10\.0\.0\.2 eth1/);
  });
});

describe('our end of a session with a neighbour some hops away', () => {
  const far = { address: '2001:db8:9::1', multihop: 2 };
  const loopback = link(9, 'lo', '2001:db8:ff::1/128');
  const way: Resolution = {
    onLink: false,
    cost: 1,
    reaches: [{ interfaceIndex: 1, interfaceName: 'eth0', gateway: address('fe80::1') }],
  };

  it('is the source, wherever it is, and link-local addresses are no next hops', () => {
    expect(end({ ...far, source: '2001:db8:ff::1' }, [ETH0, loopback])).toBe(
      '2001:db8:ff::1 anywhere: 2001:db8:ff::1 - -',
    );
    expect(end({ ...far, source: '2001:db8:ee::1' }, [ETH0])).toBe('our address 2001:db8:ee::1 is on no interface');
  });

  it('is else an address of the interface that a route leads over', () => {
    expect(end(far, [ETH0, loopback], way)).toBe('2001:db8::a anywhere: 2001:db8::a - 192.0.2.10');
    expect(end(far, [ETH0, loopback])).toBe('no route to 2001:db8:9::1');
    expect(end({ ...far, address: '198.51.100.1' }, [link(1, 'eth0', '2001:db8::a/64')], way)).toBe(
      'eth0 has no address for it: name one as source',
    );
  });
});
