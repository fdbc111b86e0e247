/** Which groups are plain and which resilient, and how one becomes the other: no failure waits for it and no prefix is without a route. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { HandClock } from '../ports/hand-clock.fixture.js';
import type { KernelOperation, ResilientParameters } from '../ports/kernel-tables.js';
import { Fib } from './fib.js';
import { MemoryKernelTables } from './memory-tables.js';
import type { FibNextHop } from './types.js';

const COUNT = 20;
const LATER = 10_000;
const via = (links: readonly number[]): FibNextHop[] =>
  links.map((interfaceIndex) => ({ interfaceIndex, gateway: parseAddress(`fe80::${interfaceIndex}`)! }));
const range = Array.from({ length: COUNT }, (_, n) => n);

interface Before {
  readonly left?: MemoryKernelTables;
  readonly plainGroups?: boolean;
  readonly idleTimer?: number;
}

/** Over `left` by an earlier process, which is not swept yet. */
async function started({ left, plainGroups = false, idleTimer = 1 }: Before = {}) {
  const tables = left ?? new MemoryKernelTables();
  const clock = new HandClock(queueMicrotask);
  const config = { buckets: 16, idleTimer, plainGroups };
  const fib = new Fib({ tables, clock, log: { write: () => {} }, config });
  await fib.start();
  if (!left) await fib.sweep();
  const want = async (primary: readonly number[], fallback: readonly number[]) => {
    for (const n of range) {
      const prefix = parsePrefix(`2001:db8:${n}::/64`)!;
      fib.want({ prefix, primary: via(primary), fallback: via(fallback), origin: 65001, colour: 1 });
    }
    await fib.flush();
  };
  /** What goes to the kernel meanwhile. */
  const written = async (work: () => unknown): Promise<readonly KernelOperation[]> => {
    const operations = tables.recordOperations();
    await work();
    await fib.flush();
    return [...operations];
  };
  /** Members of each group that routes of a metric use, and its kind. */
  const groupsOf = async (metric: number) => {
    const { groups, routes } = await tables.dump('everything');
    const used = new Set(routes.filter((route) => route.metric === metric).map(({ nextHop }) => nextHop));
    return groups
      .filter(({ id }) => used.has(id))
      .map(({ members, resilient }) => `${resilient ? 'resilient' : 'plain'} ${members.length}`);
  };
  const rest = () => clock.advance(LATER);
  return { tables, fib, want, written, groupsOf, rest };
}

function count(operations: readonly KernelOperation[], kind: KernelOperation['kind']): number {
  return operations.filter((operation) => operation.kind === kind).length;
}

describe('kinds of groups', () => {
  it('are plain for one preferred next hop, and resilient for all that balances load', async () => {
    const { want, groupsOf } = await started();
    await want([1], [2]);
    expect([await groupsOf(20), await groupsOf(30)]).toEqual([['plain 1'], ['resilient 1']]);
    const other = await started();
    await other.want([1, 2], [3]);
    expect([await other.groupsOf(20), await other.groupsOf(30)]).toEqual([['resilient 2'], ['resilient 1']]);
  });

  it('do not hold up a failure: the group grows by one write and keeps its kind', async () => {
    const { fib, want, written, groupsOf } = await started();
    await want([1], [2, 3, 4]);
    const operations = await written(() => want([2, 3, 4], []));
    expect(count(operations, 'set-group')).toBe(1);
    expect(count(operations, 'set-route')).toBe(0);
    expect(await groupsOf(20)).toEqual(['plain 3']);
    expect([...fib.balancedGroups()]).toEqual([]);
  });

  it('are put right when there is time: the new group first, then the routes in place, then the old one goes', async () => {
    const { fib, want, written, groupsOf, rest } = await started();
    await want([1], [2, 3, 4]);
    await want([2, 3, 4], []);
    const operations = await written(rest);
    expect(operations.map(({ kind }) => kind)).toEqual([
      'set-group',
      ...range.map(() => 'set-route'),
      'delete-next-hop',
    ]);
    expect(operations.every((operation) => operation.kind !== 'set-route' || operation.replace)).toBe(true);
    expect(await groupsOf(20)).toEqual(['resilient 3']);
    expect(fib.counters).toMatchObject({ groups: 1, routes: COUNT, failed: 0 });
    expect([...fib.balancedGroups()].map(({ members }) => members.length)).toEqual([3]);
    expect((await fib.compare()).differences).toEqual([]);
    expect(await written(rest)).toEqual([]);
  });

  it('are right at once where several gave way to one that is new: after all else, without a moment between', async () => {
    const { fib, want, written, groupsOf, rest } = await started();
    await want([2, 3, 4], []);
    const operations = await written(() => want([1], [2, 3, 4]));
    const kinds = operations.map(({ kind }) => kind);
    expect(operations.find(({ kind }) => kind === 'set-group')).toMatchObject({ replace: true });
    expect(kinds.slice(-2 - COUNT)).toEqual(['set-group', ...range.map(() => 'set-route'), 'delete-next-hop']);
    const moves = operations.flatMap((one) => (one.kind === 'set-route' && one.metric === 20 ? [one.replace] : []));
    expect(moves).toEqual(range.map(() => true));
    expect([await groupsOf(20), await groupsOf(30)]).toEqual([['plain 1'], ['resilient 3']]);
    expect((await fib.compare()).differences).toEqual([]);
    expect(await written(rest)).toEqual([]);
  });

  it('do not hold up a failure that leaves one of several either', async () => {
    const { want, written, groupsOf, rest } = await started();
    await want([2, 3], [4]);
    const operations = await written(() => want([2], [4]));
    expect([count(operations, 'set-group'), count(operations, 'set-route')]).toEqual([1, 0]);
    expect(await groupsOf(20)).toEqual(['resilient 1']);
    expect(count(await written(rest), 'set-route')).toBe(COUNT);
    expect(await groupsOf(20)).toEqual(['plain 1']);
  });

  it('are left alone when the failure heals before that', async () => {
    const { want, written, groupsOf, rest } = await started();
    await want([1], [2, 3, 4]);
    await want([2, 3, 4], []);
    await want([1], [2, 3, 4]);
    expect(await written(rest)).toEqual([]);
    expect(await groupsOf(20)).toEqual(['plain 1']);
  });

  it('stay as they are where the kernel refuses another group: no route is lost', async () => {
    const { tables, fib, want, groupsOf, rest } = await started();
    await want([1], [2, 3, 4]);
    await want([2, 3, 4], []);
    tables.injectFailures((operation) =>
      operation.kind === 'set-group' && !operation.replace ? { code: 'ENOMEM', message: 'no room' } : undefined,
    );
    rest();
    await fib.flush();
    tables.injectFailures(undefined);
    expect(await groupsOf(20)).toEqual(['plain 3']);
    expect(fib.counters).toMatchObject({ groups: 1, routes: COUNT, failed: 0 });
    expect((await fib.compare()).differences).toEqual([]);
    await want([3, 4], []);
    expect(await groupsOf(20)).toEqual(['plain 2']);
    rest();
    await fib.flush();
    expect(await groupsOf(20)).toEqual(['resilient 2']);
  });

  it('stay as they are also where several gave way to one, and nothing is tried over and over', async () => {
    const { tables, fib, want, written, groupsOf } = await started();
    await want([2, 3, 4], []);
    tables.injectFailures((operation) =>
      operation.kind === 'set-group' && !operation.resilient && !operation.replace
        ? { code: 'ENOMEM', message: 'no room' }
        : undefined,
    );
    const operations = await written(() => want([1], []));
    expect(count(operations, 'set-group')).toBe(2);
    expect(await groupsOf(20)).toEqual(['resilient 1']);
    expect(fib.counters).toMatchObject({ groups: 1, routes: COUNT, failed: 0 });
    expect((await fib.compare()).differences).toEqual([]);
  });

  it('follow a failure that comes while routes go over', async () => {
    const { tables, fib, want, groupsOf, rest } = await started();
    await want([1], [2, 3, 4]);
    await want([2, 3, 4], []);
    rest();
    tables.setLink(2, false);
    fib.linkDown(2);
    await want([3, 4], []);
    rest();
    await fib.flush();
    expect(await groupsOf(20)).toEqual(['resilient 2']);
    expect(fib.counters).toMatchObject({ groups: 1, routes: COUNT });
    expect((await fib.compare()).differences).toEqual([]);
  });

  it('take routes along that have not gone over yet when a failure further away comes meanwhile', async () => {
    const { tables, want, written, rest } = await started();
    await want([1], [2, 3, 4]);
    await want([2, 3, 4], []);
    const old = (await tables.dump('everything')).groups.map(({ id }) => id);
    const operations = await written(async () => {
      rest();
      await Promise.resolve();
      await want([3, 4], []);
    });
    const failure = operations.filter((one) => one.kind === 'set-group' && one.replace && one.members.length === 2);
    expect(failure.map((one) => 'id' in one && old.includes(one.id))).toContain(true);
  });

  it('left by another configuration are given up without a moment between, plain ones of one excepted', async () => {
    const { tables, fib, want } = await started({ plainGroups: true });
    await want([1], [2, 3]);
    await fib.stop({ keep: true });
    const next = await started({ left: tables });
    const operations = await next.written(async () => {
      await next.want([1], [2, 3]);
      await next.fib.sweep();
    });
    expect(count(operations, 'set-route')).toBe(COUNT);
    expect(operations.every((operation) => operation.kind !== 'set-route' || operation.replace)).toBe(true);
    expect([await next.groupsOf(20), await next.groupsOf(30)]).toEqual([['plain 1'], ['resilient 2']]);
    expect(next.fib.counters).toMatchObject({ groups: 2, routes: 2 * COUNT });
  });

  it('left by the same configuration are taken over where the kernel keeps times more coarsely than they were asked for', async () => {
    const { tables, fib, want } = await started({ idleTimer: 0.03 });
    await want([1], [2, 3]);
    await fib.stop({ keep: true });
    const dump = tables.dump.bind(tables);
    tables.dump = async (scope) => {
      const snapshot = await dump(scope);
      const coarse = (resilient: ResilientParameters) => ({ resilient: { ...resilient, idleTimer: 0.02 } });
      const groups = snapshot.groups.map((one) => ({ ...one, ...(one.resilient && coarse(one.resilient)) }));
      return { ...snapshot, groups };
    };
    const next = await started({ left: tables, idleTimer: 0.03 });
    const operations = await next.written(async () => {
      await next.want([1], [2, 3]);
      await next.fib.sweep();
    });
    expect(operations).toEqual([]);
  });

  it('are all plain where they are to be', async () => {
    const { want, written, groupsOf, rest } = await started({ plainGroups: true });
    await want([1], [2, 3]);
    await want([2, 3], [4]);
    expect([await groupsOf(20), await groupsOf(30)]).toEqual([['plain 2'], ['plain 1']]);
    expect(await written(rest)).toEqual([]);
  });
});
