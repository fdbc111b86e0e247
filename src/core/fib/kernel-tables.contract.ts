/**
 * What every implementation of KernelTables must do, as one table of cases. The memory tables run it as a unit test, the
 * Linux tables in a network namespace: so what the memory tables imitate is what the kernel does.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Address, parseAddress } from '../net/address.js';
import { formatPrefix, type Prefix, parsePrefix } from '../net/prefix.js';
import type {
  KernelEvent,
  KernelNextHop,
  KernelOperation,
  KernelRoute,
  KernelSnapshot,
  KernelTables,
  NextHopId,
  ResilientParameters,
} from '../ports/kernel-tables.js';
import { GROUP_IDS, NEXT_HOP_IDS, ROUTE_PROTOCOL } from './ownership.js';

/** The world around the tables of one case: at least four links, all up, 192.0.2.0/24 on the first; nothing of ours in the tables. */
export interface TablesUnderTest {
  readonly tables: KernelTables;
  /** Interface indexes. */
  readonly links: readonly number[];
  setLink(interfaceIndex: number, up: boolean): Promise<void>;
  /** Another program deletes an object, a route of ours; replaces one, or adds one, by a route of its own over the first link. */
  deleteNextHop(id: NextHopId): void;
  deleteRoute(route: KernelRoute): void;
  replaceRoute(prefix: Prefix, metric: number): void;
  changeNextHop(nextHop: KernelNextHop): void;
  /** `protocol` is that of static routes when absent. */
  addForeignRoute(prefix: Prefix, metric: number, protocol?: number): void;
  deleteForeignRoute(prefix: Prefix, metric: number): void;
  addForeignNextHop(id: NextHopId): void;
  hasForeignRoute(prefix: Prefix, metric: number): boolean;
  close(): void;
}

const RESILIENT: ResilientParameters = { buckets: 16, idleTimer: 1, unbalancedTimer: 0 };
const STATIC = 4;
const V6 = prefix('2001:db8:1::/64');
const V4 = prefix('10.1.0.0/24');
const GROUP = GROUP_IDS + 1;
const OTHER_GROUP = GROUP_IDS + 2;
const LAST_GROUP = GROUP_IDS + 3;

export function kernelTablesContract(name: string, open: () => Promise<TablesUnderTest>): void {
  describe(`${name} as KernelTables`, () => {
    let world: TablesUnderTest;
    let events: KernelEvent[];

    beforeEach(async () => {
      world = await open();
      events = [];
      world.tables.watch((event) => events.push(event));
    });

    afterEach(() => world.close());

    const apply = (...operations: KernelOperation[]) => world.tables.apply(operations);

    /** Four next hops, one a link, and a group of `members` of them. */
    async function prepare(...members: number[]): Promise<void> {
      const failures = await apply(...world.links.slice(0, 4).map(nextHop), group(GROUP, members));
      expect(failures).toEqual([]);
    }

    /** Something that is told comes after all that could have been told before. */
    async function expectSilence(): Promise<void> {
      const last = prefix('2001:db8:ffff::/64');
      await apply(group(LAST_GROUP, [4]), route(last, 20, { group: LAST_GROUP }));
      world.deleteRoute({ prefix: last, metric: 20, nextHop: LAST_GROUP });
      await expect.poll(() => events).toContainEqual(routeDeleted(last, 20, LAST_GROUP));
      expect(events).toHaveLength(1);
    }

    it('takes next hops, groups and routes in one batch and dumps them', async () => {
      await prepare(1, 2, 3);
      expect(await apply(route(V6, 20), route(V6, 30), route(V4, 20))).toEqual([]);
      const snapshot = await world.tables.dump('everything');
      expect(snapshot.nextHops.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4].map((n) => NEXT_HOP_IDS + n));
      expect(snapshot.nextHops.find(({ id }) => id === NEXT_HOP_IDS + 2)).toEqual({
        id: NEXT_HOP_IDS + 2,
        interfaceIndex: world.links[1],
        gateway: gateway(2),
      });
      expect(snapshot.groups).toEqual([{ id: GROUP, members: members(1, 2, 3), resilient: RESILIENT }]);
      expect(described(snapshot)).toEqual(['10.1.0.0/24 20', '2001:db8:1::/64 20', '2001:db8:1::/64 30']);
      expect((await world.tables.dump('next-hops')).routes).toEqual([]);
    });

    it('replaces the members of a group in place, from one to several and back', async () => {
      await prepare(1);
      await apply(route(V6, 20));
      for (const set of [[2, 3, 4], [4], [1, 4]]) {
        expect(await apply(group(GROUP, set, { replace: true }))).toEqual([]);
        const snapshot = await world.tables.dump('everything');
        expect(snapshot.groups[0]?.members).toEqual(members(...set));
        expect(snapshot.routes).toHaveLength(1);
      }
    });

    it('replaces the members of a plain group too, and moves a route between groups of both kinds in place', async () => {
      await prepare(1);
      await apply(group(OTHER_GROUP, [1], { plain: true }), route(V6, 20, { group: OTHER_GROUP }));
      await apply(route(V4, 20, { group: OTHER_GROUP }));
      for (const set of [[2, 3, 4], [4], [1, 4]]) {
        expect(await apply(group(OTHER_GROUP, set, { replace: true, plain: true }))).toEqual([]);
        const { groups, routes } = await world.tables.dump('everything');
        expect(groups.find(({ id }) => id === OTHER_GROUP)).toEqual({ id: OTHER_GROUP, members: members(...set) });
        expect(routes.map(({ nextHop }) => nextHop)).toEqual([OTHER_GROUP, OTHER_GROUP]);
      }
      for (const to of [GROUP, OTHER_GROUP]) {
        const moves = [V6, V4].map((target) => route(target, 20, { group: to, replace: true }));
        expect(await apply(...moves)).toEqual([]);
        expect((await world.tables.dump('everything')).routes.map(({ nextHop }) => nextHop)).toEqual([to, to]);
      }
      await expectSilence();
    });

    it('points a next hop somewhere else, with its groups and their routes', async () => {
      await prepare(1, 2);
      await apply(route(V6, 20), route(V4, 20));
      const elsewhere = { id: NEXT_HOP_IDS + 1, interfaceIndex: world.links[2]!, gateway: gateway(3) };
      expect(await apply({ kind: 'set-next-hop', ...elsewhere, replace: true })).toEqual([]);
      const snapshot = await world.tables.dump('everything');
      expect(snapshot.nextHops.find(({ id }) => id === elsewhere.id)).toEqual(elsewhere);
      expect(snapshot.groups).toEqual([{ id: GROUP, members: members(1, 2), resilient: RESILIENT }]);
      expect(described(snapshot)).toEqual(['10.1.0.0/24 20', '2001:db8:1::/64 20']);
      await expectSilence();
    });

    it('loses a next hop that was pointed somewhere else with the link it leads over, and not with its first', async () => {
      await prepare(1);
      await apply(route(V6, 20), {
        ...{ kind: 'set-next-hop', id: NEXT_HOP_IDS + 1, interfaceIndex: world.links[1]!, gateway: gateway(2) },
        replace: true,
      });
      await world.setLink(world.links[0]!, false);
      expect((await world.tables.dump('everything')).routes).toHaveLength(1);
      await world.setLink(world.links[1]!, false);
      expect((await world.tables.dump('everything')).routes).toEqual([]);
      for (const link of world.links.slice(0, 2)) await world.setLink(link, true);
    });

    it('keeps weights', async () => {
      await prepare(1);
      const weighted = [
        { id: NEXT_HOP_IDS + 1, weight: 1 },
        { id: NEXT_HOP_IDS + 2, weight: 256 },
      ];
      await apply({ kind: 'set-group', id: GROUP, members: weighted, resilient: RESILIENT, replace: true });
      expect((await world.tables.dump('next-hops')).groups[0]?.members).toEqual(weighted);
    });

    it.each<[string, (links: readonly number[]) => KernelOperation, string]>([
      ['a next hop whose id is taken', (links) => nextHop(links[0]!, 0), 'EEXIST'],
      ['a group whose id is taken', () => group(GROUP, [1]), 'EEXIST'],
      ['replacing a group that is not there', () => group(OTHER_GROUP, [1], { replace: true }), 'ENOENT'],
      ['a group of a member that is not there', () => group(OTHER_GROUP, [9]), 'EINVAL'],
      ['a group without members', () => group(OTHER_GROUP, []), 'EINVAL'],
      ['another type of group', () => group(GROUP, [1, 2], { replace: true, plain: true }), 'EINVAL'],
      ['another number of buckets', () => group(GROUP, [1, 2], { replace: true, buckets: 32 }), 'EINVAL'],
      ['a route through a group that is not there', () => route(V6, 30, { group: OTHER_GROUP }), 'EINVAL'],
      ['an IPv6 route that is there', () => route(V6, 20), 'EEXIST'],
      ['an IPv4 route that is there', () => route(V4, 20), 'EEXIST'],
      ['replacing an IPv6 route that is not there', () => route(V6, 30, { replace: true }), 'ENOENT'],
      ['replacing an IPv4 route that is not there', () => route(V4, 30, { replace: true }), 'ENOENT'],
    ])('refuses %s', async (_, operation, code) => {
      await prepare(1, 2);
      await apply(route(V6, 20), route(V4, 20));
      const refused = operation(world.links);
      const after = prefix('2001:db8:2::/64');
      const failures = await apply(refused, route(after, 20));
      expect(failures).toHaveLength(1);
      expect(failures[0]?.operation).toBe(refused);
      expect(failures[0]?.code).toBe(code);
      expect(failures[0]?.message).not.toBe('');
      // The rest of the batch is not held up.
      expect(described(await world.tables.dump('everything'))).toContain('2001:db8:2::/64 20');
    });

    it('deletes what is not there without a complaint', async () => {
      await prepare(1);
      expect(
        await apply(
          { kind: 'delete-next-hop', id: OTHER_GROUP },
          { kind: 'delete-route', prefix: V6, metric: 20 },
          { kind: 'delete-route', prefix: V4, metric: 20 },
        ),
      ).toEqual([]);
    });

    it('replaces a route with one of the same metric only', async () => {
      await prepare(1);
      await apply(group(OTHER_GROUP, [2]), route(V6, 20), route(V6, 30), route(V4, 20), route(V4, 30));
      const moved = { group: OTHER_GROUP, replace: true };
      expect(await apply(route(V6, 30, moved), route(V4, 20, moved))).toEqual([]);
      const { routes } = await world.tables.dump('everything');
      const using = (group: NextHopId) => described({ routes: routes.filter(({ nextHop }) => nextHop === group) });
      expect(using(GROUP)).toEqual(['10.1.0.0/24 30', '2001:db8:1::/64 20']);
      expect(using(OTHER_GROUP)).toEqual(['10.1.0.0/24 20', '2001:db8:1::/64 30']);
    });

    it('deletes a group together with its routes', async () => {
      await prepare(1);
      await apply(group(OTHER_GROUP, [2]), route(V6, 20), route(V4, 20), route(V6, 30, { group: OTHER_GROUP }));
      await apply({ kind: 'delete-next-hop', id: GROUP });
      expect(described(await world.tables.dump('everything'))).toEqual(['2001:db8:1::/64 30']);
      await expectSilence();
    });

    it('loses the next hops of a link that goes down, groups left empty, and their routes', async () => {
      await prepare(1);
      await apply(group(OTHER_GROUP, [1, 2, 3]));
      await apply(route(V6, 20), route(V4, 20), route(V6, 30, { group: OTHER_GROUP }));
      await world.setLink(world.links[0]!, false);
      const snapshot = await world.tables.dump('everything');
      expect(snapshot.nextHops.map(({ id }) => id).sort()).toEqual([2, 3, 4].map((n) => NEXT_HOP_IDS + n));
      expect(snapshot.groups.map(({ id, members }) => ({ id, members }))).toEqual([
        { id: OTHER_GROUP, members: members(2, 3) },
      ]);
      expect(described(snapshot)).toEqual(['2001:db8:1::/64 30']);
      await expectSilence();
      expect((await apply(nextHop(world.links[0]!, 0)))[0]?.code).toBe('ENETDOWN');
      await world.setLink(world.links[0]!, true);
      expect((await world.tables.dump('next-hops')).nextHops).toHaveLength(3);
      expect(await apply(nextHop(world.links[0]!, 0))).toEqual([]);
    });

    it('tells of what another program deletes, and of nothing that it was asked for', async () => {
      await prepare(1);
      await apply(group(OTHER_GROUP, [2]), route(V6, 20), route(V4, 20), route(V6, 30, { group: OTHER_GROUP }));
      await apply({ kind: 'delete-route', prefix: V4, metric: 20 }, route(V4, 20));
      world.deleteRoute({ prefix: V6, metric: 20, nextHop: GROUP });
      world.deleteRoute({ prefix: V4, metric: 20, nextHop: GROUP });
      world.deleteNextHop(OTHER_GROUP);
      await expect.poll(() => events).toContainEqual({ kind: 'next-hop-deleted', id: OTHER_GROUP });
      await expect.poll(() => events).toContainEqual(routeDeleted(V6, 20));
      await expect.poll(() => events).toContainEqual(routeDeleted(V4, 20));
      expect(events).toHaveLength(3);
    });

    it.each([V6, V4])('tells of a route that another program replaced (%#)', async (taken) => {
      await prepare(1);
      await apply(route(taken, 20), route(taken, 30), route(taken, 20, { replace: true }));
      world.replaceRoute(taken, 20);
      await expect.poll(() => events).toEqual([{ kind: 'route-replaced', prefix: taken, metric: 20, nextHop: 0 }]);
      expect(described(await world.tables.dump('everything'))).toEqual([`${formatPrefix(taken)} 30`]);
      expect((await apply(route(taken, 20)))[0]?.code).toBe('EEXIST');
      expect(world.hasForeignRoute(taken, 20)).toBe(true);
    });

    it('tells of a next hop that another program changed by the routes that use it', async () => {
      await prepare(1, 2);
      await apply(route(V6, 20), route(V4, 30));
      world.changeNextHop({
        id: NEXT_HOP_IDS + 1,
        interfaceIndex: world.links[3]!,
        gateway: parseAddress('fe80::99')!,
      });
      const same = { kind: 'route-replaced', nextHop: GROUP };
      await expect.poll(() => events).toContainEqual({ ...same, prefix: V6, metric: 20 });
      await expect.poll(() => events).toContainEqual({ ...same, prefix: V4, metric: 30 });
    });

    it.each([V6, V4])('leaves a foreign route alone (%#)', async (collision) => {
      await prepare(1);
      world.addForeignRoute(collision, 20);
      expect((await apply(route(collision, 20)))[0]?.code).toBe('EEXIST');
      expect(await apply(route(collision, 30))).toEqual([]);
      await apply({ kind: 'delete-route', prefix: collision, metric: 20 });
      expect(world.hasForeignRoute(collision, 20)).toBe(true);
      expect((await world.tables.dump('everything')).routes).toHaveLength(1);
    });

    it.each([V6, V4])('tells of a foreign route with a metric of ours that goes away (%#)', async (collision) => {
      world.addForeignRoute(collision, 20);
      world.addForeignRoute(collision, 31);
      world.deleteForeignRoute(collision, 31);
      world.deleteForeignRoute(collision, 20);
      await expect.poll(() => events).toEqual([{ kind: 'foreign-route-gone', prefix: collision, metric: 20 }]);
    });

    it('lists what is foreign and has a metric, an id or the protocol number of ours', async () => {
      await prepare(1);
      expect(await apply(route(V6, 30))).toEqual([]);
      world.addForeignRoute(V6, 20);
      world.addForeignRoute(V4, 7, ROUTE_PROTOCOL);
      world.addForeignRoute(V4, 8);
      world.addForeignNextHop(NEXT_HOP_IDS + 99);
      const inTheWay = { kind: 'route', prefix: V6, metric: 20, protocol: STATIC };
      const underOurs = { kind: 'route', prefix: V4, metric: 7, protocol: ROUTE_PROTOCOL };
      const object = { kind: 'next-hop', id: NEXT_HOP_IDS + 99, protocol: STATIC };
      expect((await world.tables.dump('next-hops')).foreign).toEqual([object]);
      expect((await world.tables.dump('everything')).foreign).toMatchObject([object, underOurs]);
      const { foreign, routes } = await world.tables.dump('with-foreign');
      expect(foreign).toHaveLength(3);
      expect(foreign).toEqual(expect.arrayContaining([object, expect.objectContaining(underOurs)]));
      expect(foreign).toContainEqual(expect.objectContaining(inTheWay));
      expect(described({ routes })).toEqual(['2001:db8:1::/64 30']);
      expect((await apply(nextHop(world.links[0]!, 98)))[0]?.code).toBe('EEXIST');
    });

    describe('with an IPv4 gateway', () => {
      const gateway4 = parseAddress('192.0.2.7')!;
      const ipv4NextHop = (): KernelOperation => ({
        kind: 'set-next-hop',
        id: NEXT_HOP_IDS + 5,
        interfaceIndex: world.links[0]!,
        gateway: gateway4,
        replace: false,
      });

      it('takes it alone and beside IPv6 ones, for IPv4 routes only', async () => {
        await prepare(2);
        expect(await apply(ipv4NextHop(), group(OTHER_GROUP, [5]), group(LAST_GROUP, [5, 2]))).toEqual([]);
        expect(await apply(route(V4, 20, { group: OTHER_GROUP }), route(V4, 30, { group: LAST_GROUP }))).toEqual([]);
        const { nextHops, groups } = await world.tables.dump('everything');
        expect(nextHops.find(({ id }) => id === NEXT_HOP_IDS + 5)?.gateway).toEqual(gateway4);
        expect(groups.find(({ id }) => id === LAST_GROUP)?.members).toEqual(members(5, 2));
        for (const id of [OTHER_GROUP, LAST_GROUP])
          expect(await apply(route(V6, 20, { group: id }))).toMatchObject([{ code: 'EINVAL' }]);
      });

      it('lets none into a group while an IPv6 route uses it', async () => {
        await prepare(2);
        await apply(ipv4NextHop(), route(V6, 20), route(V4, 20));
        const change = group(GROUP, [5, 2], { replace: true });
        expect(await apply(change)).toMatchObject([{ code: 'EINVAL' }]);
        expect(await apply({ kind: 'delete-route', prefix: V6, metric: 20 }, change)).toEqual([]);
        expect(described(await world.tables.dump('everything'))).toEqual(['10.1.0.0/24 20']);
      });

      it('loses it with its link, like any other', async () => {
        await prepare(2);
        await apply(ipv4NextHop(), group(OTHER_GROUP, [5]), group(LAST_GROUP, [5, 2]));
        await apply(route(V4, 20, { group: OTHER_GROUP }), route(V4, 30, { group: LAST_GROUP }));
        await world.setLink(world.links[0]!, false);
        const snapshot = await world.tables.dump('everything');
        expect(snapshot.groups.find(({ id }) => id === LAST_GROUP)?.members).toEqual(members(2));
        expect(described(snapshot)).toEqual(['10.1.0.0/24 30']);
        await world.setLink(world.links[0]!, true);
      });
    });

    it('takes a default route of each family', async () => {
      await prepare(1);
      expect(await apply(route(prefix('::/0'), 20), route(prefix('0.0.0.0/0'), 20))).toEqual([]);
      expect(described(await world.tables.dump('everything'))).toEqual(['0.0.0.0/0 20', '::/0 20']);
    });
  });
}

function prefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed) throw new Error(`not a prefix: ${text}`);
  return parsed;
}

function gateway(n: number): Address {
  return parseAddress(`fe80::${n}`)!;
}

function nextHop(interfaceIndex: number, place: number): KernelOperation {
  return {
    kind: 'set-next-hop',
    id: NEXT_HOP_IDS + place + 1,
    interfaceIndex,
    gateway: gateway(place + 1),
    replace: false,
  };
}

function members(...places: number[]): { id: NextHopId; weight: number }[] {
  return places.map((n) => ({ id: NEXT_HOP_IDS + n, weight: 1 }));
}

function group(
  id: NextHopId,
  places: readonly number[],
  { replace = false, plain = false, buckets = RESILIENT.buckets } = {},
): KernelOperation {
  const resilient = plain ? {} : { resilient: { ...RESILIENT, buckets } };
  return { kind: 'set-group', id, members: members(...places), replace, ...resilient };
}

function route(target: Prefix, metric: number, { group = GROUP, replace = false } = {}): KernelOperation {
  return { kind: 'set-route', prefix: target, metric, nextHop: group, replace };
}

function routeDeleted(target: Prefix, metric: number, nextHop = GROUP): KernelEvent {
  return { kind: 'route-deleted', prefix: target, metric, nextHop };
}

function described({ routes }: Pick<KernelSnapshot, 'routes'>): string[] {
  return routes.map(({ prefix, metric }) => `${formatPrefix(prefix)} ${metric}`).sort();
}
