import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { formatPrefix, parsePrefix } from '../net/prefix.js';
import type { LogEvent } from '../ports/event-log.js';
import { HandClock } from '../ports/hand-clock.fixture.js';
import type { DumpScope, KernelFailure, KernelOperation, KernelSnapshot } from '../ports/kernel-tables.js';
import { Fib } from './fib.js';
import type { FibEntryView } from './fib-view.js';
import { MemoryKernelTables } from './memory-tables.js';
import type { FibNextHop, ForwardingEntry } from './types.js';

/** Holds every answer until told, so that things can happen while a request is on its way. */
class SlowTables extends MemoryKernelTables {
  private held: (() => void)[] | undefined;
  dumps = 0;

  hold(): void {
    this.held = [];
  }

  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const go of held) go();
  }

  override async apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]> {
    const failures = await super.apply(operations);
    await this.answer();
    return failures;
  }

  override async dump(scope: DumpScope): Promise<KernelSnapshot> {
    this.dumps++;
    const snapshot = await super.dump(scope);
    await this.answer();
    return snapshot;
  }

  private answer(): Promise<void> {
    return new Promise((resolve) => (this.held ? this.held.push(resolve) : resolve()));
  }
}

const via = (...links: number[]): FibNextHop[] =>
  links.map((interfaceIndex) => ({ interfaceIndex, gateway: parseAddress(`fe80::${interfaceIndex}`)! }));

/** Prefix number `n`, of colour `colour`, of the leaf 65001. */
function entry(n: number, primary: number[], fallback: number[], colour = 1): ForwardingEntry {
  return { prefix: prefixOf(n), primary: via(...primary), fallback: via(...fallback), origin: 65001, colour };
}

const prefixOf = (n: number) => parsePrefix(`2001:db8:${n.toString(16)}::/64`)!;
const hostOf = (n: number) => parseAddress(`2001:db8:${n.toString(16)}::1`)!;
const kinds = (operations: readonly KernelOperation[]) => operations.map(({ kind }) => kind);

function setUp({ tables = new MemoryKernelTables() as MemoryKernelTables } = {}) {
  const clock = new HandClock(queueMicrotask);
  const events: LogEvent[] = [];
  const log = { write: (event: LogEvent) => events.push(event) };
  const fib = new Fib({ tables, clock, log, config: { buckets: 16, idleTimer: 1 } });
  const linksOf = (n: number) => tables.lookup(hostOf(n)).map(({ interfaceIndex }) => interfaceIndex);
  const viewOf = (n: number): FibEntryView => fib.entry(prefixOf(n))!;
  const want = async (...entries: ForwardingEntry[]) => {
    for (const one of entries) fib.want(one);
    await fib.flush();
  };
  /** The operations that `work` leads to. */
  const operationsOf = async (work: () => unknown) => {
    const operations = tables.recordOperations();
    await work();
    await fib.flush();
    return [...operations];
  };
  return { tables, clock, events, fib, linksOf, viewOf, want, operationsOf };
}

async function started(options: Parameters<typeof setUp>[0] = {}) {
  const world = setUp(options);
  await world.fib.start();
  await world.fib.sweep();
  return world;
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

it('has one next-hop object a neighbour, though the prefixes over it come in pieces and something else is written in between', async () => {
  const { fib, tables, want } = await started();
  await want(entry(9, [2], [3]));
  fib.moreToCome(true);
  fib.want(entry(1, [1], [2, 3]));
  fib.linkUp(2);
  await new Promise((resolve) => setImmediate(resolve));
  fib.want(entry(2, [1], [2, 3]));
  await fib.flush();
  const { nextHops, groups } = await tables.dump('everything');
  expect(nextHops.map(({ interfaceIndex }) => interfaceIndex).sort()).toEqual([1, 2, 3]);
  expect(groups).toHaveLength(4);
});

describe('classes that became equal', () => {
  /** Forty prefixes over link 1 that come in two pieces, so that their classes are two. */
  async function inPieces() {
    const world = await started();
    await world.want(...range(40).map((n) => entry(n, [2], [3])));
    await world.want(...range(10).map((n) => entry(n, [1], [2, 3])));
    await world.want(...range(30).map((n) => entry(n + 10, [1], [2, 3])));
    expect(world.fib.counters.groups).toBe(4);
    return world;
  }

  it('are joined after a while, the smaller into the larger, and no prefix is without a route meanwhile', async () => {
    const { clock, fib, tables, operationsOf, linksOf } = await inPieces();
    const operations = await operationsOf(() => clock.advance(10_000));
    expect(kinds(operations)).toEqual([...range(20).map(() => 'set-route'), ...range(2).map(() => 'delete-next-hop')]);
    expect(fib.counters.groups).toBe(2);
    expect((await tables.dump('everything')).routes).toHaveLength(80);
    for (const n of range(40)) expect(linksOf(n)).toEqual([1]);
  });

  it('are one from then on: what takes them elsewhere is one write a group', async () => {
    const { clock, operationsOf, want } = await inPieces();
    await operationsOf(() => clock.advance(10_000));
    const elsewhere = range(40).map((n) => entry(n, [2, 3], []));
    const operations = await operationsOf(() => want(...elsewhere));
    expect(operations.filter(({ kind }) => kind === 'set-group')).toHaveLength(1);
    expect(operations.filter(({ kind }) => kind === 'set-route')).toEqual([]);
  });

  it('do not pile up, however often prefixes come in pieces', async () => {
    const { clock, fib, want } = await inPieces();
    for (const round of range(20)) {
      for (const links of [[2, 3], [1]]) {
        await want(...range(7 + round).map((n) => entry(n, links, [4])));
        await want(...range(33 - round).map((n) => entry(n + 7 + round, links, [4])));
        clock.advance(10_000);
        await fib.flush();
      }
    }
    expect(fib.counters.groups).toBe(2);
  });

  it('stay two where the origin differs, though their groups are equal', async () => {
    const { clock, fib, want } = await started();
    await want(entry(1, [1], [2, 3]), { ...entry(2, [1], [2, 3]), origin: 65002 });
    clock.advance(20_000);
    await fib.flush();
    expect(fib.counters.groups).toBe(4);
  });
});

describe('Fib', () => {
  it('installs two routes a prefix: primary at metric 20, fallback at metric 30', async () => {
    const { fib, tables, linksOf, viewOf, want } = await started();
    await want(entry(1, [1], [2, 3, 4]));
    const { routes, groups } = await tables.dump('everything');
    expect(routes.map(({ prefix, metric }) => [formatPrefix(prefix), metric])).toEqual([
      ['2001:db8:1::/64', 20],
      ['2001:db8:1::/64', 30],
    ]);
    expect(groups.map(({ members, resilient }) => [members.length, resilient?.buckets])).toEqual([
      [1, undefined],
      [3, 16],
    ]);
    expect(linksOf(1)).toEqual([1]);
    expect(viewOf(1)).toMatchObject({
      origin: 65001,
      colour: 1,
      primary: { metric: 20, state: 'installed', group: groups[0]!.id, nextHops: via(1) },
      fallback: { metric: 30, state: 'installed', group: groups[1]!.id, nextHops: via(2, 3, 4) },
    });
    expect(fib.counters).toMatchObject({ prefixes: 1, nextHops: 4, groups: 2, routes: 2, failed: 0 });
  });

  it('installs one route when there is no fallback, and none without next hops', async () => {
    const { tables, viewOf, fib, want } = await started();
    await want(entry(1, [1], []), entry(2, [1], [2]), entry(3, [], [4]));
    expect(viewOf(1).fallback).toBeUndefined();
    expect(viewOf(3)).toMatchObject({ primary: { nextHops: via(4) } });
    await want(entry(2, [], []));
    expect(fib.entry(prefixOf(2))).toBeUndefined();
    expect((await tables.dump('everything')).routes).toHaveLength(2);
  });

  it('shares next hops between families and groups within a class only', async () => {
    const { want, fib } = await started();
    const ipv4 = { ...entry(0, [1], [2, 3]), prefix: parsePrefix('10.0.0.0/24')! };
    await want(entry(1, [1], [2, 3]), entry(2, [1], [3, 2]), ipv4);
    expect(fib.counters).toMatchObject({ prefixes: 3, nextHops: 3, groups: 2 });
    await want(entry(3, [1], [2, 3], 2), { ...entry(4, [1], [2, 3]), origin: 65002 });
    expect(fib.counters).toMatchObject({ prefixes: 5, nextHops: 3, groups: 6 });
  });

  it('uses plain groups where the kernel has no resilient ones', async () => {
    const { want, tables } = await started({ tables: new MemoryKernelTables({ resilientGroups: false }) });
    await want(entry(1, [1], [2, 3]));
    expect((await tables.dump('next-hops')).groups.map(({ resilient }) => resilient)).toEqual([undefined, undefined]);
  });

  it('flushes by itself, once for many changes', async () => {
    const { fib, tables } = await started();
    const operations = tables.recordOperations();
    for (const n of range(10)) fib.want(entry(n, [1], []));
    await new Promise(setImmediate);
    expect(kinds(operations)).toEqual(['set-next-hop', 'set-group', ...range(10).map(() => 'set-route')]);
  });

  it('writes nothing when the wanted state comes back before the flush', async () => {
    const { want, fib, operationsOf } = await started();
    await want(entry(1, [1], [2]));
    const operations = await operationsOf(() => {
      fib.want(entry(1, [2], [1]));
      fib.want(entry(1, [1], [2]));
    });
    expect(operations).toEqual([]);
  });

  it('deletes routes, then groups, then next hops', async () => {
    const { want, fib, operationsOf } = await started();
    await want(entry(1, [1], [2]));
    expect(kinds(await operationsOf(() => fib.unwant(prefixOf(1))))).toEqual([
      'delete-route',
      'delete-route',
      'delete-next-hop',
      'delete-next-hop',
      'delete-next-hop',
      'delete-next-hop',
    ]);
    expect(fib.counters).toMatchObject({ prefixes: 0, nextHops: 0, groups: 0, routes: 0 });
  });
});

describe('Fib: a change of next hops', () => {
  it('is one write a group when all prefixes of the class go the same way', async () => {
    const { want, operationsOf, linksOf, fib } = await started();
    await want(...range(5000).map((n) => entry(n, [1], [2, 3])));
    const moved = range(5000).map((n) => entry(n, [2], [3, 4]));
    const operations = await operationsOf(() => want(...moved));
    expect(kinds(operations)).toEqual(['set-next-hop', 'set-group', 'set-group', 'delete-next-hop']);
    expect(linksOf(4999)).toEqual([2]);
    expect(fib.counters).toMatchObject({ groupReplacements: 2, routes: 10_000 });
  });

  it('moves traffic first and deletes obsolete fallback routes after', async () => {
    const { want, operationsOf, linksOf } = await started();
    await want(...range(100).map((n) => entry(n, [1], [2, 3, 4])));
    const operations = await operationsOf(() => want(...range(100).map((n) => entry(n, [2, 3, 4], []))));
    expect(kinds(operations).slice(0, 2)).toEqual(['set-group', 'delete-route']);
    expect(operations.filter(({ kind }) => kind === 'delete-route')).toHaveLength(100);
    expect(operations.some(({ kind }) => kind === 'set-route')).toBe(false);
    expect(linksOf(7)).toEqual([2, 3, 4]);
  });

  it('writes only the routes of the prefixes that moved when the class splits', async () => {
    const { want, operationsOf, linksOf } = await started();
    await want(...range(10).map((n) => entry(n, [1], [2])));
    const operations = await operationsOf(() => want(entry(0, [2], [1]), entry(1, [2], [1])));
    expect(kinds(operations)).toEqual([
      ...['set-group', 'set-group', 'set-route', 'set-route', 'set-route', 'set-route'],
    ]);
    expect([linksOf(0), linksOf(1), linksOf(2)]).toEqual([[2], [2], [1]]);
  });

  it('counts prefixes that leave in the same batch out of the class', async () => {
    const { want, fib, operationsOf } = await started();
    await want(...range(10).map((n) => entry(n, [1], [2])));
    const operations = await operationsOf(() => {
      fib.unwant(prefixOf(0));
      for (const n of range(9)) fib.want(entry(n + 1, [2], [1]));
    });
    expect(kinds(operations)).toEqual(['set-group', 'set-group', 'delete-route', 'delete-route']);
  });

  it('waits for the rest of an event that comes in slices, but not for ever, and not with links', async () => {
    const { want, fib, tables, clock, linksOf } = await started();
    await want(...range(10).map((n) => entry(n, [1], [2])));
    const operations = tables.recordOperations();
    const slice = async (numbers: number[], to: number, more: boolean) => {
      for (const n of numbers) fib.want(entry(n, [to], [1]));
      fib.moreToCome(more);
      await new Promise(setImmediate);
    };
    await slice([0, 1, 2, 3], 2, true);
    await slice([4, 5, 6], 2, true);
    expect(operations).toEqual([]);
    expect(fib.idle).toBe(false);
    await slice([7, 8, 9], 2, false);
    expect(kinds(operations)).toEqual(['set-group', 'set-group']);
    await slice([0], 3, true);
    fib.linkDown(1);
    await new Promise(setImmediate);
    expect(kinds(operations.splice(0)).slice(2)).toEqual(['delete-next-hop', 'delete-next-hop']);
    clock.advance(100);
    for (let slices = 2; slices <= 8; slices++) await slice([], 3, true);
    expect(linksOf(0)).toEqual([2]);
    await slice([], 3, true);
    expect(linksOf(0)).toEqual([3]);
  });

  it('never leaves a wanted prefix without a route in between', async () => {
    const { want, tables, linksOf } = await started();
    await want(...range(4).map((n) => entry(n, [1], [2])));
    const gaps: string[] = [];
    tables.injectFailures((operation) => {
      for (const n of range(4)) if (linksOf(n).length === 0) gaps.push(`${n} before ${operation.kind}`);
      return undefined;
    });
    await want(entry(0, [3], []), entry(1, [2], [1]));
    await want(entry(0, [1], [3, 4]), entry(2, [4], []), entry(3, [4], [1]), entry(1, [3], []));
    await want(...range(4).map((n) => entry(n, [1, 2], [])));
    expect(gaps).toEqual([]);
  });
});

describe('Fib: links', () => {
  const ordered = ['set-next-hop', 'set-group', 'set-group', 'set-route', 'set-route', 'set-route'];

  it('lets the kernel fall back by itself, and heals members first, then groups, then routes', async () => {
    const { want, tables, fib, linksOf, viewOf, operationsOf } = await started();
    await want(...range(3).map((n) => entry(n, [1], [2, 3])), entry(3, [2], [1, 3], 2));
    tables.setLink(1, false);
    expect([linksOf(0), linksOf(3)]).toEqual([[2, 3], [2]]);
    fib.linkDown(1);
    await fib.flush();
    expect(viewOf(0)).toMatchObject({
      primary: { state: 'pending', error: 'link down' },
      fallback: { state: 'installed' },
    });
    expect(fib.counters).toMatchObject({ nextHops: 2, groups: 3, routes: 5 });
    tables.setLink(1, true);
    expect(kinds(await operationsOf(() => fib.linkUp(1)))).toEqual(ordered);
    expect(linksOf(0)).toEqual([1]);
    expect(viewOf(3).fallback).toMatchObject({ state: 'installed', nextHops: via(1, 3) });
    expect((await tables.dump('next-hops')).groups.map(({ members }) => members.length).sort()).toEqual([1, 1, 2, 2]);
  });

  it('makes nothing again of a path that the RIB has removed meanwhile', async () => {
    const { want, tables, fib, linksOf } = await started();
    await want(entry(1, [1], [2]));
    tables.setLink(1, false);
    fib.linkDown(1);
    await want(entry(1, [2], []));
    tables.setLink(1, true);
    fib.linkUp(1);
    await fib.flush();
    expect(linksOf(1)).toEqual([2]);
    expect((await tables.dump('next-hops')).nextHops).toHaveLength(1);
  });

  it('does not try what needs a link that is down', async () => {
    const { fib, tables, viewOf, want, events } = await started();
    tables.setLink(1, false);
    fib.linkDown(1);
    await want(entry(1, [1], [2]));
    expect(viewOf(1).primary).toMatchObject({ state: 'pending', error: 'link down' });
    expect(viewOf(1).fallback?.state).toBe('installed');
    expect(events).toEqual([]);
  });

  it('takes a link for dead when told so, whatever the kernel has', async () => {
    const { fib, want, linksOf } = await started();
    await want(entry(1, [1], [2]), entry(2, [1, 2], [3], 2));
    fib.linkDown(1);
    await fib.flush();
    expect([linksOf(1), linksOf(2)]).toEqual([[2], [2]]);
  });

  it('is not misled by the late answer to a request for a link that died meanwhile', async () => {
    const tables = new SlowTables();
    const { fib, linksOf, viewOf } = await started({ tables });
    fib.want(entry(1, [1], [2]));
    tables.hold();
    const flushed = fib.flush();
    await new Promise(setImmediate);
    tables.setLink(1, false);
    fib.linkDown(1);
    tables.release();
    await flushed;
    expect(viewOf(1)).toMatchObject({ primary: { state: 'pending' }, fallback: { state: 'installed' } });
    tables.setLink(1, true);
    fib.linkUp(1);
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
    expect(viewOf(1).primary.state).toBe('installed');
  });

  it('finds out by itself what the kernel deleted in silence', async () => {
    const { fib, tables, want, clock, linksOf, viewOf, events } = await started();
    await want(...range(50).map((n) => entry(n, [1], [2])));
    tables.setLink(1, false);
    tables.setLink(1, true);
    expect(linksOf(49)).toEqual([2]);
    clock.advance(10_000);
    await new Promise(setImmediate);
    await fib.flush();
    expect(linksOf(49)).toEqual([1]);
    expect(viewOf(49).primary.state).toBe('installed');
    expect(events.map(({ message }) => message)).toEqual([
      '2 next-hop objects were gone or changed in the kernel: made again',
    ]);
    clock.advance(10_000);
    await fib.flush();
    expect(events).toHaveLength(1);
  });
});

describe('Fib: other programs and errors', () => {
  it.each([
    ['primary route', (tables: MemoryKernelTables) => tables.deleteRouteOutside(prefixOf(1), 20)],
    ['fallback route', (tables: MemoryKernelTables) => tables.deleteRouteOutside(prefixOf(1), 30)],
    ['group', (tables: MemoryKernelTables, id: number) => tables.deleteNextHopOutside(id)],
  ])('repairs the deletion of a %s', async (_, damage) => {
    const { want, tables, fib, viewOf, linksOf } = await started();
    await want(entry(1, [1], [2, 3]), entry(2, [1], [2, 3]));
    damage(tables, viewOf(1).primary.group!);
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
    expect((await tables.dump('everything')).routes).toHaveLength(4);
    expect(viewOf(1)).toMatchObject({ primary: { state: 'installed' }, fallback: { state: 'installed' } });
  });

  it('repairs the deletion of a next hop, in every group that had it', async () => {
    const { want, tables, fib, linksOf } = await started();
    await want(entry(1, [1], [2, 3]), entry(2, [2], [1, 3], 2));
    const { nextHops } = await tables.dump('next-hops');
    tables.deleteNextHopOutside(nextHops.find(({ interfaceIndex }) => interfaceIndex === 1)!.id);
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
    const { groups } = await tables.dump('next-hops');
    expect(groups.map(({ members }) => members.length).sort()).toEqual([1, 1, 2, 2]);
  });

  it('counts what goes by its fallback, though the primary route leads there', async () => {
    const { want, fib, linksOf, tables } = await started();
    const fallen = (n: number) => ({ ...entry(n, [2, 3], []), onFallback: true });
    await want(entry(1, [1], [2, 3]), fallen(2), entry(3, [2, 3], []));
    expect(linksOf(2)).toEqual(linksOf(3));
    expect(fib.colours().get(1)).toEqual({ prefixes: 3, onFallback: 1 });
    await want(fallen(3), entry(2, [1], [2, 3]));
    expect(fib.colours().get(1)).toEqual({ prefixes: 3, onFallback: 1 });
    expect(linksOf(3)).toEqual([2, 3]);
    await want(entry(3, [1], [2, 3]));
    expect(fib.colours().get(1)).toEqual({ prefixes: 3, onFallback: 0 });
    expect((await tables.dump('everything')).routes).toHaveLength(6);
  });

  it('says in one line what another program deleted', async () => {
    const { want, tables, fib, events } = await started();
    await want(entry(1, [1], [2, 3]), entry(2, [1], [2, 3]));
    for (const n of [1, 2]) tables.deleteRouteOutside(prefixOf(n), 20);
    await fib.flush();
    expect(events.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: another program deleted 2001:db8:1::/64 metric 20 and 1 more: to be written again',
    ]);
    expect(fib.counters.outsideChanges).toEqual({ routesDeleted: 2, routesReplaced: 0, nextHopsDeleted: 0 });
    expect(fib.colours().get(1)).toEqual({ prefixes: 2, onFallback: 0 });
  });

  it('does not take a route that another program replaced for its own, and takes the place again when it is free', async () => {
    const { want, tables, fib, viewOf, linksOf, clock, events } = await started();
    await want(entry(1, [1], [2, 3]), entry(2, [1], [2, 3]));
    tables.replaceRouteOutside(prefixOf(1), 20);
    await fib.flush();
    expect(viewOf(1).primary).toMatchObject({ state: 'failed', error: expect.stringContaining('another program') });
    expect(viewOf(1).fallback?.state).toBe('installed');
    expect(tables.hasForeignRoute(prefixOf(1), 20)).toBe(true);
    expect(linksOf(2)).toEqual([1]);
    expect(fib.counters.outsideChanges).toMatchObject({ routesReplaced: 1, routesDeleted: 0 });
    expect(fib.counters.refusals).toBeGreaterThan(0);
    expect(events[0]!.message).toBe('another program replaced 2001:db8:1::/64 metric 20: to be written again');
    tables.deleteForeignRoute(prefixOf(1), 20);
    clock.advance(1000);
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
    expect(viewOf(1).primary.state).toBe('installed');
  });

  it('puts right a next hop that another program changed', async () => {
    const tables = new MemoryKernelTables();
    const { want, fib, linksOf, viewOf, events } = await started({ tables });
    await want(entry(1, [1], [2, 3]), entry(2, [2], [1, 3], 2));
    const changed = (await tables.dump('next-hops')).nextHops.find(({ interfaceIndex }) => interfaceIndex === 1)!;
    tables.changeNextHopOutside({ ...changed, interfaceIndex: 9 });
    expect(linksOf(1)).toEqual([9]);
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
    expect(events.map(({ message }) => message)).not.toContainEqual(expect.stringContaining('another program'));
    expect(viewOf(1).primary.state).toBe('installed');
    await fib.sweep();
    expect((await tables.dump('next-hops')).nextHops.map(({ interfaceIndex }) => interfaceIndex).sort()).toEqual([
      1, 2, 3,
    ]);
  });

  it('reads the tables again after an overrun', async () => {
    const tables = new MemoryKernelTables();
    const { want, fib, linksOf, events } = await started({ tables });
    await want(entry(1, [1], [2]), entry(2, [3], [4], 2));
    // Silent damage: what the events lost would have told.
    const { nextHops } = await tables.dump('next-hops');
    await tables.apply([
      { kind: 'delete-route', prefix: prefixOf(1), metric: 20 },
      { kind: 'delete-next-hop', id: nextHops.find(({ interfaceIndex }) => interfaceIndex === 3)!.id },
    ]);
    expect([linksOf(1), linksOf(2)]).toEqual([[2], [4]]);
    tables.loseEvents();
    await fib.flush();
    expect([linksOf(1), linksOf(2)]).toEqual([[1], [3]]);
    expect(events[0]!.message).toBe('kernel events were lost: the tables are read again');
  });

  it.each([
    { change: 'went down', up: false, links: [2] },
    { change: 'came up', up: true, links: [1] },
  ])('does not believe a dump taken before a link $change, and takes another', async ({ up, links }) => {
    const tables = new SlowTables();
    const { want, fib, linksOf, viewOf, events } = await started({ tables });
    const change = (to: boolean) => {
      tables.setLink(1, to);
      if (to) fib.linkUp(1);
      else fib.linkDown(1);
    };
    change(!up);
    await want(entry(1, [1], [2]));
    const before = tables.dumps;
    tables.hold();
    tables.loseEvents();
    await new Promise(setImmediate);
    expect(tables.dumps).toBe(before + 1);
    change(up);
    tables.release();
    await fib.flush();
    expect(tables.dumps).toBe(before + 2);
    expect(fib.counters.resyncs).toBe(1);
    expect(linksOf(1)).toEqual(links);
    expect(viewOf(1).primary.state).toBe(up ? 'installed' : 'pending');
    expect(events.map(({ message }) => message)).toEqual(['kernel events were lost: the tables are read again']);
  });

  it('corrects itself when the kernel refuses because the picture was wrong', async () => {
    const tables = new MemoryKernelTables();
    const { want, fib, linksOf, viewOf } = await started({ tables });
    await want(entry(1, [1], [2]), entry(2, [1], [2]));
    await tables.apply([{ kind: 'delete-next-hop', id: viewOf(1).primary.group! }]);
    await want(entry(1, [3], [2]), entry(2, [3], [2]));
    expect([linksOf(1), linksOf(2)]).toEqual([[3], [3]]);
    expect(fib.counters).toMatchObject({ resyncs: 1, failed: 0 });
  });

  it('shows the refusal of a route, keeps the rest, and tries again', async () => {
    const { want, tables, fib, viewOf, events, clock } = await started();
    tables.injectFailures((operation) =>
      operation.kind === 'set-route' && formatPrefix(operation.prefix) === '2001:db8:1::/64' && operation.metric === 20
        ? { code: 'ENOMEM', message: 'route cache is full' }
        : undefined,
    );
    await want(entry(1, [1], [2]), entry(2, [1], [2]));
    expect(viewOf(1)).toMatchObject({
      primary: { state: 'failed', error: 'route cache is full (ENOMEM)' },
      fallback: { state: 'installed' },
    });
    expect(viewOf(2).primary.state).toBe('installed');
    expect(events).toEqual([
      {
        level: 'warn',
        topic: 'fib',
        message: 'the kernel refused 2001:db8:1::/64 metric 20: route cache is full (ENOMEM)',
      },
    ]);
    expect(fib.counters.failed).toBe(1);
    tables.injectFailures(undefined);
    clock.advance(1000);
    await fib.flush();
    expect(viewOf(1).primary.state).toBe('installed');
    expect(fib.counters.failed).toBe(0);
  });

  it('shows the refusal of a next hop at the routes that need it, and works with the others', async () => {
    const { want, tables, viewOf, linksOf, fib, clock } = await started();
    tables.injectFailures((operation) =>
      operation.kind === 'set-next-hop' && operation.interfaceIndex === 1
        ? { code: 'EINVAL', message: 'IPv6 is disabled on nexthop device' }
        : undefined,
    );
    await want(entry(1, [1], [2]), entry(2, [2], [1, 3], 2));
    expect(viewOf(1).primary).toMatchObject({ state: 'failed', error: 'IPv6 is disabled on nexthop device (EINVAL)' });
    expect(linksOf(1)).toEqual([2]);
    expect(viewOf(2).fallback?.state).toBe('installed');
    tables.injectFailures(undefined);
    clock.advance(1000);
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
  });

  it('takes the primary route away when none of its next hops can be had, so that the fallback works', async () => {
    const { want, tables, linksOf, viewOf } = await started();
    await want(entry(1, [1], [2]), entry(2, [1], [2]));
    tables.injectFailures((operation) =>
      operation.kind === 'set-next-hop' && operation.interfaceIndex === 5
        ? { code: 'EINVAL', message: 'no' }
        : undefined,
    );
    await want(entry(1, [5], [2]), entry(2, [5], [2]));
    expect([linksOf(1), linksOf(2)]).toEqual([[2], [2]]);
    expect(viewOf(1).primary.state).toBe('failed');
  });

  it('leaves foreign routes alone, says where they collide, and takes the place when it is free', async () => {
    const { want, tables, fib, viewOf, clock } = await started();
    tables.addForeignRoute(prefixOf(1), 20);
    await want(entry(1, [1], [2]));
    expect(viewOf(1)).toMatchObject({ primary: { state: 'failed' }, fallback: { state: 'installed' } });
    expect(viewOf(1).primary.error).toContain('EEXIST');
    // Keeps the fallback route: it is the only one of ours.
    await want(entry(1, [2], []));
    expect((await tables.dump('everything')).routes).toHaveLength(1);
    expect(tables.hasForeignRoute(prefixOf(1), 20)).toBe(true);
    tables.deleteForeignRoute(prefixOf(1), 20);
    clock.advance(64_000);
    await fib.flush();
    expect(viewOf(1)).toMatchObject({ primary: { state: 'installed', nextHops: via(2) } });
    expect((await tables.dump('everything')).routes.map(({ metric }) => metric)).toEqual([20]);
  });

  it('backs off while the kernel goes on refusing, and logs one line a refusal', async () => {
    const { want, tables, fib, clock, events } = await started();
    tables.injectFailures((operation) =>
      operation.kind === 'set-route' ? { code: 'ENOMEM', message: 'full' } : undefined,
    );
    await want(...range(500).map((n) => entry(n, [1], [])));
    const tries = async (seconds: number) => {
      const before = events.length;
      for (const _ of range(seconds)) {
        clock.advance(1000);
        await new Promise(setImmediate);
      }
      return events.length - before;
    };
    expect(events.map(({ message }) => message)).toEqual([
      'the kernel refused 2001:db8::/64 metric 20 and 499 more: full (ENOMEM)',
    ]);
    expect(await tries(7)).toBe(3);
    expect(await tries(120)).toBe(4);
    expect(fib.counters.failed).toBe(500);
  });

  it('survives tables that do not answer', async () => {
    const { fib, tables, clock, events, linksOf } = await started();
    tables.injectFailures(() => {
      throw new Error('answers of the kernel were lost');
    });
    fib.want(entry(1, [1], []));
    await fib.flush();
    expect(events[0]!.message).toBe('the kernel tables did not answer: answers of the kernel were lost');
    tables.injectFailures(undefined);
    clock.advance(1000);
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
  });
});

describe('Fib: start and stop', () => {
  async function leftBehind() {
    const earlier = await started();
    await earlier.want(...range(20).map((n) => entry(n, [1], [2, 3])), entry(30, [3], [4], 2));
    await earlier.fib.stop({ keep: true });
    return earlier.tables;
  }

  it('takes over what an earlier run left, without a write for what is wanted again', async () => {
    const tables = await leftBehind();
    const { fib, want, operationsOf, viewOf } = setUp({ tables });
    const operations = await operationsOf(async () => {
      await fib.start();
      await want(...range(20).map((n) => entry(n, [1], [2, 3])));
    });
    expect(operations).toEqual([]);
    expect(viewOf(19)).toMatchObject({ primary: { state: 'installed' }, fallback: { state: 'installed' } });
    expect(fib.counters).toMatchObject({ routes: 42, groups: 4, nextHops: 4 });
  });

  it('sweeps what is not wanted at the end of convergence: routes, groups, next hops', async () => {
    const tables = await leftBehind();
    const { fib, want, operationsOf } = setUp({ tables });
    await fib.start();
    await want(...range(20).map((n) => entry(n, [1], [2, 3])));
    const operations = await operationsOf(() => fib.sweep());
    expect(kinds(operations)).toEqual([
      ...['delete-route', 'delete-route', 'delete-next-hop', 'delete-next-hop', 'delete-next-hop'],
    ]);
    expect(fib.counters).toMatchObject({ operations: 5, writes: 0, prefixes: 20, routes: 40, groups: 2, nextHops: 3 });
  });

  it('keeps forwarding by what was left until the new state is in', async () => {
    const tables = await leftBehind();
    const { fib, want, linksOf } = setUp({ tables });
    await fib.start();
    await fib.flush();
    expect(linksOf(7)).toEqual([1]);
    await want(entry(7, [4], [1]));
    expect([linksOf(7), linksOf(8)]).toEqual([[4], [1]]);
    await fib.sweep();
    expect([linksOf(7), linksOf(8)]).toEqual([[4], []]);
  });

  it('gives up groups of another kind than configured', async () => {
    const tables = await leftBehind();
    const fib = new Fib({
      tables,
      clock: new HandClock(queueMicrotask),
      log: { write: () => {} },
      config: { buckets: 64, idleTimer: 1 },
    });
    await fib.start();
    for (const n of range(20)) fib.want(entry(n, [1], [2, 3]));
    await fib.sweep();
    const { groups, routes } = await tables.dump('everything');
    expect(groups.map(({ resilient }) => resilient?.buckets)).toEqual([undefined, 64]);
    expect(routes).toHaveLength(40);
  });

  it('does not take over next hops of a link that is down', async () => {
    const tables = await leftBehind();
    const { fib, want, linksOf } = setUp({ tables });
    fib.linkDown(1);
    await fib.start();
    await want(entry(1, [1], [2]));
    await fib.sweep();
    expect(linksOf(1)).toEqual([2]);
    expect((await tables.dump('next-hops')).nextHops.map(({ interfaceIndex }) => interfaceIndex)).toEqual([2]);
  });

  it('writes what was wanted before the start', async () => {
    const { fib, linksOf, tables } = setUp();
    const operations = tables.recordOperations();
    fib.want(entry(1, [1], []));
    await fib.flush();
    expect(operations).toEqual([]);
    await fib.start();
    await fib.flush();
    expect(linksOf(1)).toEqual([1]);
  });

  it('leaves nothing at stop, not even what it did not know of', async () => {
    const { fib, want, tables } = await started();
    await want(...range(50).map((n) => entry(n, [1 + (n % 3)], [4], n % 3)));
    await tables.apply([
      { kind: 'set-next-hop', id: 0x48000999, interfaceIndex: 9, gateway: parseAddress('fe80::9')!, replace: false },
      { kind: 'set-route', prefix: prefixOf(99), metric: 20, nextHop: 0x48000999, replace: false },
    ]);
    tables.addForeignRoute(prefixOf(77), 20);
    await fib.stop({ keep: false });
    expect(await tables.dump('everything')).toEqual({ nextHops: [], groups: [], foreign: [], routes: [] });
    expect(tables.hasForeignRoute(prefixOf(77), 20)).toBe(true);
  });

  it('does nothing after stop', async () => {
    const { fib, want, tables, clock } = await started();
    await want(entry(1, [1], []));
    await fib.stop({ keep: true });
    const operations = tables.recordOperations();
    fib.want(entry(2, [1], []));
    fib.linkDown(1);
    tables.deleteRouteOutside(prefixOf(1), 20);
    clock.advance(100_000);
    await fib.flush();
    expect(operations).toEqual([]);
  });
});
