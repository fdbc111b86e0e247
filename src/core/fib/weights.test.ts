/** Unequal shares of next hops: in the kernel's groups, changed in place, kept by what is left when a link dies. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { Fib } from './fib.js';
import { MemoryKernelTables } from './memory-tables.js';
import type { FibNextHop } from './types.js';

const PREFIX = parsePrefix('2001:db8:1::/64')!;

/** Interfaces with their shares. */
function via(shares: Readonly<Record<number, number>>): FibNextHop[] {
  return Object.entries(shares).map(([link, weight]) => {
    return { interfaceIndex: Number(link), gateway: parseAddress(`fe80::${link}`)!, weight };
  });
}

async function started() {
  const tables = new MemoryKernelTables();
  const clock = { now: () => 0, schedule: () => () => {}, yield: (work: () => void) => queueMicrotask(work) };
  const fib = new Fib({ tables, clock, log: { write: () => {} }, config: { buckets: 16, idleTimer: 1 } });
  await fib.start();
  await fib.sweep();
  const want = async (primary: FibNextHop[], fallback: FibNextHop[] = []) => {
    fib.want({ prefix: PREFIX, primary, fallback, origin: 65001 });
    await fib.flush();
  };
  const shares = () => {
    const hops = tables.lookup(parseAddress('2001:db8:1::1')!);
    return Object.fromEntries(hops.map(({ interfaceIndex, weight }) => [interfaceIndex, weight]));
  };
  return { tables, fib, want, shares };
}

describe('weights in the FIB', () => {
  it('reach the group of the kernel and are shown', async () => {
    const { fib, want, shares } = await started();
    await want(via({ 2: 3, 1: 1 }));
    expect(shares()).toEqual({ 1: 1, 2: 3 });
    const shown = fib.entry(PREFIX)!.primary.nextHops;
    expect(shown.map(({ interfaceIndex, weight }) => [interfaceIndex, weight])).toEqual([
      [1, 1],
      [2, 3],
    ]);
  });

  it('change in place: one write to the group, none to the routes', async () => {
    const { tables, want, shares } = await started();
    await want(via({ 1: 1, 2: 3 }));
    const operations = tables.recordOperations();
    await want(via({ 1: 1, 2: 2 }));
    expect(operations.map(({ kind }) => kind)).toEqual(['set-group']);
    expect(shares()).toEqual({ 1: 1, 2: 2 });
  });

  it('need no write when they come again in another order, or equal ones are left out', async () => {
    const { tables, want } = await started();
    await want(via({ 1: 1, 2: 3 }));
    const operations = tables.recordOperations();
    await want(via({ 1: 1, 2: 3 }).reverse());
    expect(operations).toEqual([]);
    await want(via({ 1: 1, 2: 1 }));
    const equal = tables.recordOperations();
    await want(via({ 1: 1, 2: 1 }).map(({ weight: _, ...hop }) => hop));
    expect(equal).toEqual([]);
  });

  it('are kept by those that are left when a link dies, and come back whole with it', async () => {
    const { tables, fib, want, shares } = await started();
    await want(via({ 1: 1, 2: 3, 3: 5 }));
    tables.setLink(2, false);
    fib.linkDown(2);
    await fib.flush();
    expect(shares()).toEqual({ 1: 1, 3: 5 });
    tables.setLink(2, true);
    fib.linkUp(2);
    await fib.flush();
    expect(shares()).toEqual({ 1: 1, 2: 3, 3: 5 });
  });
});

describe('shares found by load balancing', () => {
  const [A, B, C] = [via({ 1: 1 }), via({ 2: 1 }), via({ 3: 1 })].flat();

  it('are asked of the group that forwards: the primary, or the fallback once that is gone', async () => {
    const { tables, fib, want } = await started();
    await want([A!], [B!, C!]);
    expect([...fib.balancedGroups()]).toEqual([]);
    tables.setLink(1, false);
    fib.linkDown(1);
    await fib.flush();
    const [group] = [...fib.balancedGroups()];
    expect(group!.members.map(({ interfaceIndex, due }) => [interfaceIndex, due])).toEqual([
      [2, 1],
      [3, 1],
    ]);
    expect(group!.id).toBe(fib.entry(PREFIX)!.fallback!.group);
  });

  it('are written in place, and not again when they are the same', async () => {
    const { tables, fib, want, shares } = await started();
    await want(via({ 1: 1, 2: 3 }));
    const [group] = [...fib.balancedGroups()];
    const operations = tables.recordOperations();
    fib.reweigh(group!.id, [40, 88]);
    await fib.flush();
    fib.reweigh(group!.id, [40, 88]);
    await fib.flush();
    expect(operations.map(({ kind }) => kind)).toEqual(['set-group']);
    expect(shares()).toEqual({ 1: 40, 2: 88 });
    expect([...fib.balancedGroups()][0]!.members.map(({ due }) => due)).toEqual([1, 3]);
  });

  it('stay while only the set behind changes', async () => {
    const { fib, want, shares } = await started();
    await want([A!, B!], [C!]);
    fib.reweigh([...fib.balancedGroups()][0]!.id, [40, 88]);
    await fib.flush();
    await want([A!, B!]);
    expect(shares()).toEqual({ 1: 40, 2: 88 });
  });

  it('end when a member goes or comes, and when the weights asked for change', async () => {
    const { tables, fib, want, shares } = await started();
    await want(via({ 1: 1, 2: 1, 3: 1 }));
    const reweigh = async (...found: number[]) => {
      fib.reweigh([...fib.balancedGroups()][0]!.id, found);
      await fib.flush();
    };
    await reweigh(10, 20, 30);
    tables.setLink(2, false);
    fib.linkDown(2);
    await fib.flush();
    expect(shares()).toEqual({ 1: 1, 3: 1 });
    await reweigh(5, 7);
    expect(shares()).toEqual({ 1: 5, 3: 7 });
    tables.setLink(2, true);
    fib.linkUp(2);
    await fib.flush();
    expect(shares()).toEqual({ 1: 1, 2: 1, 3: 1 });
    await reweigh(10, 20, 30);
    await want(via({ 1: 1, 2: 1, 3: 2 }));
    expect(shares()).toEqual({ 1: 1, 2: 1, 3: 2 });
  });

  it('are refused when they do not fit the group any more', async () => {
    const { fib, want, shares } = await started();
    await want(via({ 1: 1, 2: 1 }));
    const [group] = [...fib.balancedGroups()];
    fib.reweigh(group!.id, [1, 2, 3]);
    fib.reweigh(group!.id + 1, [1, 2]);
    await fib.flush();
    expect(shares()).toEqual({ 1: 1, 2: 1 });
  });
});
