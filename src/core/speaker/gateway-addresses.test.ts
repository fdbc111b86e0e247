import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import type { LinkAddress, LinkState } from '../ports/links.js';
import { GatewayAddresses } from './gateway-addresses.js';

const WANTED = [1, 2].map((n) => ({
  prefix: parsePrefix(`fc00:${n}::/64`)!,
  gateway: parseAddress(`fc00:${n}::1`)!,
}));

function address(n: number, part: Partial<LinkAddress> = {}): LinkAddress {
  return { address: parseAddress(`fc00:${n}::1`)!, prefixLength: 64, tentative: false, duplicate: false, ...part };
}

function link(...addresses: LinkAddress[]): LinkState {
  return { index: 7, name: 'h1', adminUp: true, carrier: true, mac: new Uint8Array(6), mtu: 1500, addresses };
}

function setUp() {
  const asked: string[] = [];
  const log: string[] = [];
  const kernel = { refusal: undefined as string | undefined };
  const links = {
    addAddress: async (index: number, address: Uint8Array, length: number) => {
      asked.push(`${index} + ${formatAddress(address)}/${length}`);
      if (kernel.refusal !== undefined) throw new Error(kernel.refusal);
    },
    deleteAddress: async (index: number, address: Uint8Array, length: number) => {
      asked.push(`${index} - ${formatAddress(address)}/${length}`);
    },
  };
  const gateways = new GatewayAddresses(WANTED, links, (level, message) => log.push(`${level}: ${message}`));
  return { gateways, asked, log, kernel };
}

const answered = () => new Promise(setImmediate);

describe('GatewayAddresses', () => {
  it('asks for each missing address once, and is content when they are there', () => {
    const { gateways, asked, log } = setUp();
    gateways.linkChanged(link());
    gateways.linkChanged(link(address(1)));
    expect(gateways.problem(link(address(1)))).toBe('gateway fc00:2::1/64 is not assigned');
    gateways.linkChanged(link(address(1), address(2)));
    expect(asked).toEqual(['7 + fc00:1::1/64', '7 + fc00:2::1/64']);
    expect(gateways.problem(link(address(1), address(2)))).toBeUndefined();
    expect(log).toEqual([]);
  });

  it('assigns an address again that somebody took away, and says so', () => {
    const { gateways, asked, log } = setUp();
    gateways.linkChanged(link(address(1), address(2)));
    gateways.linkChanged(link(address(2)));
    expect(asked).toEqual(['7 + fc00:1::1/64']);
    expect(log).toEqual(['warn: gateway fc00:1::1/64 was taken away: assigned again']);
  });

  it('says once why an address is refused, and asks again at the next change', async () => {
    const { gateways, asked, log, kernel } = setUp();
    kernel.refusal = 'IPv6 is disabled';
    for (const _ of [1, 2]) {
      gateways.linkChanged(link(address(2)));
      await answered();
    }
    expect(asked).toHaveLength(2);
    expect(log).toEqual(['error: gateway fc00:1::1/64: IPv6 is disabled']);
    expect(gateways.problem(link(address(2)))).toBe('gateway fc00:1::1/64: IPv6 is disabled');
    kernel.refusal = undefined;
    gateways.linkChanged(link(address(2)));
    gateways.linkChanged(link(address(1), address(2)));
    expect(gateways.problem(link(address(1), address(2)))).toBeUndefined();
  });

  it('leaves a link alone that is down, where addresses come and go with it', () => {
    const { gateways, asked, log } = setUp();
    gateways.linkChanged(link(address(1), address(2)));
    gateways.linkChanged({ ...link(), adminUp: false });
    expect(asked).toEqual([]);
    gateways.linkChanged(link());
    expect(asked).toHaveLength(2);
    expect(log).toEqual([]);
  });

  it('names an address that another node has too', () => {
    const { gateways } = setUp();
    const doubled = link(address(1), address(2, { duplicate: true }));
    gateways.linkChanged(doubled);
    expect(gateways.problem(doubled)).toBe('gateway fc00:2::1/64: another node on the link uses it');
  });

  it('takes them all away', async () => {
    const { gateways, asked } = setUp();
    await gateways.release(7);
    expect(asked).toEqual(['7 - fc00:1::1/64', '7 - fc00:2::1/64']);
  });
});
