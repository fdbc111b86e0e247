/**
 * What can happen to the forwarding tables behind heddle's back, on a real kernel. After each fault the comparison of what is wanted
 * with what the kernel has is empty again, or names what another program has in the way.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import type { Difference } from '../../core/fib/difference.js';
import { Fib } from '../../core/fib/fib.js';
import { adviceOn } from '../../core/fib/foreign-objects.js';
import { GROUP_IDS, NEXT_HOP_IDS } from '../../core/fib/ownership.js';
import type { FibNextHop, ForwardingEntry } from '../../core/fib/types.js';
import { parseAddress } from '../../core/net/address.js';
import { formatPrefix, parsePrefix } from '../../core/net/prefix.js';
import { LinuxKernelTables } from './kernel-tables.js';
import { SystemClock } from './system-clock.js';

const NAMESPACE = `fb-faults-${process.pid}`;
const LINKS = [1, 2, 3, 4];
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const here = (...parameters: string[]) => ip('-n', NAMESPACE, ...parameters);
const batch = (lines: readonly string[]) =>
  execFileSync('ip', ['-n', NAMESPACE, '-batch', '-'], { input: lines.map((line) => `${line}\n`).join('') });
/** `ip route flush` cannot: it asks with the next hops written out, and the kernel refuses that for routes by object. */
const deleteRoutes = (prefixes: readonly string[]) =>
  batch(prefixes.flatMap((prefix) => [20, 30].map((metric) => `route delete ${prefix} metric ${metric}`)));
const prefix6 = (n: number) => `2001:db8:${n.toString(16)}::/64`;
const prefix4 = (n: number) => `10.${n >> 8}.${n & 255}.0/24`;

describe.skipIf(unusable)('faults of the forwarding tables', () => {
  let tables: LinuxKernelTables;
  let fib: Fib;
  let messages: string[];
  let indexes: number[];

  const via = (...links: number[]): FibNextHop[] =>
    links.map((n) => ({ interfaceIndex: indexes[n - 1]!, gateway: parseAddress(`fe80::${n}`)! }));
  const entry = (prefix: string, primary: number[], fallback: number[]): ForwardingEntry => ({
    ...{ prefix: parsePrefix(prefix)!, primary: via(...primary), fallback: via(...fallback), origin: 65001 },
  });
  const start = async (resilientGroups = true) => {
    tables = await whileInNamespace(NAMESPACE, () => LinuxKernelTables.open());
    const port = {
      apply: tables.apply.bind(tables),
      dump: tables.dump.bind(tables),
      watch: tables.watch.bind(tables),
      resilientGroups: resilientGroups && tables.resilientGroups,
      close: () => {},
    };
    fib = new Fib({
      tables: port,
      clock: new SystemClock(),
      log: { write: ({ message }) => messages.push(message) },
      config: { buckets: 32, idleTimer: 1 },
    });
    await fib.start();
    await fib.sweep();
    for (const one of [1, 2]) {
      fib.want(entry(prefix6(one), [1], [2, 3]));
      fib.want(entry(prefix4(one), [2], [1, 3]));
    }
    await fib.flush();
  };
  const stop = async () => {
    await fib.stop({ keep: false });
    tables.close();
  };
  const differences = async () => (await fib.compare()).differences;
  const causes = async () => (await differences()).map(nameAndCause);
  const settles = () => expect.poll(causes).toEqual([]);
  const idsOf = (kind: RegExp) => [...here('nexthop', 'show').matchAll(kind)].map(([, id]) => id!);

  beforeAll(() => {
    createNamespace(NAMESPACE);
    for (const n of LINKS) {
      here('link', 'add', `fb${n}`, 'type', 'veth', 'peer', 'name', `fb${n}p`);
      here('link', 'set', `fb${n}p`, 'up');
      here('link', 'set', `fb${n}`, 'up');
    }
    indexes = LINKS.map((n) => (JSON.parse(here('-j', 'link', 'show', `fb${n}`)) as { ifindex: number }[])[0]!.ifindex);
  });
  afterAll(() => deleteNamespace(NAMESPACE));

  describe('with a table of few prefixes', () => {
    beforeEach(async () => {
      messages = [];
      await start();
    });

    afterEach(async () => {
      await stop();
      expect(here('nexthop', 'show')).toBe('');
      expect(here('-6', 'route', 'show', 'proto', '179') + here('route', 'show', 'proto', '179')).toBe('');
    });

    it('finds what is wanted in the kernel', async () => {
      expect(await fib.compare()).toEqual({ same: { routes: 8, groups: 4, nextHops: 3 }, differences: [] });
    });

    it.each([
      ['one IPv6 route', () => here('-6', 'route', 'delete', prefix6(1), 'metric', '20')],
      ['one IPv4 route', () => here('route', 'delete', prefix4(1), 'metric', '30')],
      ['all routes at once', () => deleteRoutes([1, 2].flatMap((n) => [prefix6(n), prefix4(n)]))],
      ['one next hop', () => here('nexthop', 'delete', 'id', idsOf(/^id (\d+) via/gm)[0]!)],
      ['one group', () => here('nexthop', 'delete', 'id', idsOf(/^id (\d+) group/gm)[0]!)],
      ['all next hops and groups', () => here('nexthop', 'flush', 'proto', '179')],
      [
        'a route by another',
        () =>
          here(
            '-6',
            'route',
            'replace',
            prefix6(1),
            'nhid',
            idsOf(/^id (\d+) group/gm)[2]!,
            'proto',
            '179',
            'metric',
            '20',
          ),
      ],
      [
        'a next hop by another',
        () =>
          here(
            'nexthop',
            'replace',
            'id',
            idsOf(/^id (\d+) via/gm)[0]!,
            'via',
            'fe80::99',
            'dev',
            'fb4',
            'proto',
            '179',
          ),
      ],
    ])('repairs %s, taken by hand', async (_, take) => {
      take();
      await settles();
      expect((await fib.compare()).same).toEqual({ routes: 8, groups: 4, nextHops: 3 });
      expect(messages.length).toBeGreaterThan(0);
    });

    it('puts the members of a group right that were changed by hand without a word of it', async () => {
      const [group] = idsOf(/^id (\d+) group \d+\/\d+/gm);
      const [first] = idsOf(/^id (\d+) via/gm);
      here('nexthop', 'replace', 'id', group!, 'group', `${first},7`, 'type', 'resilient', 'proto', '179');
      await settles();
    });

    it('reads everything again when events were lost', async () => {
      // The test holds the event loop while another process makes more events than the receive buffer takes.
      const routes = Array.from(
        { length: 12_000 },
        (_, n) => `route add 2001:db8:f:${n.toString(16)}::/64 dev fb4 metric 20`,
      );
      batch(routes);
      batch(routes.map((line) => line.replace(' add ', ' del ')));
      here('-6', 'route', 'delete', prefix6(1), 'metric', '20');
      await expect.poll(() => messages).toContain('kernel events were lost: the tables are read again');
      await settles();
    });

    it.each([
      ['IPv6', prefix6(1), '-6'],
      ['IPv4', prefix4(1), '-4'],
    ])('names a foreign %s route in the way, and puts ours in when it goes', async (_, prefix, family) => {
      here(family, 'route', 'replace', prefix, 'dev', 'fb4', 'metric', '20');
      await expect.poll(causes).toEqual([`${prefix} 20 foreign-in-the-way`]);
      expect((await differences())[0]?.foreign).toMatchObject({ protocol: 3, interfaces: [indexes[3]] });
      expect(here(family, 'route', 'show', prefix, 'metric', '20')).toContain('dev fb4');
      expect(fib.counters.failed).toBe(1);
      here(family, 'route', 'delete', prefix, 'dev', 'fb4', 'metric', '20');
      await settles();
      expect(fib.counters.failed).toBe(0);
    });

    it('shows the words of the kernel where it refuses', async () => {
      const nowhere = { interfaceIndex: indexes[3]!, gateway: parseAddress('203.0.113.1')! };
      fib.want({ prefix: parsePrefix(prefix4(9))!, primary: [nowhere], fallback: via(3), origin: 65001 });
      await fib.flush();
      const found = await differences();
      expect(found.map(({ object, cause }) => `${object} ${cause}`)).toEqual([
        'next-hop refused',
        'group refused',
        'route refused',
      ]);
      expect(found.map(({ error }) => error)).toEqual(Array(3).fill('Nexthop has invalid gateway (ENETUNREACH)'));
      expect(fib.entry(parsePrefix(prefix4(9))!)?.fallback?.state).toBe('installed');
      fib.unwant(parsePrefix(prefix4(9))!);
      await settles();
    });

    it('names a foreign route that stands beside ours', async () => {
      here('route', 'prepend', prefix4(1), 'dev', 'fb4', 'metric', '20');
      expect(await causes()).toEqual([`${prefix4(1)} 20 foreign-beside`]);
      here('route', 'delete', prefix4(1), 'dev', 'fb4', 'metric', '20');
      await settles();
    });

    it('names the foreign route, not ours, in what it advises to delete where both stand beside each other', async () => {
      here('-6', 'route', 'prepend', prefix6(1), 'via', 'fe80::4', 'dev', 'fb4', 'metric', '20');
      const [beside] = await differences();
      expect(beside).toMatchObject({ cause: 'foreign-beside', foreign: { interfaces: [indexes[3]] } });
      here(.../ip (-6 route del .*)$/.exec(adviceOn(beside!.foreign!))![1]!.split(' '));
      expect(here('-6', 'route', 'show', prefix6(1), 'metric', '20')).toContain('proto 179');
      await settles();
    });

    it('names foreign routes under our protocol number and leaves them alone', async () => {
      here('nexthop', 'add', 'id', '7', 'via', 'fe80::7', 'dev', 'fb4');
      const routes = ['2001:db8:77::/64 nhid 7 metric 20', '2001:db8:78::/64 dev fb4 metric 9'];
      for (const route of routes) here('-6', 'route', 'add', ...route.split(' '), 'proto', '179');
      expect((await causes()).sort()).toEqual([
        '2001:db8:77::/64 20 foreign-number',
        '2001:db8:78::/64 9 foreign-number',
      ]);
      expect(messages.filter((line) => line.includes("under heddle's protocol number 179"))).toHaveLength(2);
      await stop();
      expect(here('-6', 'route', 'show', 'proto', '179').match(/^2001/gm)).toHaveLength(2);
      here('nexthop', 'delete', 'id', '7');
      here('-6', 'route', 'flush', 'proto', '179');
      await start();
    });

    it('leaves ids to others, and names them', async () => {
      const taken = [NEXT_HOP_IDS + 4, GROUP_IDS + 5];
      here('nexthop', 'add', 'id', String(taken[0]), 'via', 'fe80::7', 'dev', 'fb4');
      here('nexthop', 'add', 'id', String(taken[1]), 'group', String(taken[0]));
      fib.want(entry(prefix6(9), [4], [3]));
      await fib.flush();
      await expect.poll(causes).toEqual([`next-hop ${taken[0]} foreign-id`, `group ${taken[1]} foreign-id`]);
      expect(fib.entry(parsePrefix(prefix6(9))!)?.primary.state).toBe('installed');
      here('nexthop', 'delete', 'id', String(taken[1]));
      here('nexthop', 'delete', 'id', String(taken[0]));
      await settles();
      expect(messages.filter((line) => line.endsWith('is gone'))).toHaveLength(2);
    });

    it('finds what the kernel deleted in silence', async () => {
      here('link', 'set', 'fb1', 'down');
      here('link', 'set', 'fb1', 'up');
      expect((await causes()).filter((line) => line.endsWith('missing'))).not.toEqual([]);
      await settles();
    });
  });

  it('says that groups are plain where the kernel has no others, and repairs those too', async () => {
    messages = [];
    await start(false);
    expect(messages).toEqual([expect.stringContaining('plain next-hop groups: this kernel has no resilient ones')]);
    expect(fib.groupKind).toBe('plain-by-kernel');
    expect(here('nexthop', 'show')).not.toContain('resilient');
    await settles();
    here('nexthop', 'flush');
    await settles();
    await stop();
  });

  it('compares 100,000 prefixes without holding up the event loop for long', async () => {
    messages = [];
    await start();
    const many = 100_000;
    for (let n = 0; n < many; n++)
      fib.want(entry(`2001:db9:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`, [1 + (n % 3)], [4]));
    await fib.flush();
    const longest = async () => {
      let held = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        held = Math.max(held, performance.now() - last);
        last = performance.now();
      }, 5);
      const { same, differences } = await fib.compare();
      clearInterval(beat);
      expect(differences).toEqual([]);
      expect(same.routes).toBe(2 * many + 8);
      return Math.round(held);
    };
    // A keepalive every 3 s. The machine may hold it up as well, but not each time.
    await expect.poll(longest).toBeLessThan(3000);
    await stop();
  });
});

function nameAndCause({ object, prefix, metric, id, cause }: Difference): string {
  return prefix ? `${formatPrefix(prefix)} ${metric} ${cause}` : `${object} ${id} ${cause}`;
}
