/** The FIB on a real kernel: what the ip command shows after each event is what was wanted. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import { Fib } from '../../core/fib/fib.js';
import type { FibNextHop, ForwardingEntry } from '../../core/fib/types.js';
import { parseAddress } from '../../core/net/address.js';
import { formatPrefix, parsePrefix } from '../../core/net/prefix.js';
import type { KernelOperation } from '../../core/ports/kernel-tables.js';
import { LinuxKernelTables } from './kernel-tables.js';
import { SystemClock } from './system-clock.js';

const NAMESPACE = `fb-fib-${process.pid}`;
const MANY = 20_000;
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const here = (...parameters: string[]) => ip('-n', NAMESPACE, ...parameters);
const prefixOf = (n: number) => parsePrefix(`2001:db8:${n.toString(16)}::/64`)!;

/** `LINK@METRIC` of each route of ours to prefix `n`, by metric; several links with commas. */
function routesOf(n: number): string[] {
  const text = here('-6', '-j', 'route', 'show', `2001:db8:${n.toString(16)}::/64`, 'proto', '179');
  const routes = JSON.parse(text) as { metric: number; dev?: string; nexthops?: { dev: string }[] }[];
  return routes
    .map(({ metric, dev, nexthops }) => `${dev ?? nexthops?.map((hop) => hop.dev).join(',')}@${metric}`)
    .sort((a, b) => Number(a.split('@')[1]) - Number(b.split('@')[1]));
}

describe.skipIf(unusable)('Fib on a real kernel', () => {
  let tables: LinuxKernelTables;
  let fib: Fib;
  let messages: string[];
  let operations: KernelOperation[];
  let indexes: number[];

  const via = (...links: number[]): FibNextHop[] =>
    links.map((n) => ({ interfaceIndex: indexes[n - 1]!, gateway: parseAddress(`fe80::${n}`)! }));
  const entry = (n: number, primary: number[], fallback: number[]): ForwardingEntry => ({
    ...{ prefix: prefixOf(n), primary: via(...primary), fallback: via(...fallback), origin: 65001, colour: 1 },
  });
  const setCarrier = async (n: number, up: boolean) => {
    here('link', 'set', `fb${n}p`, up ? 'up' : 'down');
    await expect.poll(() => here('link', 'show', `fb${n}`).includes('LOWER_UP')).toBe(up);
  };
  const newFib = () =>
    new Fib({
      tables: {
        apply: (batch) => {
          operations.push(...batch);
          return tables.apply(batch);
        },
        dump: (scope) => tables.dump(scope),
        watch: (listener) => tables.watch(listener),
        resilientGroups: tables.resilientGroups,
        close: () => {},
      },
      clock: new SystemClock(),
      log: { write: ({ message }) => messages.push(message) },
      config: { buckets: 32, idleTimer: 1 },
    });
  const want = (...entries: ForwardingEntry[]) => {
    for (const one of entries) fib.want(one);
    return fib.flush();
  };

  beforeAll(() => {
    createNamespace(NAMESPACE);
    for (const n of [1, 2, 3, 4]) {
      here('link', 'add', `fb${n}`, 'type', 'veth', 'peer', 'name', `fb${n}p`);
      here('link', 'set', `fb${n}p`, 'up');
      here('link', 'set', `fb${n}`, 'up');
    }
    indexes = [1, 2, 3, 4].map(
      (n) => (JSON.parse(here('-j', 'link', 'show', `fb${n}`)) as { ifindex: number }[])[0]!.ifindex,
    );
  });
  afterAll(() => deleteNamespace(NAMESPACE));

  beforeEach(async () => {
    messages = [];
    operations = [];
    tables = await whileInNamespace(NAMESPACE, () => LinuxKernelTables.open());
    fib = newFib();
    await fib.start();
    await fib.sweep();
  });

  afterEach(async () => {
    await fib.stop({ keep: false });
    tables.close();
    expect(here('nexthop', 'show')).toBe('');
    expect(here('-6', 'route', 'show', 'proto', '179')).toBe('');
  });

  it('falls back in the kernel without a write, and heals', async () => {
    await want(entry(1, [1], [2, 3, 4]), entry(2, [2], [1, 3, 4]));
    expect(routesOf(1)).toEqual(['fb1@20', 'fb2,fb3,fb4@30']);
    operations = [];
    await setCarrier(1, false);
    expect(routesOf(1)).toEqual(['fb2,fb3,fb4@30']);
    expect(routesOf(2)).toEqual(['fb2@20', 'fb3,fb4@30']);
    fib.linkDown(indexes[0]!);
    await fib.flush();
    expect(operations.filter(({ kind }) => kind !== 'delete-next-hop')).toEqual([]);
    await setCarrier(1, true);
    fib.linkUp(indexes[0]!);
    await fib.flush();
    expect(routesOf(1)).toEqual(['fb1@20', 'fb2,fb3,fb4@30']);
    expect(routesOf(2)).toEqual(['fb2@20', 'fb1,fb3,fb4@30']);
    expect(messages).toEqual([]);
  });

  it('moves all prefixes of a class with one write a group, from one next hop to several', async () => {
    const all = Array.from({ length: 2000 }, (_, n) => n);
    await want(...all.map((n) => entry(n, [1], [2, 3])));
    operations = [];
    for (const n of all) fib.want(entry(n, [2, 3, 4], [1]));
    await fib.flush();
    expect(operations.map(({ kind }) => kind)).toEqual(['set-next-hop', 'set-group', 'set-group']);
    expect(routesOf(1999)).toEqual(['fb2,fb3,fb4@20', 'fb1@30']);
  });

  it('repairs what other programs delete', async () => {
    await want(entry(1, [1], [2, 3]), entry(2, [1], [2, 3]));
    const { group } = fib.entry(prefixOf(1))!.primary;
    here('-6', 'route', 'delete', '2001:db8:1::/64', 'metric', '30');
    await expect.poll(() => routesOf(1)).toEqual(['fb1@20', 'fb2,fb3@30']);
    here('nexthop', 'delete', 'id', String(group));
    await expect.poll(() => [...routesOf(1), ...routesOf(2)]).toEqual(['fb1@20', 'fb2,fb3@30', 'fb1@20', 'fb2,fb3@30']);
    expect(messages).toHaveLength(2);
  });

  it('corrects itself when the kernel had deleted something in silence and refuses what needs it', async () => {
    await want(entry(1, [1], [2]));
    here('link', 'set', 'fb1', 'down');
    here('link', 'set', 'fb1', 'up');
    expect(routesOf(1)).toEqual(['fb2@30']);
    await want(entry(2, [1], [2]));
    expect(routesOf(1)).toEqual(['fb1@20', 'fb2@30']);
    expect(routesOf(2)).toEqual(['fb1@20', 'fb2@30']);
    expect(fib.counters).toMatchObject({ resyncs: 1, failed: 0 });
  });

  it('shows the kernel’s words where a foreign route is in the way, and leaves it', async () => {
    here('-6', 'route', 'add', '2001:db8:1::/64', 'dev', 'fb4', 'metric', '20');
    await want(entry(1, [1], [2]));
    expect(routesOf(1)).toEqual(['fb2@30']);
    expect(fib.entry(prefixOf(1))?.primary).toMatchObject({ state: 'failed' });
    expect(fib.entry(prefixOf(1))?.primary.error).toContain('EEXIST');
    expect(here('-6', 'route', 'show', '2001:db8:1::/64', 'metric', '20')).toContain('dev fb4');
    here('-6', 'route', 'delete', '2001:db8:1::/64', 'dev', 'fb4', 'metric', '20');
    await expect.poll(() => routesOf(1)).toEqual(['fb1@20', 'fb2@30']);
  });

  it('takes over what a killed daemon left without a write, and sweeps the rest', async () => {
    await want(entry(1, [1], [2, 3]), entry(2, [4], [3]));
    await fib.stop({ keep: true });
    operations = [];
    fib = newFib();
    await fib.start();
    await want(entry(1, [1], [2, 3]));
    expect(operations).toEqual([]);
    await fib.sweep();
    expect(routesOf(1)).toEqual(['fb1@20', 'fb2,fb3@30']);
    expect(routesOf(2)).toEqual([]);
  });

  it(`installs, moves and removes ${MANY} prefixes`, async () => {
    const all = Array.from({ length: MANY }, (_, n) => n);
    await want(...all.map((n) => entry(n, [1], [2, 3, 4])));
    expect(fib.counters).toMatchObject({ prefixes: MANY, routes: 2 * MANY, failed: 0, resyncs: 0 });
    const { routes } = await tables.dump('everything');
    expect(new Set(routes.map(({ prefix, metric }) => `${formatPrefix(prefix)} ${metric}`)).size).toBe(2 * MANY);
    await setCarrier(1, false);
    fib.linkDown(indexes[0]!);
    await want(...all.map((n) => entry(n, [2, 3, 4], [])));
    expect(routesOf(7)).toEqual(['fb2,fb3,fb4@20']);
    await setCarrier(1, true);
    fib.linkUp(indexes[0]!);
    await want(...all.map((n) => entry(n, [1], [2, 3, 4])));
    expect(routesOf(MANY - 1)).toEqual(['fb1@20', 'fb2,fb3,fb4@30']);
    expect(fib.counters).toMatchObject({ routes: 2 * MANY, failed: 0, resyncs: 0 });
  });
});
