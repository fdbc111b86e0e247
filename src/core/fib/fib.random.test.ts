/** Whatever happens, in whatever order, also while requests are on their way: in the end the kernel has what is wanted. */

import { describe, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { parseAddress } from '../net/address.js';
import { formatPrefix, parsePrefix } from '../net/prefix.js';
import type { KernelFailure, KernelOperation } from '../ports/kernel-tables.js';
import { Fib } from './fib.js';
import { TIER_METRICS, TIERS } from './forwarding-objects.js';
import { MemoryKernelTables } from './memory-tables.js';
import type { FibNextHop } from './types.js';

const LINKS = [1, 2, 3, 4];
const PREFIXES = ['2001:db8:1::/64', '2001:db8:2::/64', '2001:db8:2::/48', '10.1.0.0/24', '10.2.0.0/24', '::/0'].map(
  (text) => parsePrefix(text)!,
);

/** Answers one turn of the event loop after the kernel has acted. */
class LateTables extends MemoryKernelTables {
  override async apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]> {
    const failures = await super.apply(operations);
    await new Promise(setImmediate);
    return failures;
  }
}

interface Wanted {
  readonly primary: readonly number[];
  readonly fallback: readonly number[];
}

/** `news` false: the link changes and the daemon hears of it only later. */
type Step =
  | { kind: 'want'; place: number; wanted: Wanted; colour: number }
  | { kind: 'want-all'; wanted: Wanted; colour: number }
  | { kind: 'unwant'; place: number }
  | { kind: 'link'; link: number; up: boolean; news: boolean }
  | { kind: 'turn' | 'flush' | 'overrun' | 'sweep' }
  | { kind: 'delete-route'; place: number; tier: number }
  /** In silence: as if the event was lost. */
  | { kind: 'delete-object'; pick: number; silent: boolean }
  | { kind: 'restart' };

const place = fc.nat(PREFIXES.length - 1);
const links = fc.subarray(LINKS);
const wanted = fc.record({ primary: links, fallback: links }) satisfies fc.Arbitrary<Wanted>;
const colour = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('want' as const), place, wanted, colour }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('want-all' as const), wanted, colour }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unwant' as const), place }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      link: fc.constantFrom(...LINKS),
      up: fc.boolean(),
      news: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('turn' as const, 'turn' as const, 'flush' as const, 'sweep' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('overrun' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete-route' as const), place, tier: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete-object' as const), pick: fc.nat(), silent: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

const via = (numbers: readonly number[]): FibNextHop[] =>
  numbers.map((link) => ({ interfaceIndex: link, gateway: parseAddress(`fe80::${link}`)! }));

class World {
  private readonly tables = new LateTables();
  private fib = this.newFib();
  private readonly wanted = new Map<number, Wanted>();
  private readonly down = new Set<number>();
  private alarms: (() => void)[] = [];

  private newFib(): Fib {
    const clock = {
      now: () => 0,
      schedule: (_: number, wake: () => void) => {
        this.alarms.push(wake);
        return () => {
          this.alarms = this.alarms.filter((alarm) => alarm !== wake);
        };
      },
      yield: (work: () => void) => void setImmediate(work),
    };
    return new Fib({ tables: this.tables, clock, log: { write: () => {} }, config: { buckets: 8, idleTimer: 1 } });
  }

  async start(): Promise<void> {
    for (const link of this.down) this.fib.linkDown(link);
    await this.fib.start();
  }

  async run(one: Step): Promise<void> {
    switch (one.kind) {
      case 'want':
        return this.want(one.place, one.wanted, one.colour);
      case 'want-all':
        for (const number of PREFIXES.keys()) this.want(number, one.wanted, one.colour);
        return;
      case 'unwant':
        this.wanted.delete(one.place);
        return this.fib.unwant(PREFIXES[one.place]!);
      case 'link':
        return this.setLink(one.link, one.up, one.news);
      case 'turn':
        await new Promise(setImmediate);
        return;
      case 'flush':
        return this.fib.flush();
      case 'sweep':
        return this.fib.sweep();
      case 'overrun':
        return this.tables.loseEvents();
      case 'delete-route':
        return this.tables.deleteRouteOutside(PREFIXES[one.place]!, TIER_METRICS[one.tier]!);
      case 'delete-object':
        return this.deleteObject(one.pick, one.silent);
      case 'restart':
        return this.restart();
    }
  }

  /** The end: all news arrive, everything is written, what is unwanted is swept, failures are tried again. */
  async settle(): Promise<void> {
    for (const link of LINKS) this.tell(link);
    await this.fib.sweep();
    for (let round = 0; round < 3; round++) {
      for (const wake of this.alarms.splice(0)) wake();
      await this.fib.flush();
    }
  }

  /** What is wrong in the kernel; empty when it is as wanted. */
  async differences(): Promise<string[]> {
    const { routes, groups, nextHops } = await this.tables.dump('everything');
    const membersOf = new Map(groups.map(({ id, members }) => [id, members.map((member) => member.id)]));
    const linkOf = new Map(nextHops.map(({ id, interfaceIndex }) => [id, interfaceIndex]));
    const found = routes.map(({ prefix, metric, nextHop }) => {
      const used = (membersOf.get(nextHop) ?? []).map((id) => linkOf.get(id)).sort();
      return `${formatPrefix(prefix)} ${metric} ${used.join(',')}`;
    });
    const expected = [...this.wanted].flatMap(([number, sets]) => this.expected(number, sets));
    const idle = [...linkOf.keys()].filter((id) => ![...membersOf.values()].some((members) => members.includes(id)));
    const unused = groups.filter(({ id }) => !routes.some(({ nextHop }) => nextHop === id));
    return [
      ...found.filter((line) => !expected.includes(line)).map((line) => `unwanted: ${line}`),
      ...expected.filter((line) => !found.includes(line)).map((line) => `missing: ${line}`),
      ...idle.map((id) => `idle next hop ${id}`),
      ...unused.map(({ id }) => `unused group ${id}`),
      ...(this.fib.counters.routes === routes.length ? [] : [`counts ${this.fib.counters.routes} routes`]),
    ];
  }

  async stop(): Promise<string[]> {
    await this.fib.stop({ keep: false });
    const { routes, groups, nextHops } = await this.tables.dump('everything');
    return routes.length + groups.length + nextHops.length > 0 ? ['something was left at stop'] : [];
  }

  private expected(number: number, { primary, fallback }: Wanted): string[] {
    const tiers = primary.length > 0 ? [primary, fallback] : [fallback, []];
    return TIERS.flatMap((tier) => {
      const used = tiers[tier]!.filter((link) => !this.down.has(link)).sort();
      return used.length > 0 ? [`${formatPrefix(PREFIXES[number]!)} ${TIER_METRICS[tier]} ${used.join(',')}`] : [];
    });
  }

  private want(number: number, sets: Wanted, colourValue: number): void {
    const { primary, fallback } = sets;
    if (primary.length + fallback.length === 0) this.wanted.delete(number);
    else this.wanted.set(number, sets);
    const entry = { prefix: PREFIXES[number]!, primary: via(primary), fallback: via(fallback) };
    this.fib.want({ ...entry, origin: 65001, colour: colourValue });
  }

  private async deleteObject(pick: number, silent: boolean): Promise<void> {
    const { nextHops, groups } = await this.tables.dump('next-hops');
    const ids = [...nextHops, ...groups].map(({ id }) => id);
    const id = ids[pick % ids.length];
    if (id === undefined) return;
    if (silent) await this.tables.apply([{ kind: 'delete-next-hop', id }]);
    else this.tables.deleteNextHopOutside(id);
  }

  private setLink(link: number, up: boolean, news: boolean): void {
    if (up) this.down.delete(link);
    else this.down.add(link);
    this.tables.setLink(link, up);
    if (news) this.tell(link);
    else setImmediate(() => this.tell(link));
  }

  /** The daemon may hear of a link that went down and up again as one change only: then it hears both. */
  private tell(link: number): void {
    this.fib.linkDown(link);
    if (!this.down.has(link)) this.fib.linkUp(link);
  }

  /** Killed and started again; the RIB learns the same routes anew. */
  private async restart(): Promise<void> {
    await this.fib.stop({ keep: true });
    this.fib = this.newFib();
    await this.start();
    for (const [number, { primary, fallback }] of this.wanted) {
      this.fib.want({ prefix: PREFIXES[number]!, primary: via(primary), fallback: via(fallback), origin: 65001 });
    }
  }
}

describe('Fib under random events', () => {
  it('ends with the kernel as wanted, and with nothing after stop', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = new World();
        await world.start();
        for (const one of steps) await world.run(one);
        await world.settle();
        const differences = [...(await world.differences()), ...(await world.stop())];
        if (differences.length > 0) throw new Error(differences.join('\n'));
      }),
      { numRuns: 300 },
    );
  });
});
