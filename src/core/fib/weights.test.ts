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
