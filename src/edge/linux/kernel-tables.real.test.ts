import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import type { EbpfPlaneOptions } from '../../core/ebpf-plane/plane-options.js';
import { kernelTablesContract, type TablesUnderTest } from '../../core/fib/kernel-tables.contract.js';
import { GROUP_IDS, NEXT_HOP_IDS, ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import { formatAddress, parseAddress } from '../../core/net/address.js';
import { formatPrefix, parsePrefix } from '../../core/net/prefix.js';
import type { KernelTables } from '../../core/ports/kernel-tables.js';
import { LinuxEbpfPlane } from './ebpf-plane.js';
import { LinuxKernelTables } from './kernel-tables.js';
import { LinuxLinks } from './links.js';
import { MirroredTables } from './mirrored-tables.js';

const NAMESPACE = `fb-tables-${process.pid}`;
const LINKS = ['fb1', 'fb2', 'fb3', 'fb4'];
const PLANE: EbpfPlaneOptions = {
  sizes: { prefixes: 1024, classes: 64, flowsets: 256 },
  choice: { mode: 'flowlet', inactivity: 128_000, minimum: 20, maximum: 80, sampling: 16_000 },
  attach: 'auto',
  loadWeight: 50,
};
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const here = (...parameters: string[]) => ip('-n', NAMESPACE, ...parameters);
const familyOf = (address: Uint8Array) => (address.length === 4 ? '-4' : '-6');

function indexOf(link: string): number {
  return (JSON.parse(here('-j', 'link', 'show', link)) as { ifindex: number }[])[0]!.ifindex;
}

function nameOf(index: number): string {
  return LINKS.find((link) => indexOf(link) === index)!;
}

function createLinks(): void {
  createNamespace(NAMESPACE);
  for (const link of LINKS) {
    here('link', 'add', link, 'type', 'veth', 'peer', 'name', `${link}p`);
    here('link', 'set', `${link}p`, 'up');
    here('link', 'set', link, 'up');
  }
  here('addr', 'add', '192.0.2.1/24', 'dev', 'fb1');
}

describe.skipIf(unusable)('on a real kernel', () => {
  beforeAll(createLinks);
  afterAll(() => deleteNamespace(NAMESPACE));

  kernelTablesContract('LinuxKernelTables', async () => {
    const tables = await whileInNamespace(NAMESPACE, () => LinuxKernelTables.open());
    return worldOf(tables, () => tables.close());
  });

  kernelTablesContract('LinuxKernelTables under the eBPF plane', () =>
    whileInNamespace(NAMESPACE, async () => {
      const links = await LinuxLinks.open();
      const plane = await LinuxEbpfPlane.open({
        options: PLANE,
        links,
        isWanted: (name) => LINKS.includes(name),
        failed: (why) => {
          throw new Error(why);
        },
        warn: (line) => {
          throw new Error(line);
        },
      });
      plane.attach();
      const tables = new MirroredTables(await LinuxKernelTables.open(), plane.told);
      return worldOf(tables, () => {
        tables.close();
        plane.close();
        links.close();
      });
    }),
  );

  function worldOf(tables: KernelTables, close: () => void): TablesUnderTest {
    const foreign: string[][] = [];
    return {
      tables,
      links: LINKS.map(indexOf),
      setLink: async (index, up) => {
        const name = nameOf(index);
        here('link', 'set', `${name}p`, up ? 'up' : 'down');
        await expect.poll(() => here('link', 'show', name).includes('LOWER_UP')).toBe(up);
      },
      deleteNextHop: (id) => here('nexthop', 'delete', 'id', String(id)),
      deleteRoute: ({ prefix, metric }) =>
        here(familyOf(prefix.address), 'route', 'delete', formatPrefix(prefix), 'metric', String(metric)),
      replaceRoute: (prefix, metric) => {
        const route = [formatPrefix(prefix), 'dev', 'fb1', 'metric', String(metric)];
        here(familyOf(prefix.address), 'route', 'replace', ...route);
        foreign.push([familyOf(prefix.address), 'route', 'delete', ...route]);
      },
      changeNextHop: ({ id, interfaceIndex, gateway }) => {
        const where = [
          'via',
          formatAddress(gateway),
          'dev',
          nameOf(interfaceIndex),
          'protocol',
          String(ROUTE_PROTOCOL),
        ];
        here('nexthop', 'replace', 'id', String(id), ...where);
      },
      addForeignRoute: (prefix, metric, protocol = 4) => {
        const route = [formatPrefix(prefix), 'dev', 'fb1', 'metric', String(metric), 'protocol', String(protocol)];
        here(familyOf(prefix.address), 'route', 'add', ...route);
        foreign.push([familyOf(prefix.address), 'route', 'delete', ...route]);
      },
      deleteForeignRoute: (prefix, metric) => {
        const deletion = foreign.findIndex(
          (words) => words.includes(formatPrefix(prefix)) && words.includes(`${metric}`),
        );
        here(...foreign.splice(deletion, 1)[0]!);
      },
      addForeignNextHop: (id) => here('nexthop', 'add', 'id', String(id), 'blackhole', 'protocol', 'static'),
      hasForeignRoute: (prefix, metric) =>
        here(familyOf(prefix.address), 'route', 'show', formatPrefix(prefix), 'metric', String(metric)).includes('fb1'),
      close: () => {
        close();
        for (const command of foreign) here(...command);
        here('nexthop', 'flush');
      },
    };
  }

  describe('as the ip command sees it', () => {
    let tables: LinuxKernelTables;
    beforeAll(async () => {
      tables = await whileInNamespace(NAMESPACE, () => LinuxKernelTables.open());
    });
    afterAll(() => tables.close());

    it('names the loopback interface when that is what is missing', async () => {
      here('link', 'set', 'lo', 'down');
      await expect(whileInNamespace(NAMESPACE, () => LinuxKernelTables.open())).rejects.toThrow('ip link set lo up');
      here('link', 'set', 'lo', 'up');
    });

    it('tries resilient groups with ids that nobody has', async () => {
      const taken = 2 * GROUP_IDS - NEXT_HOP_IDS - 1;
      here('nexthop', 'add', 'id', String(taken), 'blackhole');
      const opened = await whileInNamespace(NAMESPACE, () => LinuxKernelTables.open());
      expect(opened.resilientGroups).toBe(true);
      expect(here('nexthop', 'show').trim()).toMatch(new RegExp(`^id ${taken} blackhole *$`));
      opened.close();
      here('nexthop', 'delete', 'id', String(taken));
    });

    it('finds resilient groups in this kernel and leaves nothing of the probe', () => {
      expect(tables.resilientGroups).toBe(true);
      expect(here('nexthop', 'show')).toBe('');
    });

    it('writes both families through one IPv6 next hop, under its own protocol', async () => {
      const [first, second] = [NEXT_HOP_IDS + 1, NEXT_HOP_IDS + 2];
      const resilient = { buckets: 64, idleTimer: 0.5, unbalancedTimer: 0 };
      const members = [first, second].map((id) => ({ id, weight: 1 }));
      const failures = await tables.apply([
        {
          kind: 'set-next-hop',
          id: first,
          interfaceIndex: indexOf('fb1'),
          gateway: parseAddress('fe80::1')!,
          replace: false,
        },
        {
          kind: 'set-next-hop',
          id: second,
          interfaceIndex: indexOf('fb2'),
          gateway: parseAddress('fe80::2')!,
          replace: false,
        },
        { kind: 'set-group', id: GROUP_IDS + 1, members, resilient, replace: false },
        {
          kind: 'set-route',
          prefix: parsePrefix('2001:db8::/64')!,
          metric: 20,
          nextHop: GROUP_IDS + 1,
          replace: false,
        },
        { kind: 'set-route', prefix: parsePrefix('10.0.0.0/24')!, metric: 20, nextHop: GROUP_IDS + 1, replace: false },
      ]);
      expect(failures).toEqual([]);
      expect(here('nexthop', 'show')).toContain(
        `id ${GROUP_IDS + 1} group ${first}/${second} type resilient buckets 64 idle_timer 0.5`,
      );
      expect(here('nexthop', 'show')).toContain(`id ${first} via fe80::1 dev fb1 scope link proto ${ROUTE_PROTOCOL}`);
      const ipv6 = here('-6', 'route', 'show', '2001:db8::/64');
      expect(ipv6).toContain(`nhid ${GROUP_IDS + 1} proto ${ROUTE_PROTOCOL} metric 20`);
      expect(ipv6).toContain('nexthop via fe80::2 dev fb2');
      const ipv4 = here('route', 'show', '10.0.0.0/24');
      expect(ipv4).toContain(`nhid ${GROUP_IDS + 1} proto ${ROUTE_PROTOCOL} metric 20`);
      expect(ipv4).toContain('nexthop via inet6 fe80::2 dev fb2');
    });

    it('gives the kernel’s own words for a refusal', async () => {
      const [failure] = await tables.apply([
        {
          kind: 'set-next-hop',
          id: NEXT_HOP_IDS + 9,
          interfaceIndex: 4711,
          gateway: parseAddress('fe80::1')!,
          replace: false,
        },
      ]);
      expect(failure).toMatchObject({ code: 'EINVAL', message: 'Invalid device index' });
    });
  });
});
