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
async function started(tables = new MemoryKernelTables()) {
  const clock = { now: () => 0, schedule: () => () => {}, yield: (work: () => void) => queueMicrotask(work) };
  const messages: string[] = [];
  const log = { write: ({ message }: { message: string }) => void messages.push(message) };
  const fib = new Fib({ tables, clock, log, config: { buckets: 16, idleTimer: 1 } });
  await fib.start();
  const want = (origin: number, link: number, links = LINKS) =>
    fib.want({
      prefix: prefixOf(origin, link),
      primary: via(link),
      fallback: via(...links.filter((other) => other !== link)),
      origin: 65000 + origin,
      colour: link,
    });
  for (const origin of [1, 2, 3]) for (const link of LINKS) want(origin, link);
  await fib.sweep();
  const over = (origin: number, link: number) => {
    const address = parseAddress(`2001:db8:${origin}:${link}::1`)!;
    return tables.lookup(address).map(({ interfaceIndex }) => interfaceIndex);
  };
  return { tables, fib, want, over, messages };
}

const neighbour = (link: number) => [link, parseAddress(`fe80::${link}`)!] as const;
const LINK_1 = neighbour(1);

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

  it('of the neighbour that stands in moves again what it took over: two links to one dead router', async () => {
    const { fib, over } = await started();
    fib.neighbourFailed(...LINK_1);
    fib.neighbourFailed(...neighbour(2));
    await fib.flush();
    for (const link of [1, 2, 3]) expect(over(1, link)).toEqual([3]);
    fib.neighbourFailed(...neighbour(3));
    await fib.flush();
    for (const link of LINKS) expect(over(1, link)).toEqual([4]);
    fib.neighbourBack(...neighbour(2));
    await fib.flush();
    expect(LINKS.map((link) => over(1, link))).toEqual([[4], [2], [4], [4]]);
  });

  it('leads to the set behind before it leads to a member beside', async () => {
    const { fib, over } = await started();
    fib.want({ prefix: prefixOf(8, 8), primary: via(8, 9), fallback: via(4), origin: 65008 });
    await fib.flush();
    fib.neighbourFailed(...neighbour(8));
    await fib.flush();
    expect(over(8, 8).sort()).toEqual([4, 9]);
  });

  it('of an IPv4 gateway leads to no IPv6 one', async () => {
    const { fib, tables } = await started();
    const gateway = parseAddress('192.0.2.1')!;
    const prefix = parsePrefix('198.51.100.0/24')!;
    fib.want({ prefix, primary: [{ interfaceIndex: 8, gateway }], fallback: via(4), origin: 65008 });
    await fib.flush();
    const operations = tables.recordOperations();
    fib.neighbourFailed(8, gateway);
    await fib.flush();
    expect(operations).toEqual([]);
  });

  it('is over for what others still send over that neighbour, once the tables are through', async () => {
    const { tables, fib, want, over } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    // The prefixes of the first leaf have another way; the second leaf's are still told with that next hop.
    for (const link of LINKS) want(1, link === 1 ? 2 : link, [2, 3, 4]);
    fib.want({ prefix: prefixOf(1, 1), primary: via(3), fallback: [], origin: 65001, colour: 1 });
    const operations = tables.recordOperations();
    fib.tablesFollowed();
    await fib.flush();
    expect([over(1, 1), over(2, 1), over(3, 1)]).toEqual([[3], [1], [1]]);
    expect(operations.filter(({ kind }) => kind === 'set-next-hop')).toHaveLength(1);
    expect(operations.findIndex(({ kind }) => kind === 'set-next-hop')).toBeGreaterThan(
      operations.findLastIndex(({ kind }) => kind === 'set-group' || kind === 'set-route'),
    );
  });

  it('told after the tables were asked for another waits for the next time', async () => {
    const { fib, over } = await started();
    fib.neighbourFailed(...LINK_1);
    fib.tablesFollowed();
    fib.neighbourFailed(...neighbour(2));
    await fib.flush();
    expect([over(1, 1), over(1, 2)]).toEqual([[1], [3]]);
    fib.tablesFollowed();
    await fib.flush();
    expect(over(1, 2)).toEqual([2]);
  });

  it('waits with that for the rest of an event', async () => {
    const { fib, over } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    fib.tablesFollowed();
    fib.moreToCome(true);
    await new Promise<void>((done) => setImmediate(done));
    expect(over(1, 1)).toEqual([2]);
    fib.moreToCome(false);
    await fib.flush();
    expect(over(1, 1)).toEqual([1]);
  });

  it.each(['before it is written', 'behind it'])('and then the link: %s', async (when) => {
    const { tables, fib, over } = await started();
    fib.neighbourFailed(...LINK_1);
    if (when === 'behind it') await fib.flush();
    tables.setLink(1, false);
    fib.linkDown(1);
    await fib.flush();
    expect(over(1, 1)).not.toContain(1);
    expect(over(1, 1)).not.toEqual([]);
    tables.setLink(1, true);
    fib.linkUp(1);
    fib.neighbourBack(...LINK_1);
    await fib.flush();
    expect(LINKS.map((link) => over(1, link))).toEqual([[1], [2], [3], [4]]);
  });

  it('leaves no next hop of another place to a daemon that starts meanwhile', async () => {
    const { tables, fib } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    await fib.stop({ keep: true });
    const next = await started(tables);
    for (const origin of [1, 2, 3]) for (const link of LINKS) expect(next.over(origin, link)).toEqual([link]);
    await next.fib.sweep();
    const { nextHops } = await tables.dump('next-hops');
    expect(nextHops.map(({ interfaceIndex }) => interfaceIndex).sort()).toEqual(LINKS);
  });

  it('that cannot be written costs one next hop, which is made again', async () => {
    const { tables, fib, over } = await started();
    tables.injectFailures((operation) =>
      operation.kind === 'set-next-hop' && operation.replace ? { code: 'ENOBUFS', message: 'no room' } : undefined,
    );
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    tables.injectFailures(undefined);
    expect(over(1, 1)).toEqual([1]);
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    expect(over(1, 1)).toEqual([2]);
  });

  it('is forgotten with the object that another program deletes', async () => {
    const { tables, fib, over, messages } = await started();
    fib.neighbourFailed(...LINK_1);
    await fib.flush();
    const { nextHops } = await tables.dump('next-hops');
    tables.deleteNextHopOutside(Math.min(...nextHops.map(({ id }) => id)));
    await fib.flush();
    expect(over(1, 1)).toEqual([1]);
    tables.loseEvents();
    await fib.flush();
    expect(messages.filter((text) => text.includes('gone'))).toEqual([]);
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
