/** Neighbours given by their addresses, as whole routers on virtual time. */
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../core/net/address.js';
import { formatPrefix, parsePrefix } from '../core/net/prefix.js';
import type { Policy } from '../core/policy/policy.js';
import type { NeighbourConfig, SpeakerConfig } from '../core/speaker/config.js';
import { commandNeighbours } from '../core/speaker/neighbour-commands.js';
import { router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;
const ALL: Policy = { name: 'all', terms: [{ name: '1', match: {}, set: {}, action: 'accept' }] };
const address = (text: string) => parseAddress(text)!;
const prefix = (text: string) => ({ prefix: parsePrefix(text)! });

function to(text: string, changes: Partial<NeighbourConfig> = {}): NeighbourConfig {
  return {
    name: text,
    address: address(text),
    acceptRemoteAs: [{ kind: 'external' }],
    sendColour: true,
    aigp: true,
    importPolicy: [ALL],
    exportPolicy: [ALL],
    ...changes,
  };
}

const BOTH: Partial<SpeakerConfig> = { families: ['ipv6-unicast', 'ipv4-unicast'] };
const LEFT = { ...BOTH, advertise: [prefix('2001:db8:a::/48'), prefix('203.0.113.0/24')] };
const RIGHT = { ...BOTH, advertise: [prefix('2001:db8:b::/48'), prefix('198.51.100.0/24')] };

/** a -- m -- b, where m is a router without BGP; each wire has a subnet of either family. */
async function line(a: SpeakerConfig, b: SpeakerConfig): Promise<VirtualFabric> {
  const fabric = new VirtualFabric(
    {
      routers: [
        { name: 'a', config: a },
        { name: 'b', config: b },
      ],
      hosts: ['m'],
      wires: [
        { a: { node: 'a', interface: 'direct' }, b: { node: 'b', interface: 'direct' } },
        { a: { node: 'a', interface: 'eth0' }, b: { node: 'm', interface: 'eth0' } },
        { a: { node: 'b', interface: 'eth0' }, b: { node: 'm', interface: 'eth1' } },
      ],
    },
    { seed: 3, delay: 0.01, log: () => ({ write: () => {} }) },
  );
  await fabric.start();
  fabric.raiseLinks();
  const give = (node: string, link: string, text: string, length: number) =>
    fabric.node(node).links.byName(link)!.addAddress(address(text), length);
  for (const [node, last] of [
    ['a', 1],
    ['b', 2],
  ] as const) {
    give(node, 'direct', `2001:db8::${last}`, 64);
    give(node, 'direct', `192.0.2.${last}`, 24);
  }
  give('a', 'eth0', '2001:db8:1::1', 64);
  give('m', 'eth0', '2001:db8:1::f', 64);
  give('b', 'eth0', '2001:db8:2::1', 64);
  give('m', 'eth1', '2001:db8:2::f', 64);
  return fabric;
}

const routeTo = (fabric: VirtualFabric, node: string, text: string, gateway: string) =>
  fabric
    .node(node)
    .reachability.put(
      { prefix: parsePrefix(text)!, metric: 1, hops: [{ interfaceIndex: 2, gateway: address(gateway) }] },
      false,
    );

const owner = (fabric: VirtualFabric, node: string) => fabric.node(node).speaker!.configured.all[0]!;
const state = (fabric: VirtualFabric, node: string) => owner(fabric, node).session?.summary().state;

/** Prefix and next hop of what a node has learned and can use. */
function learned(fabric: VirtualFabric, node: string): string[] {
  const { rib } = fabric.node(node).speaker!.engine;
  return [...rib.prefixIds()]
    .map((id) => rib.selection(id))
    .filter(({ best }) => best && !best.local)
    .map(({ best, prefix: of }) => `${formatPrefix(of)} via ${formatAddress(best!.gateway!)} ${best!.interfaceName}`)
    .sort();
}

describe('a neighbour on a subnet of ours', () => {
  it('has a session from our address there, and routes of both families have next hops of the session', async () => {
    const fabric = await line(
      router('a', 65001, { ...LEFT, neighbours: [to('2001:db8::2')] }),
      router('b', 65002, { ...RIGHT, neighbours: [to('2001:db8::1')] }),
    );
    await fabric.clock.runUntil(5 * SECOND);
    expect(state(fabric, 'a')).toBe('established');
    expect(formatAddress(owner(fabric, 'a').session!.place.local)).toBe('2001:db8::1');
    expect([1, 2, 3].map((index) => fabric.node('a').speaker!.configured.interfaceName(index))).toEqual([
      'direct',
      'eth0',
      undefined,
    ]);
    expect(learned(fabric, 'a')).toEqual([
      '198.51.100.0/24 via 2001:db8::2 direct',
      '2001:db8:b::/48 via 2001:db8::2 direct',
    ]);
  });

  it('keeps its session when another address of the subnet comes to stand before ours, and loses it with ours', async () => {
    const fabric = await line(
      router('a', 65001, { ...LEFT, neighbours: [to('2001:db8::2')] }),
      router('b', 65002, { ...RIGHT, neighbours: [to('2001:db8::1')] }),
    );
    await fabric.clock.runUntil(5 * SECOND);
    const { session } = owner(fabric, 'a');
    const direct = fabric.node('a').links.byName('direct')!;
    direct.addAddress(address('2001:db8::9'), 64);
    const addresses = [...direct.state.addresses].reverse();
    expect(owner(fabric, 'a').linksChanged([{ ...direct.state, addresses }])).toBe(false);
    expect(owner(fabric, 'a').session).toBe(session);
    expect(state(fabric, 'a')).toBe('established');
    direct.deleteAddress(address('2001:db8::1'));
    expect(formatAddress(owner(fabric, 'a').session!.place.local)).toBe('2001:db8::9');
  });

  it('over IPv4 is told IPv4 routes with an IPv4 next hop, and IPv6 routes with the IPv6 addresses of the link', async () => {
    const fabric = await line(
      router('a', 65001, { ...LEFT, neighbours: [to('192.0.2.2')] }),
      router('b', 65002, { ...RIGHT, neighbours: [to('192.0.2.1')] }),
    );
    await fabric.clock.runUntil(5 * SECOND);
    expect(learned(fabric, 'a')).toEqual([
      '198.51.100.0/24 via 192.0.2.2 direct',
      '2001:db8:b::/48 via 2001:db8::2 direct',
    ]);
  });

  it('carries nothing without policies between two ASs (RFC 8212), and everything inside one', async () => {
    const bare = { importPolicy: [], exportPolicy: [] };
    const outside = await line(
      router('a', 65001, { ...LEFT, neighbours: [to('2001:db8::2', bare)] }),
      router('b', 65002, { ...RIGHT, neighbours: [to('2001:db8::1')] }),
    );
    await outside.clock.runUntil(5 * SECOND);
    expect(state(outside, 'a')).toBe('established');
    expect([learned(outside, 'a'), learned(outside, 'b')]).toEqual([[], []]);
    const internal = { ...bare, acceptRemoteAs: [{ kind: 'internal' as const }] };
    const inside = await line(
      router('a', 65001, { ...LEFT, neighbours: [to('2001:db8::2', internal)] }),
      router('b', 65001, { ...RIGHT, identifier: 2, neighbours: [to('2001:db8::1', internal)] }),
    );
    await inside.clock.runUntil(5 * SECOND);
    expect(learned(inside, 'a')).toHaveLength(2);
    expect(learned(inside, 'b')).toHaveLength(2);
  });

  it('loses its session at once with the link or with our address, and has it again with them', async () => {
    const fabric = await line(
      router('a', 65001, { ...LEFT, neighbours: [to('192.0.2.2')] }),
      router('b', 65002, { ...RIGHT, neighbours: [to('192.0.2.1')] }),
    );
    await fabric.clock.runUntil(5 * SECOND);
    const direct = fabric.node('a').links.byName('direct')!;
    direct.deleteAddress(address('192.0.2.1'));
    expect(state(fabric, 'a')).toBeUndefined();
    expect(owner(fabric, 'a').reason).toBe('192.0.2.2 is on no subnet of ours (with multihop it need not be)');
    expect(owner(fabric, 'a').keeper.lastLost?.history.lastDown?.kind).toBe('link-down');
    direct.addAddress(address('192.0.2.1'), 24);
    await fabric.clock.runUntil(25 * SECOND);
    expect(state(fabric, 'a')).toBe('established');
    expect(owner(fabric, 'a').session!.summary().establishedCount).toBe(2);
    fabric.node('b').links.byName('direct')!.setAdmin(false);
    expect(owner(fabric, 'a').reason).toBe('direct: no carrier');
  });

  it('is waited for when it is passive, and lets in nobody else', async () => {
    const fabric = await line(
      router('a', 65001, { ...LEFT, neighbours: [to('2001:db8::2', { passive: true })] }),
      router('b', 65002, { ...RIGHT, neighbours: [to('2001:db8::1')] }),
    );
    await fabric.clock.runUntil(5 * SECOND);
    const session = owner(fabric, 'a').session!;
    expect(session.summary().state).toBe('established');
    expect(session.sessionConnection!.stream.localPort).toBe(179);
    const stranger = fabric
      .node('b')
      .transport.connect(
        { interfaceName: 'direct', local: address('192.0.2.2'), remote: address('192.0.2.1'), port: 179 },
        new AbortController().signal,
      );
    await fabric.clock.runUntil(6 * SECOND);
    let closed = false;
    (await stranger).start({ data: () => {}, drain: () => {}, closed: () => (closed = true) });
    await fabric.clock.runUntil(7 * SECOND);
    expect(closed).toBe(true);
  });
});

describe('a neighbour some hops away', () => {
  const far = { multihop: 3, acceptRemoteAs: [{ kind: 'internal' as const }], importPolicy: [], exportPolicy: [] };
  const ends = (changes: Partial<NeighbourConfig> = {}) =>
    [
      router('a', 65001, { ...LEFT, neighbours: [to('2001:db8:2::1', { ...far, ...changes })] }),
      router('b', 65001, { ...RIGHT, identifier: 2, neighbours: [to('2001:db8:1::1', far)] }),
    ] as const;

  it('has no session without a route, has one with it, and keeps it when a link goes down, until its timers say so', async () => {
    const fabric = await line(...ends());
    await fabric.clock.runUntil(5 * SECOND);
    expect(owner(fabric, 'a').reason).toBe('no route to 2001:db8:2::1');
    routeTo(fabric, 'a', '2001:db8:2::/64', '2001:db8:1::f');
    routeTo(fabric, 'b', '2001:db8:1::/64', '2001:db8:2::f');
    await fabric.clock.runUntil(20 * SECOND);
    expect(state(fabric, 'a')).toBe('established');
    expect(owner(fabric, 'a').session!.place).toMatchObject({ interfaceIndex: 0, interfaceName: '', hops: 3 });
    // Inside the AS the next hop is the neighbour's own address, which a route leads to.
    expect(learned(fabric, 'a')).toEqual([
      '198.51.100.0/24 via 2001:db8:1::f eth0',
      '2001:db8:b::/48 via 2001:db8:1::f eth0',
    ]);
    fabric.node('m').links.byName('eth1')!.setAdmin(false);
    await fabric.clock.runUntil(24 * SECOND);
    expect(state(fabric, 'a')).toBe('established');
    await fabric.clock.runUntil(40 * SECOND);
    expect(state(fabric, 'a')).not.toBe('established');
  });

  it('has its session from the address that is named', async () => {
    const fabric = await line(...ends({ source: address('2001:db8:1::1') }));
    routeTo(fabric, 'a', '2001:db8:2::/64', '2001:db8:1::f');
    routeTo(fabric, 'b', '2001:db8:1::/64', '2001:db8:2::f');
    await fabric.clock.runUntil(10 * SECOND);
    expect(state(fabric, 'a')).toBe('established');
  });
});

describe('a configured neighbour in operation', () => {
  const two = () =>
    line(
      router('a', 65001, {
        ...LEFT,
        neighbours: [to('2001:db8::2', { group: 'up' }), to('192.0.2.2', { group: 'up', shutdown: true })],
      }),
      router('b', 65002, { ...RIGHT, neighbours: [to('2001:db8::1'), to('192.0.2.1')] }),
    );
  const states = (fabric: VirtualFabric) =>
    fabric.node('a').speaker!.configured.all.map(({ session }) => session?.summary().state);
  const command = (fabric: VirtualFabric, name: string, kind: 'shutdown' | 'enable' | 'reset') =>
    commandNeighbours(fabric.node('a').speaker!.sessionOwners, name, { kind });

  it('stays down when it is configured so until it is enabled, and obeys by its address or its group', async () => {
    const fabric = await two();
    await fabric.clock.runUntil(5 * SECOND);
    expect(states(fabric)).toEqual(['established', 'idle']);
    expect(command(fabric, '192.0.2.2', 'enable')).toEqual({ neighbours: ['192.0.2.2'] });
    await fabric.clock.runUntil(10 * SECOND);
    expect(states(fabric)).toEqual(['established', 'established']);
    expect(command(fabric, 'up', 'shutdown')).toEqual({ neighbours: ['2001:db8::2', '192.0.2.2'] });
    expect(states(fabric)).toEqual(['idle', 'idle']);
    expect(command(fabric, '192.0.2.9', 'reset')).toMatchObject({ problem: 'no neighbor 192.0.2.9', unknown: true });
  });

  it('goes by its address in any spelling', async () => {
    const fabric = await two();
    await fabric.clock.runUntil(5 * SECOND);
    expect(command(fabric, '2001:DB8:0::0002', 'shutdown')).toEqual({ neighbours: ['2001:db8::2'] });
  });

  it('is not spared what a group is told because another of the group cannot do it', async () => {
    const fabric = await two();
    await fabric.clock.runUntil(5 * SECOND);
    expect(command(fabric, '2001:db8::2', 'shutdown')).toEqual({ neighbours: ['2001:db8::2'] });
    expect(command(fabric, '192.0.2.2', 'enable')).toEqual({ neighbours: ['192.0.2.2'] });
    await fabric.clock.runUntil(10 * SECOND);
    const session = fabric.node('a').speaker!.configured.all[1]!.session!;
    expect(command(fabric, 'up', 'reset')).toEqual({
      problem: '2001:db8::2: it is shut down: enable it first; done to 192.0.2.2',
      unknown: false,
    });
    expect(session.summary().lastDown?.message).toMatch(/Administrative Reset/);
  });

  it('is touched by a reload only when something changed that a session depends on', async () => {
    const fabric = await two();
    await fabric.clock.runUntil(5 * SECOND);
    const { speaker } = fabric.node('a');
    const [first, second] = speaker!.config.neighbours!;
    const session = owner(fabric, 'a').session!;
    const reload = (neighbours: readonly NeighbourConfig[]) => speaker!.reconfigure({ ...speaker!.config, neighbours });
    expect((await reload([{ ...first!, description: 'words', exportPolicy: [ALL, ALL] }, second!])).changes).toEqual([
      'neighbor 2001:db8::2 changed',
    ]);
    expect(owner(fabric, 'a').session).toBe(session);
    expect(owner(fabric, 'a').session!.summary().establishedCount).toBe(1);
    await reload([
      { ...first!, password: 'warp' },
      { ...second!, shutdown: false },
    ]);
    await fabric.clock.runUntil(20 * SECOND);
    expect(states(fabric)).toEqual(['connect', 'established']);
    expect((await reload([second!])).changes).toContain('neighbor 2001:db8::2 removed');
    expect(speaker!.configured.all.map(({ config }) => config.name)).toEqual(['192.0.2.2']);
  });
});
