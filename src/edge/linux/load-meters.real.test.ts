/** The meters against the kernel's own account: what `ip -s link` and `tc -s qdisc` show, and where packets really went. */

import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  inNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import { GROUP_IDS, NEXT_HOP_IDS } from '../../core/fib/ownership.js';
import { parseAddress } from '../../core/net/address.js';
import { parsePrefix } from '../../core/net/prefix.js';
import { LinuxKernelTables } from './kernel-tables.js';
import { LinuxLoadMeters } from './load-meters.js';

const NAMESPACE = `lm-${process.pid}`;
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const here = (...parameters: string[]) => ip('-n', NAMESPACE, ...parameters);
const tc = (...parameters: string[]) => execFileSync('tc', ['-n', NAMESPACE, ...parameters], { encoding: 'utf8' });

function indexOf(link: string): number {
  return (JSON.parse(here('-j', 'link', 'show', link)) as { ifindex: number }[])[0]!.ifindex;
}

/** A pair whose other end answers nobody: neighbours are given by hand. */
function makeLink(n: number): void {
  here('link', 'add', `lm${n}`, 'type', 'veth', 'peer', 'name', `lm${n}p`);
  for (const end of [`lm${n}`, `lm${n}p`]) here('link', 'set', end, 'up');
  here('neigh', 'add', `fe80::${n}`, 'lladdr', `02:00:00:00:00:0${n}`, 'dev', `lm${n}`);
}

describe.skipIf(unusable)('load meters on a real kernel', () => {
  let meters: LinuxLoadMeters;
  let tables: LinuxKernelTables;
  let socket: Socket;

  beforeAll(async () => {
    createNamespace(NAMESPACE);
    for (const n of [1, 2]) makeLink(n);
    here('addr', 'add', '2001:db8:ffff::1/128', 'dev', 'lo', 'nodad');
    tables = await whileInNamespace(NAMESPACE, () => LinuxKernelTables.open());
    meters = inNamespace(NAMESPACE, () => new LinuxLoadMeters());
    socket = await whileInNamespace(NAMESPACE, async () => {
      const udp = createSocket('udp6');
      await new Promise<void>((resolve) => udp.bind(0, '2001:db8:ffff::1', resolve));
      return udp;
    });
  });

  afterAll(() => {
    socket?.close();
    meters?.close();
    tables?.close();
    deleteNamespace(NAMESPACE);
  });

  const send = (count: number, octets = 100) =>
    Promise.all(
      Array.from(
        { length: count },
        (_, i) =>
          new Promise<void>((resolve) =>
            socket.send(new Uint8Array(octets), 4791, `2001:db8:1::${(i + 1).toString(16)}`, () => resolve()),
          ),
      ),
    );

  it('count the packets of each member of a group, and the octets of each link', async () => {
    const members = [1, 2].map((n) => ({ id: NEXT_HOP_IDS + n, weight: 1 }));
    const failures = await tables.apply([
      ...members.map(({ id }, i) => ({
        ...{
          kind: 'set-next-hop' as const,
          id,
          interfaceIndex: indexOf(`lm${i + 1}`),
          gateway: parseAddress(`fe80::${i + 1}`)!,
          replace: false,
        },
      })),
      {
        kind: 'set-group',
        id: GROUP_IDS + 1,
        members,
        resilient: { buckets: 32, idleTimer: 1, unbalancedTimer: 0 },
        replace: false,
      },
      {
        kind: 'set-route',
        prefix: parsePrefix('2001:db8:1::/64')!,
        metric: 20,
        nextHop: GROUP_IDS + 1,
        replace: false,
      },
    ]);
    expect(failures).toEqual([]);
    const bytesSent = (n: number): number => JSON.parse(here('-j', '-s', 'link', 'show', `lm${n}`))[0].stats64.tx.bytes;
    const before = await meters.read({ groups: true });
    await send(200);
    const least = [1, 2].map(bytesSent);
    const after = await meters.read({ groups: true });
    const group = after.groups.find(({ id }) => id === GROUP_IDS + 1)!;
    const packets = members.map(({ id }) => group.packets.get(id)!);
    expect(packets[0]! + packets[1]!).toBe(200);
    const octets = (reading: typeof before, n: number) =>
      reading.links.find(({ interfaceIndex }) => interfaceIndex === indexOf(`lm${n}`))!.octets;
    for (const n of [1, 2]) {
      const sent = octets(after, n) - octets(before, n);
      expect(sent).toBeGreaterThanOrEqual(packets[n - 1]! * (100 + 8 + 40 + 14));
      // Meanwhile the kernel may have sent multicast reports.
      expect(octets(after, n)).toBeGreaterThanOrEqual(least[n - 1]!);
      expect(octets(after, n)).toBeLessThanOrEqual(bytesSent(n));
    }
  });

  it('tell the rate of a token bucket filter and what waits in it', async () => {
    tc('qdisc', 'add', 'dev', 'lm1', 'root', 'tbf', 'rate', '8kbit', 'burst', '2000', 'limit', '500000');
    here('route', 'add', '2001:db8:1::/65', 'via', 'fe80::1', 'dev', 'lm1');
    await send(50, 1000);
    const { links } = await meters.read({ groups: true });
    const link = links.find(({ interfaceIndex }) => interfaceIndex === indexOf('lm1'))!;
    expect(link.limit).toBe(1000);
    expect(link.backlog).toBeGreaterThan(30_000);
    expect(link.backlog).toBeLessThanOrEqual(50 * 1062);
    const other = links.find(({ interfaceIndex }) => interfaceIndex === indexOf('lm2'))!;
    expect(other.limit).toBeUndefined();
    expect(other.backlog).toBe(0);
  });
});
