/** What an operator does to a running fabric, on virtual time: a leaf between two spines, with a host behind it. */
import { describe, expect, it } from 'vitest';
import { formatAddress, isLinkLocal, parseAddress } from '../core/net/address.js';
import { formatPrefix, parsePrefix } from '../core/net/prefix.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import { commandNeighbours, type NeighbourCommand } from '../core/speaker/neighbour-commands.js';
import { link, router } from '../core/speaker/plain-config.js';
import type { PrefixLimit } from '../core/speaker/prefix-limit.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;

/** Of both families. */
function speaker(name: string, asn: number, part: Partial<SpeakerConfig>): SpeakerConfig {
  return router(name, asn, { families: ['ipv6-unicast', 'ipv4-unicast'], ...part });
}

const advertised = (...texts: string[]) => texts.map((text) => ({ prefix: parsePrefix(text)! }));

const LEAF = speaker('leaf', 65101, {
  role: 'leaf',
  fabric: [link('to-spine1'), link('to-spine2')],
  hosts: [
    { name: 'to-host', prefixes: [{ prefix: parsePrefix('fc00:1::/64')!, gateway: parseAddress('fc00:1::1')! }] },
  ],
  advertise: advertised('fc00:a::/64'),
});
const SPINES = [1, 2].map((number) => speaker(`spine${number}`, 65000 + number, { fabric: [link('to-leaf')] }));

interface Changes {
  readonly leaf?: Partial<SpeakerConfig>;
  readonly spine?: Partial<SpeakerConfig>;
}

async function running({ leaf = {}, spine = {} }: Changes = {}) {
  const routers = [{ ...LEAF, ...leaf }, { ...SPINES[0]!, ...spine }, SPINES[1]!];
  const log: string[] = [];
  const fabric = new VirtualFabric(
    {
      routers: routers.map((config) => ({ name: config.name, config })),
      hosts: ['host'],
      wires: [
        ...[1, 2].map((number) => ({
          a: { node: 'leaf', interface: `to-spine${number}` },
          b: { node: `spine${number}`, interface: 'to-leaf' },
        })),
        { a: { node: 'leaf', interface: 'to-host' }, b: { node: 'host', interface: 'eth0' } },
      ],
    },
    { seed: 7, delay: 0.01, log: (node) => ({ write: ({ message }) => void log.push(`${node}: ${message}`) }) },
  );
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(10 * SECOND);
  return { fabric, log };
}

const session = (fabric: VirtualFabric, node: string, link: string) =>
  fabric
    .node(node)
    .speaker!.fabricLinks.find(({ config }) => config.name === link)!
    .sessions()[0]!;

describe('a capability that is switched off on one interface', () => {
  it('is not agreed there, and is elsewhere', async () => {
    const fabricConfig = [link('to-spine1', { capabilitiesOff: ['extended-message'] }), link('to-spine2')];
    const { fabric } = await running({ leaf: { fabric: fabricConfig } });
    const agreed = ['to-spine1', 'to-spine2'].map((link) => session(fabric, 'leaf', link).summary().negotiated);
    expect(agreed.map((negotiated) => negotiated?.extendedMessage)).toEqual([false, true]);
    expect(agreed.map((negotiated) => negotiated?.routeRefresh)).toEqual([true, true]);
  });
});

const command = (fabric: VirtualFabric, name: string, what: NeighbourCommand) =>
  commandNeighbours(fabric.node('leaf').speaker!.fabricLinks, name, what);
const seconds = (fabric: VirtualFabric, count: number) => fabric.clock.runUntil(fabric.clock.now() + count * SECOND);
const stateOf = (fabric: VirtualFabric, node: string, link: string) => session(fabric, node, link).summary().state;

describe('an operator', () => {
  it('shuts a neighbour down with a text that the other side shows, and enables it again', async () => {
    const { fabric } = await running();
    const { changedAt } = session(fabric, 'leaf', 'to-spine2');
    command(fabric, 'to-spine1', { kind: 'shutdown', message: 'optics are replaced' });
    await seconds(fabric, 20);
    expect(session(fabric, 'spine1', 'to-leaf').summary()).toMatchObject({
      lastDown: { code: 6, subcode: 2, message: expect.stringContaining('"optics are replaced"') },
    });
    expect(stateOf(fabric, 'leaf', 'to-spine1')).toBe('idle');
    expect(command(fabric, 'to-spine1', { kind: 'enable' }).problem).toBeUndefined();
    await seconds(fabric, 20);
    expect(stateOf(fabric, 'leaf', 'to-spine1')).toBe('established');
    expect(session(fabric, 'leaf', 'to-spine2').changedAt).toBe(changedAt);
  });

  it('keeps a neighbour shut down over a link that flaps, and still tells it why', async () => {
    const { fabric } = await running();
    command(fabric, 'to-spine1', { kind: 'shutdown', message: 'optics are replaced' });
    fabric.fail('leaf', 'spine1');
    await seconds(fabric, 5);
    fabric.heal('leaf', 'spine1');
    await seconds(fabric, 20);
    expect(stateOf(fabric, 'leaf', 'to-spine1')).toBe('idle');
    const why = { code: 6, subcode: 2, message: expect.stringContaining('"optics are replaced"') };
    expect(session(fabric, 'spine1', 'to-leaf').summary().lastFailure).toMatchObject(why);
    expect(command(fabric, 'to-spine1', { kind: 'reset' }).problem).toMatch(/enable it first/);
  });

  it('resets a session, which comes back', async () => {
    const { fabric } = await running();
    const { changedAt } = session(fabric, 'leaf', 'to-spine1');
    command(fabric, 'to-spine1', { kind: 'reset', message: 'new optics' });
    await seconds(fabric, 10);
    expect(stateOf(fabric, 'leaf', 'to-spine1')).toBe('established');
    expect(session(fabric, 'leaf', 'to-spine1').changedAt).toBeGreaterThan(changedAt);
    expect(session(fabric, 'spine1', 'to-leaf').summary().lastDown).toMatchObject({ code: 6, subcode: 4 });
  });

  it('asks for the routes of both families again', async () => {
    const { fabric } = await running();
    const spine = session(fabric, 'spine1', 'to-leaf');
    expect(spine.counters.received.routeRefresh).toBe(0);
    expect(command(fabric, 'to-spine1', { kind: 'refresh' }).problem).toBeUndefined();
    await seconds(fabric, 1);
    expect(spine.counters.received.routeRefresh).toBe(2);
  });

  it('is told why something cannot be done', async () => {
    const fabricConfig = [link('to-spine1', { capabilitiesOff: ['route-refresh'] }), link('nowhere')];
    const { fabric } = await running({ leaf: { fabric: fabricConfig } });
    const problem = (name: string, what: NeighbourCommand) => command(fabric, name, what);
    expect(problem('to-spine1', { kind: 'refresh' }).problem).toMatch(/route refresh was not agreed/);
    expect(problem('to-spine1', { kind: 'enable' }).problem).toMatch(/it is not shut down/);
    expect(problem('nowhere', { kind: 'reset' })).toEqual({
      problem: 'nobody was heard on nowhere yet',
      unknown: false,
    });
    expect(problem('fe80::99', { kind: 'reset' })).toEqual({ problem: 'no neighbor fe80::99', unknown: true });
  });
});

const many = (count: number) => advertised(...Array.from({ length: count }, (_, index) => `fc00:b:${index}::/64`));
const limited = (part: Partial<PrefixLimit>) => ({
  fabric: [
    link('to-leaf', {
      prefixLimits: { 'ipv6-unicast': { limit: 3, warn: 80, action: 'restart', restartAfter: 60, ...part } },
    }),
  ],
});

describe('a neighbour that announces more prefixes than its limit', () => {
  it('is told the limit, and gets a session again after the time set', async () => {
    const { fabric } = await running({ leaf: { advertise: many(3) }, spine: limited({}) });
    const spine = () => session(fabric, 'spine1', 'to-leaf').summary();
    expect(spine().lastDown).toMatchObject({ kind: 'prefix-limit', code: 6, subcode: 1 });
    const { lastDown } = session(fabric, 'leaf', 'to-spine1').summary();
    expect(lastDown?.message).toMatch(/limit 3 for AFI 2 SAFI 1/);
    const count = spine().establishedCount;
    await seconds(fabric, 30);
    expect(spine()).toMatchObject({ state: 'idle', establishedCount: count });
    await seconds(fabric, 40);
    expect(spine().establishedCount).toBe(count + 1);
  });

  it('stays away until an operator enables it', async () => {
    const { fabric } = await running({ leaf: { advertise: many(3) }, spine: limited({ action: 'shutdown' }) });
    await seconds(fabric, 600);
    expect(stateOf(fabric, 'spine1', 'to-leaf')).toBe('idle');
    for (const { prefix } of many(3)) fabric.node('leaf').speaker!.engine.withdraw(prefix);
    const enabled = commandNeighbours(fabric.node('spine1').speaker!.fabricLinks, 'to-leaf', { kind: 'enable' });
    expect(enabled.problem).toBeUndefined();
    await seconds(fabric, 20);
    expect(stateOf(fabric, 'spine1', 'to-leaf')).toBe('established');
  });

  it('keeps its session where only a warning is asked for', async () => {
    const { fabric, log } = await running({ leaf: { advertise: many(3) }, spine: limited({ action: 'warn' }) });
    expect(stateOf(fabric, 'spine1', 'to-leaf')).toBe('established');
    expect(log.filter((line) => /4 ipv6-unicast prefixes, more than the limit of 3/.test(line))).toHaveLength(1);
  });

  it('counts each family for itself', async () => {
    const { fabric } = await running({
      leaf: { advertise: [...many(1), ...advertised('10.0.1.0/24', '10.0.2.0/24')] },
      spine: limited({}),
    });
    const spine = fabric.node('spine1').speaker!;
    expect(stateOf(fabric, 'spine1', 'to-leaf')).toBe('established');
    const counts = (['ipv6-unicast', 'ipv4-unicast'] as const).map((family) =>
      spine.engine.prefixCount(session(fabric, 'spine1', 'to-leaf'), family),
    );
    expect(counts).toEqual([2, 2]);
  });
});

describe('a host link', () => {
  const hostPort = (fabric: VirtualFabric) => fabric.node('leaf').links.byName('to-host')!;
  const known = (fabric: VirtualFabric) =>
    [...fabric.node('spine1').speaker!.engine.rib.prefixIds()].map((id) =>
      formatPrefix(fabric.node('spine1').speaker!.engine.rib.selection(id).prefix),
    );
  const gateway = parseAddress('fc00:1::1')!;

  it('gets its gateway address again when somebody takes it away', async () => {
    const { fabric, log } = await running();
    hostPort(fabric).deleteAddress(gateway);
    await seconds(fabric, 1);
    expect(hostPort(fabric).hasUsable(gateway)).toBe(true);
    expect(log.filter((line) => line.includes('gateway'))).toEqual([
      'leaf: gateway fc00:1::1/64 was taken away: assigned again',
    ]);
  });

  it('that gets another name takes its prefixes and the gateway address along', async () => {
    const { fabric } = await running();
    expect(known(fabric)).toContain('fc00:1::/64');
    const port = hostPort(fabric);
    fabric.node('leaf').links.rename(port);
    await seconds(fabric, 1);
    expect(known(fabric)).toEqual(['fc00:a::/64']);
    expect(port.hasUsable(gateway)).toBe(false);
  });
});

/** Reloads the leaf; virtual time runs on while it waits. */
async function reloaded(fabric: VirtualFabric, part: Partial<SpeakerConfig>) {
  const leaf = fabric.node('leaf').speaker!;
  const done = leaf.reconfigure({ ...leaf.config, ...part });
  await seconds(fabric, 10);
  return done;
}

/** Prefixes that a spine holds from the leaf. */
const heldBy = (fabric: VirtualFabric, spine: string) => {
  const { rib } = fabric.node(spine).speaker!.engine;
  return [...rib.prefixIds()].map((id) => formatPrefix(rib.prefixOf(id))).sort();
};
const linkNames = (fabric: VirtualFabric) => fabric.node('leaf').speaker!.fabricLinks.map(({ config }) => config.name);

describe('a reload', () => {
  it('touches no session when nothing changed', async () => {
    const { fabric } = await running();
    const sessions = ['to-spine1', 'to-spine2'].map((link) => session(fabric, 'leaf', link));
    expect(await reloaded(fabric, {})).toEqual({ restart: [], changes: [] });
    expect(['to-spine1', 'to-spine2'].map((link) => session(fabric, 'leaf', link))).toEqual(sessions);
    expect(sessions.map((one) => one.summary().establishedCount)).toEqual([1, 1]);
  });

  it('ends the session of a changed interface with the reason, and leaves the other alone', async () => {
    const { fabric } = await running();
    const other = session(fabric, 'leaf', 'to-spine2');
    const { changedAt } = other;
    const { changes } = await reloaded(fabric, { fabric: [link('to-spine1', { colour: 7 }), link('to-spine2')] });
    expect(changes).toEqual(['fabric interface to-spine1 changed']);
    expect(session(fabric, 'spine1', 'to-leaf').summary()).toMatchObject({
      state: 'established',
      lastDown: { code: 6, subcode: 6 },
    });
    expect(session(fabric, 'leaf', 'to-spine1').place.config.colour).toBe(7);
    expect(session(fabric, 'leaf', 'to-spine2')).toBe(other);
    expect(other.changedAt).toBe(changedAt);
  });

  it('removes an interface, and adds it again', async () => {
    const { fabric } = await running();
    await reloaded(fabric, { fabric: [link('to-spine2')] });
    expect(linkNames(fabric)).toEqual(['to-spine2']);
    expect(heldBy(fabric, 'spine1')).toEqual([]);
    expect(session(fabric, 'spine1', 'to-leaf').summary().lastDown).toMatchObject({ code: 6, subcode: 3 });
    const { changes } = await reloaded(fabric, { fabric: LEAF.fabric });
    expect(changes).toEqual(['fabric interface to-spine1 added']);
    expect(heldBy(fabric, 'spine1')).toEqual(['fc00:1::/64', 'fc00:a::/64']);
  });

  it('keeps a neighbour shut down whose interface changed', async () => {
    const { fabric } = await running();
    command(fabric, 'to-spine1', { kind: 'shutdown' });
    await reloaded(fabric, { fabric: [link('to-spine1', { colour: 7 }), link('to-spine2')] });
    expect(stateOf(fabric, 'leaf', 'to-spine1')).toBe('idle');
  });

  it('originates and withdraws prefixes while every session stays up', async () => {
    const { fabric } = await running();
    const [old] = LEAF.hosts;
    const next = { prefix: parsePrefix('fc00:2::/64')!, gateway: parseAddress('fc00:2::1')! };
    const gateways = () =>
      [...fabric.node('leaf').links.all()]
        .find(({ name }) => name === 'to-host')!
        .state.addresses.filter(({ address }) => !isLinkLocal(address))
        .map(({ address }) => formatAddress(address));
    expect(gateways()).toEqual(['fc00:1::1']);
    const changes = { hosts: [{ ...old!, prefixes: [next] }], advertise: advertised('10.9.0.0/16') };
    await reloaded(fabric, changes);
    expect(heldBy(fabric, 'spine1')).toEqual(['10.9.0.0/16', 'fc00:2::/64']);
    expect(gateways()).toEqual(['fc00:2::1']);
    await reloaded(fabric, { hosts: [] });
    expect(heldBy(fabric, 'spine1')).toEqual(['10.9.0.0/16']);
    expect(gateways()).toEqual([]);
    await reloaded(fabric, { hosts: LEAF.hosts });
    expect(heldBy(fabric, 'spine1')).toEqual(['10.9.0.0/16', 'fc00:1::/64']);
    expect(session(fabric, 'leaf', 'to-spine1').summary().establishedCount).toBe(1);
  });

  it('gives new timers to the sessions after this one', async () => {
    const { fabric } = await running();
    await reloaded(fabric, { timers: { ...LEAF.timers, hold: 3 } });
    expect(session(fabric, 'leaf', 'to-spine1').summary()).toMatchObject({
      establishedCount: 1,
      negotiated: { holdTime: 9 },
    });
    command(fabric, 'to-spine1', { kind: 'reset' });
    await seconds(fabric, 10);
    expect(session(fabric, 'leaf', 'to-spine1').summary().negotiated?.holdTime).toBe(3);
  });

  it('applies nothing where something needs a restart', async () => {
    const { fabric } = await running();
    const result = await reloaded(fabric, { asn: 65199, fabric: [] });
    expect(result).toEqual({ restart: ['as'], changes: [] });
    expect(linkNames(fabric)).toEqual(['to-spine1', 'to-spine2']);
  });
});

describe('a password', () => {
  const signed = (password: string) => ({ fabric: [link('to-spine1', { password }), link('to-spine2')] });

  it('lets nobody in who has another one, until a reload gives both the same', async () => {
    const { fabric } = await running({
      leaf: signed('one'),
      spine: { fabric: [link('to-leaf', { password: 'two' })] },
    });
    await seconds(fabric, 60);
    expect(session(fabric, 'leaf', 'to-spine1').summary()).toMatchObject({ establishedCount: 0 });
    expect(stateOf(fabric, 'leaf', 'to-spine2')).toBe('established');
    await reloaded(fabric, signed('two'));
    await seconds(fabric, 30);
    expect(stateOf(fabric, 'leaf', 'to-spine1')).toBe('established');
    expect(session(fabric, 'leaf', 'to-spine2').summary().establishedCount).toBe(1);
  });
});
