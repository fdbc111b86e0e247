/** What the plane does with a packet, against the memory kernel, which does what Linux does: the same way, or left to it. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { MemoryKernelTables } from '../fib/memory-tables.js';
import { GROUP_IDS, NEXT_HOP_IDS } from '../fib/ownership.js';
import { type Address, parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import type { KernelOperation } from '../ports/kernel-tables.js';
import { frameOf, PlaneOnPaper, QUALITY } from './plane.fixture.js';
import { PlaneMirror } from './plane-mirror.js';
import { MOST_PORTS, type PlaneSizes } from './tables.js';

const SIZES = { prefixes: 16, classes: 4, flowsets: 256 };
const LINKS = [11, 12, 13];
const gateway = (link: number): Address => parseAddress(`fe80::${link}`)!;
const PREFIXES = ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1::/64'].map((text) => parsePrefix(text)!);
const TARGETS = ['2001:db8:1::1', '2001:db8:1:2::1', '2001:db8:9::1'];

function linkOf(index: number, up = true, mtu = 9000) {
  const mac = Uint8Array.of(2, 0, 0, 0, 1, index);
  return { index, name: `l${index}`, adminUp: true, carrier: up, mac, mtu, addresses: [] };
}

/** A plane that is kept as the memory kernel is. */
class World {
  readonly kernel = new MemoryKernelTables();
  readonly paper = new PlaneOnPaper({ ...QUALITY, mode: 'per-packet', hook: 'tc' }, 0, false);
  readonly mirror: PlaneMirror;

  constructor(sizes: PlaneSizes = SIZES) {
    this.mirror = new PlaneMirror(this.paper.writer, sizes);
    this.mirror.aliveUntil(2n ** 62n);
    for (const index of LINKS) {
      this.setLink(index, true);
      this.mirror.neighbour(index, gateway(index), Uint8Array.of(2, 0, 0, 0, 2, index));
    }
    this.kernel.watch((event) => this.mirror.kernelEvent(event));
  }

  async apply(...operations: KernelOperation[]): Promise<void> {
    const failures = await this.kernel.apply(operations);
    const failed = new Set(failures.map(({ operation }) => operation));
    for (const operation of operations) if (!failed.has(operation)) this.mirror.applied(operation);
  }

  setLink(index: number, up: boolean): void {
    this.kernel.setLink(index, up);
    this.mirror.linkEvent({ kind: 'link', link: linkOf(index, up) });
  }

  /** Interface that the plane sends a packet out by. */
  way(destination: string): number | undefined {
    return this.paper.send(frameOf({ destination })).redirectedTo;
  }

  kernelWays(destination: string): number[] {
    return this.kernel.lookup(parseAddress(destination)!).map(({ interfaceIndex }) => interfaceIndex);
  }
}

const nextHop = (n: number, replace = false): KernelOperation => ({
  ...{ kind: 'set-next-hop', id: NEXT_HOP_IDS + n, interfaceIndex: LINKS[n % 3]!, gateway: gateway(LINKS[n % 3]!) },
  replace,
});
const group = (n: number, members: readonly number[], replace = false): KernelOperation => ({
  ...{
    kind: 'set-group',
    id: GROUP_IDS + n,
    members: members.map((m) => ({ id: NEXT_HOP_IDS + m, weight: 1 })),
    replace,
  },
});
const route = (prefix: number, metric: number, to: number, replace = false): KernelOperation => ({
  ...{ kind: 'set-route', prefix: PREFIXES[prefix]!, metric, nextHop: GROUP_IDS + to, replace },
});

const noRoute = (prefix: number, metric: number): KernelOperation => ({
  ...{ kind: 'delete-route', prefix: PREFIXES[prefix]!, metric },
});

/** The first link before the others, for the longest prefix. */
async function dpf(sizes?: PlaneSizes): Promise<World> {
  const world = new World(sizes);
  await world.apply(nextHop(0), nextHop(1), nextHop(2), group(1, [0]), group(2, [1, 2]));
  await world.apply(route(2, 20, 1), route(2, 30, 2));
  return world;
}

describe('the plane, kept as the kernel is', () => {
  it('sends by the primary, and after its link by the others, without anything written for prefixes', async () => {
    const world = await dpf();
    expect(world.way(TARGETS[0]!)).toBe(11);
    world.setLink(11, false);
    expect(new Set([1, 2, 3, 4].map(() => world.way(TARGETS[0]!)))).toEqual(new Set([12, 13]));
    expect(world.kernelWays(TARGETS[0]!)).toEqual([12, 13]);
  });

  it('does not go back to a link that is up again before the kernel does', async () => {
    const world = await dpf();
    world.setLink(11, false);
    world.setLink(11, true);
    expect(world.way(TARGETS[0]!)).not.toBe(11);
    await world.apply(nextHop(3), group(3, [3]), route(2, 20, 3));
    expect(world.way(TARGETS[0]!)).toBe(11);
  });

  it('leaves to the kernel what others have: their own addresses, longer prefixes, lower metrics', async () => {
    const world = await dpf();
    const others = [
      { prefix: parsePrefix('2001:db8:1::1/128')!, local: true, metric: 0 },
      { prefix: PREFIXES[2]!, local: false, metric: 5 },
    ];
    for (const other of others) {
      world.mirror.addOther(other);
      expect(world.way(TARGETS[0]!)).toBeUndefined();
      expect(world.paper.lastReason()).toBe('other-route');
      world.mirror.removeOther(other);
      expect(world.way(TARGETS[0]!)).toBe(11);
    }
    world.mirror.replaceOthers([{ prefix: PREFIXES[2]!, local: false, metric: 1024 }]);
    expect(world.way(TARGETS[0]!)).toBe(11);
    world.mirror.replaceOthers([{ prefix: PREFIXES[2]!, local: false, metric: 19 }]);
    expect(world.way(TARGETS[0]!)).toBeUndefined();
    world.mirror.replaceOthers([]);
    expect(world.way(TARGETS[0]!)).toBe(11);
  });

  it('leaves packets to the kernel while a neighbour is not resolved, and follows one that moves', async () => {
    const world = await dpf();
    world.mirror.neighbour(11, gateway(11), undefined);
    expect(world.way(TARGETS[0]!)).toBeUndefined();
    expect(world.paper.lastReason()).toBe('unresolved');
    const moved = Uint8Array.of(2, 9, 9, 9, 9, 9);
    world.mirror.neighbour(11, gateway(11), moved);
    expect(world.paper.send(frameOf()).frame.subarray(0, 6)).toEqual(moved);
    expect(world.mirror.ports()[0]).toMatchObject({ number: 0, interfaceIndex: 11, usable: true, resolved: true });
  });

  it('forgets an interface that is deleted, and takes its name’s successor for another', async () => {
    const world = await dpf();
    world.mirror.linkEvent({ kind: 'link-deleted', index: 11, name: 'l11' });
    expect([12, 13]).toContain(world.way(TARGETS[0]!));
    world.mirror.linkEvent({ kind: 'link', link: { ...linkOf(21), name: 'l11' } });
    expect([12, 13]).toContain(world.way(TARGETS[0]!));
  });

  it('leaves to the kernel the prefixes that it has no room for, and those above them, until there is', async () => {
    const world = await dpf({ ...SIZES, prefixes: 2 });
    await world.apply(route(0, 20, 1));
    expect(TARGETS.map((target) => world.way(target))).toEqual([11, 11, 11]);
    await world.apply(route(1, 20, 2));
    expect(world.mirror.overflow).toEqual({ prefixes: 1, classes: 0, ports: 0 });
    // The longest has its place still; the shortest has that of the one that is missing below it.
    expect(TARGETS.map((target) => world.way(target))).toEqual([11, undefined, undefined]);
    await world.apply(noRoute(2, 20), noRoute(2, 30));
    expect(world.mirror.overflow.prefixes).toBe(0);
    expect([12, 13]).toContain(world.way(TARGETS[0]!));
    expect(world.way(TARGETS[2]!)).toBe(11);
  });

  it('leaves to the kernel what is of a class that it has no room for, until there is', async () => {
    const world = await dpf({ ...SIZES, classes: 1 });
    await world.apply(route(0, 20, 1));
    expect(world.mirror.overflow).toEqual({ prefixes: 0, classes: 1, ports: 0 });
    expect(TARGETS.map((target) => world.way(target))).toEqual([11, undefined, undefined]);
    await world.apply(noRoute(2, 30));
    expect(world.mirror.overflow.classes).toBe(0);
    expect(TARGETS.map((target) => world.way(target))).toEqual([11, 11, 11]);
  });

  it('leaves to the kernel what goes by a port that it has no room for, until there is', async () => {
    const world = await dpf();
    const portOf = (n: number): KernelOperation => ({
      ...{ kind: 'set-next-hop', id: NEXT_HOP_IDS + 100 + n, interfaceIndex: 11, gateway: gateway(100 + n) },
      replace: false,
    });
    // Three are there already.
    const more = Array.from({ length: MOST_PORTS - 2 }, (_, n) => portOf(n));
    await world.apply(...more, group(9, [100 + MOST_PORTS - 3]), route(0, 20, 9));
    world.mirror.neighbour(11, gateway(100 + MOST_PORTS - 3), Uint8Array.of(2, 0, 0, 0, 3, 3));
    expect(world.mirror.overflow).toEqual({ prefixes: 0, classes: 0, ports: 1 });
    expect(TARGETS.map((target) => world.way(target))).toEqual([11, undefined, undefined]);
    await world.apply({ kind: 'delete-next-hop', id: NEXT_HOP_IDS + 100 });
    expect(world.mirror.overflow.ports).toBe(0);
    expect(TARGETS.map((target) => world.way(target))).toEqual([11, 11, 11]);
  });

  it('takes over what is there, and forgets what is not, from a snapshot', async () => {
    const world = await dpf();
    const fresh = new World();
    fresh.mirror.resync(await world.kernel.dump('everything'), true);
    expect(fresh.way(TARGETS[0]!)).toBe(11);
    expect([fresh.mirror.prefixes, fresh.mirror.classes]).toEqual([1, 1]);
    fresh.mirror.resync(await world.kernel.dump('next-hops'), false);
    expect(fresh.way(TARGETS[0]!)).toBe(11);
    fresh.mirror.resync({ nextHops: [], groups: [], routes: [], foreign: [] }, true);
    expect(fresh.way(TARGETS[0]!)).toBeUndefined();
    expect([fresh.mirror.prefixes, fresh.mirror.classes, fresh.mirror.ports()]).toEqual([0, 0, []]);
  });

  /** Numbers stand for objects; one that is made anew gets an id that was never used, as the FIB does it. */
  type Step =
    | { readonly kind: 'next-hop' | 'delete-next-hop' | 'delete-group'; readonly n: number; readonly replace: boolean }
    | { readonly kind: 'group'; readonly n: number; readonly members: readonly number[]; readonly replace: boolean }
    | { readonly kind: 'route' | 'delete-route'; readonly prefix: number; readonly metric: number; readonly n: number }
    | { readonly kind: 'link'; readonly n: number; readonly replace: boolean };
  const small = (max: number) => fc.integer({ min: 0, max });
  const object = { n: small(2), replace: fc.boolean() };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constantFrom('next-hop', 'delete-next-hop', 'delete-group', 'link', 'link'), ...object }),
    fc.record({
      ...{ kind: fc.constant('group' as const), members: fc.uniqueArray(small(2), { minLength: 1 }) },
      ...object,
    }),
    fc.record({
      kind: fc.constantFrom('route', 'route', 'route', 'delete-route'),
      ...{ prefix: small(2), metric: fc.constantFrom(20, 30), n: small(2) },
    }),
  );

  /** Turns steps into operations with ids. */
  class Driver {
    private last = 100;
    private readonly nextHops = [0, 1, 2];
    private readonly groups = [0, 1, 2];

    operationOf(one: Exclude<Step, { kind: 'link' }>): KernelOperation {
      switch (one.kind) {
        case 'next-hop':
          if (!one.replace) this.nextHops[one.n] = this.fresh(one.n);
          return nextHop(this.nextHops[one.n]!, one.replace);
        case 'delete-next-hop':
          return { kind: 'delete-next-hop', id: NEXT_HOP_IDS + this.nextHops[one.n]! };
        case 'delete-group':
          return { kind: 'delete-next-hop', id: GROUP_IDS + this.groups[one.n]! };
        case 'group':
          if (!one.replace) this.groups[one.n] = this.fresh(0);
          return group(
            this.groups[one.n]!,
            one.members.map((member) => this.nextHops[member]!),
            one.replace,
          );
        case 'route':
          return route(one.prefix, one.metric, this.groups[one.n]!, one.n > 0);
        case 'delete-route':
          return { kind: 'delete-route', prefix: PREFIXES[one.prefix]!, metric: one.metric };
      }
    }

    /** The link of a next hop is its id modulo three. */
    private fresh(n: number): number {
      this.last += 3;
      return this.last - (this.last % 3) + n;
    }
  }

  it.each([
    ['with room for all', SIZES],
    ['with room for little', { ...SIZES, prefixes: 2, classes: 2 }],
  ])('goes the ways of the kernel, whatever is written and whichever link fails, %s', async (_, sizes) => {
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
        const world = new World(sizes);
        const driver = new Driver();
        await world.apply(nextHop(0), nextHop(1), nextHop(2), group(0, [0]), group(1, [1, 2]), group(2, [0, 1, 2]));
        for (const one of steps) {
          if (one.kind === 'link') world.setLink(LINKS[one.n]!, one.replace);
          else await world.apply(driver.operationOf(one));
          for (const target of TARGETS) {
            const way = world.way(target);
            if (way === undefined) continue;
            sent++;
            expect(world.kernelWays(target)).toContain(way);
          }
        }
      }),
      { numRuns: 20, seed: 3 },
    );
    expect(sent).toBeGreaterThan(150);
  });
});
