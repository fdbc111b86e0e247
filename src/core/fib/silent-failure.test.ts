/** A neighbour that stops forwarding behind a link that stays up: one write moves all that goes over it. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { Fib } from './fib.js';
import { MemoryKernelTables } from './memory-tables.js';
import type { FibNextHop } from './types.js';

const LINKS = [1, 2, 3, 4];

function via(...links: number[]): FibNextHop[] {
  return links.map((link) => ({ interfaceIndex: link, gateway: parseAddress(`fe80::${link}`)! }));
}

const prefixOf = (origin: number, n: number) => parsePrefix(`2001:db8:${origin}:${n}::/64`)!;

/** Prefixes of three far leaves, each on its own uplink with the others behind it. */
async function started() {
  const tables = new MemoryKernelTables();
  const clock = { now: () => 0, schedule: () => () => {}, yield: (work: () => void) => queueMicrotask(work) };
  const messages: string[] = [];
  const log = { write: ({ message }: { message: string }) => void messages.push(message) };
  const fib = new Fib({ tables, clock, log, config: { buckets: 16, idleTimer: 1 } });
  await fib.start();
  await fib.sweep();
  const want = (origin: number, link: number, links = LINKS) =>
    fib.want({
      prefix: prefixOf(origin, link),
      primary: via(link),
      fallback: via(...links.filter((other) => other !== link)),
      origin: 65000 + origin,
      colour: link,
    });
  for (const origin of [1, 2, 3]) for (const link of LINKS) want(origin, link);
  await fib.flush();
  const over = (origin: number, link: number) => {
    const address = parseAddress(`2001:db8:${origin}:${link}::1`)!;
    return tables.lookup(address).map(({ interfaceIndex }) => interfaceIndex);
  };
  return { tables, fib, want, over, messages };
}

const LINK_1 = [1, parseAddress('fe80::1')!] as const;

describe('a silent failure', () => {
  it('is one write, whatever the number of groups', async () => {
    const { tables, fib, over } = await started();
    const operations = tables.recordOperations();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    expect(operations).toEqual([expect.objectContaining({ kind: 'set-next-hop', replace: true })]);
    for (const origin of [1, 2, 3]) {
      expect(over(origin, 1)).toEqual([2]);
      expect(over(origin, 2)).toEqual([2]);
    }
  });

  it('ends with every prefix where the tables put it, and with nothing left of the failed next hop', async () => {
    const { tables, fib, want, over } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    for (const origin of [1, 2, 3]) {
      for (const link of [2, 3, 4]) want(origin, link, [2, 3, 4]);
      fib.want({ prefix: prefixOf(origin, 1), primary: via(2, 3, 4), fallback: [], origin: 65000 + origin, colour: 1 });
    }
    await fib.flush();
    for (const origin of [1, 2, 3]) expect(over(origin, 1)).toEqual([2, 3, 4]);
    const { nextHops } = await tables.dump('next-hops');
    expect(nextHops.map(({ interfaceIndex }) => interfaceIndex).sort()).toEqual([2, 3, 4]);
  });

  it('is taken back by one write when the neighbour is back before that', async () => {
    const { tables, fib, over } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    const operations = tables.recordOperations();
    fib.neighbourBack(...LINK_1);
    await fib.flush();
    expect(operations).toHaveLength(1);
    expect(over(2, 1)).toEqual([1]);
    fib.neighbourBack(...LINK_1);
    await fib.flush();
    expect(operations).toHaveLength(1);
  });

  it('does not look like the work of another program', async () => {
    const { fib, over, messages, tables } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    tables.loseEvents();
    await fib.flush();
    expect(over(1, 1)).toEqual([2]);
    expect(messages.filter((text) => text.includes('gone'))).toEqual([]);
  });

  it('survives the loss of the link that stands in', async () => {
    const { tables, fib, over } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    tables.setLink(2, false);
    fib.linkDown(2);
    await fib.flush();
    expect(over(1, 2)).not.toContain(2);
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    expect(over(1, 1)).toEqual([3]);
  });

  it('changes nothing where nothing can take over, or nothing goes over it', async () => {
    const { tables, fib } = await started();
    const operations = tables.recordOperations();
    fib.neighbourFailed(7, parseAddress('fe80::7')!);
    fib.want({ prefix: prefixOf(9, 9), primary: via(9), fallback: [], origin: 65009 });
    await fib.flush();
    operations.length = 0;
    fib.neighbourFailed(9, parseAddress('fe80::9')!);
    await fib.flush();
    expect(operations).toEqual([]);
  });
});
