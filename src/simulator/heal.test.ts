/** What comes back after a failure, and when it is preferred again; and starts that wait for what the neighbours know. */
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { FabricInterfaceConfig, SpeakerConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import { leafSpine } from './leaf-spine.fixture.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;
const PREFIX = 'fc00:1:1:1::/64';
const HOST = parseAddress('fc00:1:1:1::10')!;

/** Two leaves below two spines; what leaf 2 sends to the prefix goes by spine 1, whose colour it has. */
async function fabricWith(leafEnd: Partial<FabricInterfaceConfig> = {}, changes: Partial<SpeakerConfig> = {}) {
  const uplinks = [1, 2].map((spine) => ({ spine, leafEnd: { colour: spine, ...leafEnd } }));
  const fabric = await leafSpine({ uplinks, prefixes: [{ prefix: PREFIX, colour: 1 }], changes });
  await pass(fabric, 10 * SECOND);
  return fabric;
}

function pass(fabric: VirtualFabric, time: number): Promise<void> {
  return fabric.clock.runUntil(fabric.clock.now() + time);
}

const leaf2 = (fabric: VirtualFabric) => fabric.node('leaf2').speaker!;

/** Interfaces by which leaf 2 forwards to the host, as the kernel has it. */
function uplinksOf(fabric: VirtualFabric): string[] {
  const { tables, links } = fabric.node('leaf2');
  return tables.lookup(HOST).map(({ interfaceIndex }) => links.byIndex(interfaceIndex)!.name);
}

const settlingOf = (fabric: VirtualFabric) => {
  const [neighbour] = leaf2(fabric).fabricLinks[0]!.sessions();
  return neighbour && leaf2(fabric).engine.settling.state(neighbour);
};

async function flap(fabric: VirtualFabric): Promise<void> {
  expect(uplinksOf(fabric)).toEqual(['up1']);
  fabric.fail('leaf2', 'spine1');
  await pass(fabric, 5 * SECOND);
  expect(uplinksOf(fabric)).toEqual(['up2']);
  fabric.heal('leaf2', 'spine1');
}

/** Virtual milliseconds until it is so. */
async function until(fabric: VirtualFabric, condition: () => boolean): Promise<number> {
  const start = fabric.clock.now();
  expect(await fabric.clock.runUntilDone(condition, start + 60 * SECOND)).toBe(true);
  return fabric.clock.now() - start;
}

const established = (fabric: VirtualFabric) => () =>
  leaf2(fabric).fabricLinks[0]!.sessions()[0]?.summary().state === 'established';

describe('a link that heals', () => {
  it('is preferred again as soon as the neighbour has sent all its routes', async () => {
    const fabric = await fabricWith();
    await flap(fabric);
    await until(fabric, established(fabric));
    expect(settlingOf(fabric)).toMatchObject({ waitsFor: 'end-of-rib' });
    expect(uplinksOf(fabric)).toEqual(['up2']);
    await until(fabric, () => settlingOf(fabric) === undefined);
    await pass(fabric, SECOND / 10);
    expect(uplinksOf(fabric)).toEqual(['up1']);
  });

  it('is not used while its neighbour answers no solicitation', async () => {
    const fabric = await fabricWith();
    const { gateways } = fabric.node('leaf2');
    const [spine] = leaf2(fabric).fabricLinks[0]!.sessions();
    gateways.silent.add(formatAddress(spine!.address));
    await flap(fabric);
    await pass(fabric, 15 * SECOND);
    expect(settlingOf(fabric)).toEqual({ waitsFor: 'gateway' });
    expect(uplinksOf(fabric)).toEqual(['up2']);
    gateways.silent.clear();
    await pass(fabric, 2 * SECOND);
    expect(uplinksOf(fabric)).toEqual(['up1']);
  });

  it('is not preferred before its hold-down is over, and from its end on', async () => {
    const fabric = await fabricWith({ holdDown: 20 });
    await flap(fabric);
    await until(fabric, established(fabric));
    await pass(fabric, 15 * SECOND);
    expect(settlingOf(fabric)?.waitsFor).toBe('hold-down');
    expect(uplinksOf(fabric)).toEqual(['up2']);
    const { rib } = leaf2(fabric).engine;
    const { paths } = rib.explain(rib.find(parsePrefix(PREFIX)!)!);
    expect(paths.map(({ interfaceName, lostAt }) => [interfaceName, lostAt])).toEqual([
      ['up2', undefined],
      ['up1', 'settling'],
    ]);
    await pass(fabric, 5.2 * SECOND);
    expect(uplinksOf(fabric)).toEqual(['up1']);
  });

  it('waits no longer when the hold-down is taken out of the configuration, and its session stays', async () => {
    const fabric = await fabricWith({ holdDown: 600 });
    await flap(fabric);
    await pass(fabric, 20 * SECOND);
    expect(uplinksOf(fabric)).toEqual(['up2']);
    const speaker = leaf2(fabric);
    const [before] = speaker.fabricLinks[0]!.sessions();
    const lifted = speaker.config.fabric.map(({ holdDown: _, ...rest }) => rest);
    await speaker.reconfigure({ ...speaker.config, fabric: lifted });
    await pass(fabric, SECOND);
    expect(uplinksOf(fabric)).toEqual(['up1']);
    expect(speaker.fabricLinks[0]!.sessions()).toEqual([before]);
    expect(before!.summary().establishedCount).toBe(2);
  });

  it('is used at once when all others are gone', async () => {
    const fabric = await fabricWith({ holdDown: 600 });
    await flap(fabric);
    await pass(fabric, 20 * SECOND);
    fabric.fail('leaf2', 'spine2');
    await pass(fabric, SECOND / 10);
    expect(uplinksOf(fabric)).toEqual(['up1']);
  });

  it('holds nothing back at the first start', async () => {
    const fabric = await fabricWith({ holdDown: 600 });
    expect(uplinksOf(fabric)).toEqual(['up1']);
  });
});

describe('a start that waits for convergence', () => {
  /** Leaf 1 originates; spine 1 is there, spine 2 starts when it is told to. */
  async function waiting(waitForConvergence: number, everywhere: Partial<SpeakerConfig> = {}) {
    const leaf = (name: string, asn: number, part: Partial<SpeakerConfig>) =>
      router(name, asn, {
        role: 'leaf',
        fabric: [1, 2].map((n) => link(`up${n}`, { colour: n })),
        ...everywhere,
        ...part,
      });
    const fabric = new VirtualFabric(
      {
        routers: [
          router('spine1', 65001, { fabric: [link('down1'), link('down2')], ...everywhere }),
          router('spine2', 65002, { fabric: [link('down1'), link('down2')], ...everywhere }),
          leaf('leaf1', 65101, { advertise: [{ prefix: parsePrefix(PREFIX)!, colour: 1 }], waitForConvergence }),
          leaf('leaf2', 65102, { advertise: [{ prefix: parsePrefix('fc00:1:1:2::/64')!, colour: 2 }] }),
        ].map((config) => ({ name: config.name, config })),
        hosts: [],
        wires: [1, 2].flatMap((n) =>
          [1, 2].map((spine) => ({
            a: { node: `leaf${n}`, interface: `up${spine}` },
            b: { node: `spine${spine}`, interface: `down${n}` },
          })),
        ),
      },
      { seed: 3, delay: 0.01, log: () => ({ write: () => {} }) },
    );
    await fabric.start();
    return fabric;
  }
  const knownTo = (fabric: VirtualFabric, node: string) =>
    fabric.node(node).speaker!.engine.rib.find(parsePrefix(PREFIX)!) !== undefined;
  const routesAt = (fabric: VirtualFabric, node: string) => fabric.node(node).speaker!.fib.counters.routes;

  it('tells and installs nothing while a neighbour is missing, but not for longer than it was told to wait', async () => {
    const fabric = await waiting(20);
    // The other end of the second link is up, and nobody speaks there.
    await fabric.node('spine2').speaker!.stop();
    fabric.raiseLinks();
    await pass(fabric, 19 * SECOND);
    expect(knownTo(fabric, 'spine1')).toBe(false);
    expect(routesAt(fabric, 'leaf1')).toBe(0);
    await pass(fabric, 2 * SECOND);
    expect(knownTo(fabric, 'spine1')).toBe(true);
    expect(routesAt(fabric, 'leaf1')).toBeGreaterThan(0);
  });

  it('does not wait for neighbours that wait as well, and not once all have sent their routes', async () => {
    const restarter = { restartTime: 60, longLived: 0, selectionDeferral: 60 };
    const fabric = await waiting(60, { waitForConvergence: 60, restarter });
    fabric.raiseLinks();
    await pass(fabric, 10 * SECOND);
    expect(['spine1', 'spine2', 'leaf2'].map((node) => knownTo(fabric, node))).toEqual([true, true, true]);
  });
});
