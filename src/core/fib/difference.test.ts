/** What is wanted against what is in the tables, after each thing that can come between the two. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { formatPrefix, parsePrefix } from '../net/prefix.js';
import { HandClock } from '../ports/hand-clock.fixture.js';
import type { DumpScope, KernelOperation, KernelSnapshot } from '../ports/kernel-tables.js';
import type { Difference } from './difference.js';
import { Fib } from './fib.js';
import { MemoryKernelTables } from './memory-tables.js';
import { NEXT_HOP_IDS, ROUTE_PROTOCOL } from './ownership.js';
import type { FibNextHop, ForwardingEntry } from './types.js';

/** Waits of up to 100 ms pass at once; longer ones when told. */
class QuickClock extends HandClock {
  constructor() {
    super(setImmediate);
  }

  override schedule(at: number, wake: () => void): () => void {
    if (at - this.time > 100) return super.schedule(at, wake);
    const waiting = setImmediate(wake);
    return () => clearImmediate(waiting);
  }
}

/** Runs `meanwhile` between a dump and its answer. */
class WatchedTables extends MemoryKernelTables {
  meanwhile: (() => unknown) | undefined;
  dumps: DumpScope[] = [];

  override async dump(scope: DumpScope): Promise<KernelSnapshot> {
    this.dumps.push(scope);
    const snapshot = await super.dump(scope);
    await this.meanwhile?.();
    return snapshot;
  }
}

const via = (...links: number[]): FibNextHop[] =>
  links.map((interfaceIndex) => ({ interfaceIndex, gateway: parseAddress(`fe80::${interfaceIndex}`)! }));
const prefixOf = (n: number) => parsePrefix(`2001:db8:${n.toString(16)}::/64`)!;
const entry = (n: number, primary: number[], fallback: number[]): ForwardingEntry => ({
  ...{ prefix: prefixOf(n), primary: via(...primary), fallback: via(...fallback), origin: 65001, colour: 1 },
});

/** `route 2001:db8:1::/64 20 missing 1 -`: what, why, links wanted, links in the kernel. */
function text({ object, prefix, metric, cause, wanted, kernel }: Difference): string {
  const links = (hops: readonly FibNextHop[] | undefined) =>
    hops?.map(({ interfaceIndex, weight }) => `${interfaceIndex}${weight === undefined ? '' : `*${weight}`}`).join() ??
    '-';
  const name = prefix ? ` ${formatPrefix(prefix)} ${metric}` : '';
  return `${object}${name} ${cause} ${links(wanted)} ${links(kernel)}`;
}

async function started(tables = new WatchedTables()) {
  const clock = new QuickClock();
  const messages: string[] = [];
  const log = { write: ({ message }: { message: string }) => messages.push(message) };
  const fib = new Fib({ tables, clock, log, config: { buckets: 16, idleTimer: 1 } });
  await fib.start();
  await fib.sweep();
  const want = async (...entries: ForwardingEntry[]) => {
    for (const one of entries) fib.want(one);
    await fib.flush();
  };
  const texts = async () => (await fib.compare()).differences.map(text);
  return { tables, clock, messages, fib, want, texts };
}

describe('what is wanted against the kernel', () => {
  it('is the same in steady state, counted, after one look', async () => {
    const { tables, fib, want } = await started();
    await want(entry(1, [1], [2, 3]), entry(2, [1], [2, 3]), entry(3, [2], [1, 3]));
    tables.dumps = [];
    expect(await fib.compare()).toEqual({ same: { routes: 6, groups: 4, nextHops: 3 }, differences: [] });
    expect(tables.dumps).toEqual(['with-foreign']);
  });

  it('is the same with links that are down', async () => {
    const { tables, fib, want, texts } = await started();
    await want(entry(1, [1], [2, 3]));
    tables.setLink(2, false);
    fib.linkDown(2);
    await fib.flush();
    expect(await texts()).toEqual([]);
    tables.setLink(1, false);
    fib.linkDown(1);
    await fib.flush();
    expect(await texts()).toEqual(['route 2001:db8:1::/64 20 link-down 1 -']);
  });

  it('finds what the kernel lost in silence, and has it written again', async () => {
    const { tables, fib, want, texts } = await started();
    await want(entry(1, [1], [2, 3]), entry(2, [2], [1, 3]));
    tables.setLink(1, false);
    tables.setLink(1, true);
    expect(await texts()).toEqual([
      'next-hop missing 1 -',
      'group missing 1 -',
      'group other 1,3 3',
      'route 2001:db8:1::/64 20 missing 1 -',
    ]);
    await fib.flush();
    expect(await texts()).toEqual([]);
  });

  it('finds next hops, weights and routes that were changed in silence', async () => {
    const { tables, fib, want, texts } = await started();
    await want(entry(1, [1], [2, 3]), entry(2, [2], [3]));
    const { nextHops, groups, routes } = await tables.dump('everything');
    const second = nextHops.find(({ interfaceIndex }) => interfaceIndex === 2)!;
    const pair = groups.find(({ members }) => members.length === 2)!;
    const other = groups.find(({ id }) => id !== routes[0]!.nextHop && id !== pair.id)!;
    const weighted = pair.members.map(({ id }, place) => ({ id, weight: place + 1 }));
    await tables.apply([
      { kind: 'set-next-hop', id: second.id, interfaceIndex: 4, gateway: second.gateway, replace: true },
      { kind: 'set-group', ...pair, members: weighted, replace: true },
      { kind: 'set-route', ...routes[0]!, nextHop: other.id, replace: true },
    ]);
    expect(await texts()).toEqual([
      'next-hop other 2 4',
      'group other 2,3 4*1,3*2',
      'route 2001:db8:1::/64 20 other 1 4',
    ]);
    await fib.flush();
    expect(await texts()).toEqual([]);
  });

  it('finds what is ours and not wanted', async () => {
    const { tables, fib, want, texts } = await started();
    await want(entry(1, [1], []));
    const [route] = (await tables.dump('everything')).routes;
    const id = NEXT_HOP_IDS + 4711;
    await tables.apply([
      { kind: 'set-next-hop', id, interfaceIndex: 5, gateway: parseAddress('fe80::5')!, replace: false },
      { kind: 'set-route', prefix: prefixOf(9), metric: 20, nextHop: route!.nextHop, replace: false },
    ]);
    expect(await texts()).toEqual(['next-hop leftover - 5', 'route 2001:db8:9::/64 20 leftover - 1']);
    await fib.flush();
    expect(await texts()).toEqual([]);
  });

  it('keeps what it found at start until the sweep, and says so', async () => {
    const { tables, fib, want, texts } = await started();
    await want(entry(1, [1], []), entry(2, [2], []));
    await fib.stop({ keep: true });
    const next = new Fib({
      ...{ tables, clock: new QuickClock(), log: { write: () => {} }, config: { buckets: 16, idleTimer: 1 } },
    });
    await next.start();
    next.want(entry(1, [1], []));
    await next.flush();
    const kept = (await next.compare()).differences.map(text);
    expect(kept).toEqual(['next-hop kept - 2', 'group kept - 2', 'route 2001:db8:2::/64 20 kept - 2']);
    await next.sweep();
    expect((await next.compare()).differences).toEqual([]);
    await expect(texts()).rejects.toThrow('not in use');
  });

  it('names what is being written while it looks', async () => {
    const { tables, fib, want, texts } = await started();
    await want(entry(1, [1], [2]));
    tables.meanwhile = () => want(entry(1, [2], [1]), entry(tables.dumps.length, [3], []));
    for (const line of await texts()) expect(line).toContain('waiting');
    tables.meanwhile = () => {
      tables.setLink(3, tables.dumps.length % 2 === 0);
      fib[tables.dumps.length % 2 === 0 ? 'linkUp' : 'linkDown'](3);
      return fib.flush();
    };
    for (let round = 0; round < 3; round++) for (const line of await texts()) expect(line).toMatch(/waiting|link-down/);
    tables.meanwhile = undefined;
    tables.setLink(3, true);
    fib.linkUp(3);
    await fib.flush();
    expect(await texts()).toEqual([]);
  });

  it('shows what the kernel refused, in its words, until there is room', async () => {
    const { tables, clock, fib, want } = await started();
    let room = 3;
    tables.injectFailures(({ kind }) =>
      kind === 'set-route' && --room < 0 ? { code: 'ENOMEM', message: 'Failed to allocate the route' } : undefined,
    );
    await want(entry(1, [1], [2]), entry(2, [1], [2]));
    const { differences } = await fib.compare();
    expect(differences.map(text)).toEqual(['route 2001:db8:2::/64 30 refused 2 -']);
    expect(differences[0]?.error).toBe('Failed to allocate the route (ENOMEM)');
    room = 100;
    clock.advance(2000);
    await fib.flush();
    expect((await fib.compare()).differences).toEqual([]);
  });

  it('compares many prefixes in slices', async () => {
    const { clock, fib, want } = await started();
    const many = Array.from({ length: 5000 }, (_, n) => entry(n, [1 + (n % 3)], [4, 5]));
    await want(...many);
    let turns = 0;
    const plain = clock.yield.bind(clock);
    clock.yield = (work) => {
      turns++;
      plain(work);
    };
    expect(await fib.compare()).toMatchObject({ same: { routes: 10_000 }, differences: [] });
    expect(turns).toBeGreaterThan(20);
  });
});

describe('what is foreign', () => {
  it('is named where it is in the way of a route, and the route is written when it goes', async () => {
    const { tables, messages, fib, want, texts } = await started();
    tables.addForeignRoute(prefixOf(1), 20);
    tables.addForeignRoute(prefixOf(7), 20);
    await want(entry(1, [1], [2]));
    expect(await texts()).toEqual(['route 2001:db8:1::/64 20 foreign-in-the-way 1 -']);
    expect(messages.join()).toContain(
      'a route of another program has this prefix and metric; ours is written as soon as that is gone (EEXIST)',
    );
    tables.deleteForeignRoute(prefixOf(1), 20);
    await fib.flush();
    expect(await texts()).toEqual([]);
    expect(tables.hasForeignRoute(prefixOf(7), 20)).toBe(true);
  });

  it('makes room in silence when a link goes: what it was in the way of is tried again', async () => {
    const { tables, fib, want, texts } = await started();
    tables.injectFailures(({ kind }) => (kind === 'set-route' ? { code: 'EEXIST', message: 'exists' } : undefined));
    await want(entry(1, [1], [2]));
    expect(await texts()).toEqual(['route 2001:db8:1::/64 20 refused 1 -', 'route 2001:db8:1::/64 30 refused 2 -']);
    tables.injectFailures(undefined);
    fib.linkDown(9);
    await fib.flush();
    expect(await texts()).toEqual([]);
  });

  it('is named under our protocol number, left alone, and said once', async () => {
    const { tables, messages, clock, fib, want, texts } = await started();
    await want(entry(1, [1], [2]));
    tables.addForeignRoute(prefixOf(8), 5, ROUTE_PROTOCOL);
    expect(await texts()).toEqual(['route 2001:db8:8::/64 5 foreign-number - -']);
    expect(await texts()).toHaveLength(1);
    expect(messages).toEqual([
      "another program has the route 2001:db8:8::/64 metric 5 under heddle's protocol number 179; it is left alone: " +
        'let that program use another protocol number, or delete it: ip -6 route del 2001:db8:8::/64 metric 5 proto 179',
    ]);
    expect([...fib.foreign()]).toHaveLength(1);
    clock.advance(10_000);
    await fib.flush();
    expect([...fib.foreign()]).toHaveLength(1);
    tables.deleteForeignRoute(prefixOf(8), 5);
    expect(await texts()).toEqual([]);
    expect(messages.at(-1)).toContain('is gone');
  });

  it('is left its ids, in both ranges, however many it has', async () => {
    const tables = new WatchedTables();
    for (let n = 1; n <= 5; n++) tables.addForeignNextHop(NEXT_HOP_IDS + n);
    const { messages, fib, want, texts } = await started(tables);
    expect(messages).toHaveLength(5);
    const operations: readonly KernelOperation[] = tables.recordOperations();
    await want(entry(1, [1], [2]));
    expect(operations).toHaveLength(6);
    expect(fib.counters).toMatchObject({ failed: 0, resyncs: 0 });
    expect((await texts()).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(
      Array(5).fill('next-hop foreign-id'),
    );
  });

  it('is found by its refusals when it took ids while we ran', async () => {
    const { tables, fib, want } = await started();
    for (let n = 1; n <= 5; n++) tables.addForeignNextHop(NEXT_HOP_IDS + n);
    await want(entry(1, [1], [2]));
    expect(fib.counters).toMatchObject({ failed: 0, resyncs: 1, routes: 2 });
  });

  it('is found by the audit that looks at the routes too', async () => {
    const { tables, clock, fib, want } = await started();
    await want(entry(1, [1], [2]));
    tables.addForeignRoute(prefixOf(8), 5, ROUTE_PROTOCOL);
    for (let round = 0; round < 30; round++) clock.advance(10_000);
    await expect.poll(() => [...fib.foreign()].length).toBe(1);
  });
});
