import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../net/address.js';
import { parseMac } from '../net/eui64.js';
import type { LinkAddress, LinkState } from '../ports/links.js';
import { usability, wantedSwitches } from './usable.js';

function address(text: string, flags: { tentative?: boolean; duplicate?: boolean } = {}): LinkAddress {
  return { address: parseAddress(text)!, prefixLength: 64, tentative: false, duplicate: false, ...flags };
}

function link(more: Partial<LinkState>): LinkState {
  const mac = parseMac('02:00:00:00:00:01')!;
  return { index: 2, name: 'swp1', adminUp: true, carrier: true, mac, mtu: 1500, addresses: [], ...more };
}

describe('usability', () => {
  it.each([
    [{ adminUp: false, carrier: false }, 'administratively down'],
    [{ carrier: false, addresses: [address('fe80::1')] }, 'no carrier'],
    [{ addresses: [address('fd00::1')] }, 'no link-local address'],
    [
      { addresses: [address('fe80::1', { tentative: true })] },
      'link-local address fe80::1 is tentative (duplicate address detection)',
    ],
    [
      { addresses: [address('fe80::1', { tentative: true, duplicate: true })] },
      'duplicate address: another node on the link uses fe80::1',
    ],
  ])('names the missing condition of %o', (state, reason) => {
    expect(usability(link(state))).toEqual({ usable: false, reason });
  });

  it.each([
    ['the one made from the MAC', ['fd00::1', 'fe80::1', 'fe80::ff:fe00:1'], 'fe80::ff:fe00:1'],
    ['else the lowest', ['fe80::9', 'fe80::8', 'fd00::1'], 'fe80::8'],
  ])('chooses among link-local addresses %s', (_, addresses, chosen) => {
    const result = usability(link({ addresses: addresses.map((text) => address(text)) }));
    expect(result.usable && formatAddress(result.linkLocal)).toBe(chosen);
  });

  it('takes another address while the preferred one is tentative', () => {
    const addresses = [address('fe80::ff:fe00:1', { tentative: true }), address('fe80::8')];
    const result = usability(link({ addresses }));
    expect(result.usable && formatAddress(result.linkLocal)).toBe('fe80::8');
  });
});

describe('wanted kernel switches', () => {
  it('keeps the kernel from learning routes and addresses of neighbours (netlab #1060)', () => {
    expect(wantedSwitches('fabric')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'accept_ra', value: 0 }),
        expect.objectContaining({ name: 'autoconf', value: 0 }),
      ]),
    );
  });

  it('switches IPv6 on, last of all (netlab #460, frr #14150)', () => {
    expect(wantedSwitches('fabric').at(-1)).toMatchObject({ name: 'disable_ipv6', value: 0 });
  });

  it('keeps gateway addresses over a link flap on host links only', () => {
    const kept = (kind: 'fabric' | 'host') => wantedSwitches(kind).some(({ name }) => name === 'keep_addr_on_down');
    expect([kept('fabric'), kept('host')]).toEqual([false, true]);
  });
});
