import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { kernelTablesContract } from './kernel-tables.contract.js';
import { MemoryKernelTables } from './memory-tables.js';

kernelTablesContract('MemoryKernelTables', async () => {
  const tables = new MemoryKernelTables();
  return {
    tables,
    links: [1, 2, 3, 4],
    setLink: async (index, up) => tables.setLink(index, up),
    deleteNextHop: (id) => tables.deleteNextHopOutside(id),
    deleteRoute: ({ prefix, metric }) => tables.deleteRouteOutside(prefix, metric),
    replaceRoute: (prefix, metric) => tables.replaceRouteOutside(prefix, metric),
    changeNextHop: (nextHop) => tables.changeNextHopOutside(nextHop),
    addForeignRoute: (prefix, metric, protocol) => tables.addForeignRoute(prefix, metric, protocol),
    deleteForeignRoute: (prefix, metric) => tables.deleteForeignRoute(prefix, metric),
    addForeignNextHop: (id) => tables.addForeignNextHop(id),
    hasForeignRoute: (prefix, metric) => tables.hasForeignRoute(prefix, metric),
    close: () => tables.close(),
  };
});

describe('MemoryKernelTables', () => {
  const gateways = [1, 2, 3].map((n) => parseAddress(`fe80::${n}`)!);

  async function tablesWith(
    ...routes: [prefix: string, metric: number, nextHop: number][]
  ): Promise<MemoryKernelTables> {
    const tables = new MemoryKernelTables();
    for (const [index, gateway] of gateways.entries()) {
      await tables.apply([{ kind: 'set-next-hop', id: index + 1, interfaceIndex: index + 1, gateway, replace: false }]);
    }
    const members = [
      { id: 2, weight: 1 },
      { id: 3, weight: 5 },
    ];
    await tables.apply([{ kind: 'set-group', id: 10, members, replace: false }]);
    for (const [text, metric, nextHop] of routes) {
      await tables.apply([{ kind: 'set-route', prefix: parsePrefix(text)!, metric, nextHop, replace: false }]);
    }
    return tables;
  }

  it.each([
    ['2001:db8::1', [1]],
    ['2001:db8:0:1::1', [2, 3]],
    ['10.0.0.1', [1]],
    ['11.0.0.1', []],
  ])('looks %s up by longest prefix, then lowest metric', async (address, interfaces) => {
    const tables = await tablesWith(
      ['2001:db8::/32', 30, 10],
      ['2001:db8::/32', 20, 1],
      ['2001:db8:0:1::/64', 30, 10],
      ['10.0.0.0/8', 20, 1],
    );
    const found = tables.lookup(parseAddress(address)!);
    expect(found.map(({ interfaceIndex }) => interfaceIndex)).toEqual(interfaces);
  });

  it('falls through to the higher metric when a link goes down, with the weights of the group', async () => {
    const tables = await tablesWith(['::/0', 30, 10], ['::/0', 20, 1]);
    tables.setLink(1, false);
    const found = tables.lookup(parseAddress('2001:db8::1')!);
    expect(found).toEqual([
      { interfaceIndex: 2, gateway: gateways[1], weight: 1 },
      { interfaceIndex: 3, gateway: gateways[2], weight: 5 },
    ]);
  });
});
