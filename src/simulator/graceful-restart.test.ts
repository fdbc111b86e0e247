/** A leaf and the two spines above it, and a second leaf behind them: restarts of whole routers, on virtual time. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { KernelOperation } from '../core/ports/kernel-tables.js';
import type { BfdConfig, FabricInterfaceConfig, SpeakerConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;
const PREFIX = parsePrefix('fc00:1:1:1::/64')!;
const HOST = parseAddress('fc00:1:1:1::10')!;

const RESTARTER = { restartTime: 120, longLived: 0, selectionDeferral: 30 };
const restarter = (name: string, asn: number, part: Partial<SpeakerConfig>): SpeakerConfig =>
  router(name, asn, { restarter: RESTARTER, ...part });

const uplinks = (part: Partial<FabricInterfaceConfig>) =>
  [1, 2].map((n) => link(`to-spine${n}`, { colour: n, ...part }));
const downlinks = (part: Partial<FabricInterfaceConfig>) => [1, 2].map((n) => link(`to-leaf${n}`, part));

interface Options {
  readonly helped?: boolean;
  readonly bfd?: BfdConfig;
  readonly helper?: { readonly longest: number; readonly longLived: number };
  readonly longLived?: number;
}

async function started(options: Options = {}) {
  const { helped = true, helper = { longest: 60, longLived: 0 }, longLived = 0, bfd } = options;
  const part: Partial<FabricInterfaceConfig> = { ...(helped && { restartHelper: helper }), ...(bfd && { bfd }) };
  const common = { restarter: { ...RESTARTER, longLived } };
  const hosts = [
    { name: 'to-host', prefixes: [{ prefix: PREFIX, gateway: parseAddress('fc00:1:1:1::1')!, colour: 1 }] },
  ];
  const routers = [
    restarter('spine1', 65001, {
      fabric: downlinks(part),
      ...common,
    }),
    restarter('spine2', 65002, {
      fabric: downlinks(part),
      ...common,
    }),
    restarter('leaf1', 65101, {
      role: 'leaf',
      fabric: uplinks(part),
      hosts,
      ...common,
    }),
    restarter('leaf2', 65102, {
      role: 'leaf',
      fabric: uplinks(part),
      ...common,
    }),
  ];
  const configs = new Map(routers.map((config) => [config.name, config]));
  const wire = (leaf: number, spine: number) => ({
    a: { node: `leaf${leaf}`, interface: `to-spine${spine}` },
    b: { node: `spine${spine}`, interface: `to-leaf${leaf}` },
  });
  const fabric = new VirtualFabric(
    {
      routers: routers.map((config) => ({ name: config.name, config })),
      hosts: ['host1'],
      wires: [
        ...[1, 2].flatMap((leaf) => [wire(leaf, 1), wire(leaf, 2)]),
        { a: { node: 'leaf1', interface: 'to-host' }, b: { node: 'host1', interface: 'eth0' } },
      ],
    },
    { seed: 7, delay: 0.01, log: () => ({ write: () => {} }) },
  );
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(10 * SECOND);
  const start = (name: string) => fabric.node(name).start(configs.get(name)!);
  return { fabric, start };
}

async function stopForRestart(fabric: VirtualFabric, name: string): Promise<void> {
  let stopped = false;
  const stop = fabric.node(name).speaker!.stop({ kind: 'restart' });
  void stop.then(() => {
    stopped = true;
  });
  await fabric.clock.runUntilDone(() => stopped, fabric.clock.now() + 2 * SECOND);
}

/** Interfaces over which leaf 2 sends packets for the prefix, as the kernel has it. */
function uplinksOf(fabric: VirtualFabric): string[] {
  const leaf = fabric.node('leaf2');
  return leaf.tables.lookup(HOST).map(({ interfaceIndex }) => leaf.links.byIndex(interfaceIndex)!.name);
}

/** The paths of leaf 2: interface, and a star on a stale one. */
function pathsOf(fabric: VirtualFabric): string[] {
  const { rib } = fabric.node('leaf2').speaker!.engine;
  const id = rib.find(PREFIX);
  if (id === undefined) return [];
  return rib.explain(id).paths.map(({ interfaceName, stale }) => `${interfaceName}${stale ? '*' : ''}`);
}

/** As a neighbour whose BFD runs in hardware sends it: the C bit (RFC 5880 section 4.1). */
function withControlPlaneIndependence(packet: Uint8Array): Uint8Array {
  const changed = packet.slice();
  changed[1]! |= 0x08;
  return changed;
}

/** What is written into the kernel of a router from now on. */
function kernelOperations(fabric: VirtualFabric, name: string): KernelOperation[] {
  const { tables } = fabric.node(name);
  const operations: KernelOperation[] = [];
  const apply = tables.apply.bind(tables);
  tables.apply = (given) => {
    operations.push(...given);
    return apply(given);
  };
  return operations;
}

const operations = (fabric: VirtualFabric) => fabric.node('leaf2').speaker!.fib.counters.operations;

describe('a spine that restarts', () => {
  it('keeps its place: nothing changes in the kernel of the leaf while it is away, nor when it is back', async () => {
    const { fabric, start } = await started();
    const before = operations(fabric);
    expect(uplinksOf(fabric)).toEqual(['to-spine1']);
    await stopForRestart(fabric, 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 5 * SECOND);
    expect(pathsOf(fabric)).toEqual(['to-spine1*', 'to-spine2']);
    expect(uplinksOf(fabric)).toEqual(['to-spine1']);
    await start('spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 10 * SECOND);
    expect(pathsOf(fabric)).toEqual(['to-spine1', 'to-spine2']);
    expect(operations(fabric)).toBe(before);
  });

  it('does not come back in time: the leaf moves to the other one', async () => {
    const { fabric } = await started({ helper: { longest: 20, longLived: 0 } });
    await stopForRestart(fabric, 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 15 * SECOND);
    expect(uplinksOf(fabric)).toEqual(['to-spine1']);
    await fabric.clock.runUntil(fabric.clock.now() + 10 * SECOND);
    expect(pathsOf(fabric)).toEqual(['to-spine2']);
    expect(uplinksOf(fabric)).toEqual(['to-spine2']);
  });

  it('loses its link meanwhile: its paths go at once, so that no prefix is pinned to a dead spine', async () => {
    const { fabric } = await started();
    await stopForRestart(fabric, 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 2 * SECOND);
    fabric.fail('leaf2', 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 1);
    expect(pathsOf(fabric)).toEqual(['to-spine2']);
  });

  it('does not forward meanwhile, as BFD of its hardware tells: its traffic moves at once, before the tables are asked', async () => {
    const { fabric } = await started({ bfd: { interval: 300, multiplier: 3, strict: false } });
    const spineEnd = fabric.node('spine1').links.byName('to-leaf2')!;
    const sendBfd = spineEnd.sendBfd.bind(spineEnd);
    spineEnd.sendBfd = (packet) => sendBfd(withControlPlaneIndependence(packet));
    await fabric.clock.runUntil(fabric.clock.now() + SECOND);
    spineEnd.sendBfd = () => {};
    await stopForRestart(fabric, 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 100);
    const early = [pathsOf(fabric), uplinksOf(fabric)];
    const written = kernelOperations(fabric, 'leaf2');
    await fabric.clock.runUntil(fabric.clock.now() + SECOND);
    expect(early).toEqual([['to-spine1*', 'to-spine2'], ['to-spine1']]);
    expect(pathsOf(fabric)).toEqual(['to-spine2']);
    expect(uplinksOf(fabric)).toEqual(['to-spine2']);
    const spine2 = fabric.node('leaf2').links.byName('to-spine2')!.index;
    expect(written[0]).toMatchObject({ kind: 'set-next-hop', replace: true, interfaceIndex: spine2 });
  });

  it('is not heard any more: its paths go with its router advertisements', async () => {
    const { fabric } = await started();
    await stopForRestart(fabric, 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 25 * SECOND);
    const early = pathsOf(fabric);
    await fabric.clock.runUntil(fabric.clock.now() + 10 * SECOND);
    expect([early, pathsOf(fabric)]).toEqual([['to-spine1*', 'to-spine2'], ['to-spine2']]);
  });

  it('comes back with less than it knew: what it does not say again goes at its End-of-RIB', async () => {
    const { fabric, start } = await started();
    await stopForRestart(fabric, 'spine1');
    fabric.fail('leaf1', 'spine1');
    await start('spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 5 * SECOND);
    expect(pathsOf(fabric)).toEqual(['to-spine2']);
  });

  it('stops for good: that is said in a Hard Reset, and its paths go at once', async () => {
    const { fabric } = await started();
    const stop = fabric.node('spine1').speaker!.stop();
    await fabric.clock.runUntil(fabric.clock.now() + 2 * SECOND);
    await stop;
    expect(pathsOf(fabric)).toEqual(['to-spine2']);
  });

  it('is not helped by a leaf that does not want to: its paths go with the session', async () => {
    const { fabric } = await started({ helped: false });
    await stopForRestart(fabric, 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + SECOND);
    expect(pathsOf(fabric)).toEqual(['to-spine2']);
  });
});

describe('a spine that stays away longer', () => {
  const longLived = { helper: { longest: 5, longLived: 600 }, longLived: 3600 };

  it('leaves its paths as the last choice', async () => {
    const { fabric } = await started(longLived);
    await stopForRestart(fabric, 'spine1');
    await fabric.clock.runUntil(fabric.clock.now() + 10 * SECOND);
    expect(pathsOf(fabric)).toEqual(['to-spine2', 'to-spine1*']);
    expect(uplinksOf(fabric)).toEqual(['to-spine2']);
  });
});

describe('a leaf that restarts', () => {
  it('forwards all the time, waits with its choice for both spines, and then changes nothing', async () => {
    const { fabric, start } = await started();
    const routes = async () => JSON.stringify((await fabric.node('leaf2').tables.dump('everything')).routes);
    const before = await routes();
    await stopForRestart(fabric, 'leaf2');
    expect(await routes()).toBe(before);
    await start('leaf2');
    const { engine } = fabric.node('leaf2').speaker!;
    expect(engine.restarting).toBe('preserved');
    const [session] = fabric.node('leaf2').speaker!.fabricLinks;
    await fabric.clock.runUntil(fabric.clock.now() + 5 * SECOND);
    expect(engine.restarting).toBe(false);
    const open = session!.sessions()[0]!.summary().negotiated!.localOpen;
    expect(open.capabilities.find(({ kind }) => kind === 'graceful-restart')).toMatchObject({ restarted: true });
    await fabric.clock.runUntil(fabric.clock.now() + 60 * SECOND);
    expect(pathsOf(fabric)).toEqual(['to-spine1', 'to-spine2']);
    expect(await routes()).toBe(before);
  });

  it('chooses without a spine that is not there, when the time for waiting is over', async () => {
    const { fabric, start } = await started();
    await stopForRestart(fabric, 'leaf2');
    await stopForRestart(fabric, 'spine1');
    await start('leaf2');
    await fabric.clock.runUntil(fabric.clock.now() + 25 * SECOND);
    expect(uplinksOf(fabric)).toEqual(['to-spine1']);
    await fabric.clock.runUntil(fabric.clock.now() + 10 * SECOND);
    expect(uplinksOf(fabric)).toEqual(['to-spine2']);
  });

  it('does not speak of a restart when there was nothing to keep', async () => {
    const { fabric } = await started();
    const { engine, fabricLinks } = fabric.node('leaf2').speaker!;
    expect(engine.restarting).toBe(false);
    const open = fabricLinks[0]!.sessions()[0]!.summary().negotiated!.localOpen;
    expect(open.capabilities.find(({ kind }) => kind === 'graceful-restart')).toMatchObject({ restarted: false });
  });
});

describe('an enhanced refresh', () => {
  it('is marked by the spine, and removes nothing that is still there', async () => {
    const { fabric } = await started();
    const [session] = fabric.node('leaf2').speaker!.fabricLinks[0]!.sessions();
    session!.requestRefresh();
    await fabric.clock.runUntil(fabric.clock.now() + 2 * SECOND);
    expect(session!.counters.received.routeRefresh).toBe(2);
    expect(pathsOf(fabric)).toEqual(['to-spine1', 'to-spine2']);
  });
});
