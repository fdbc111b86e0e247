/** Whole fabrics of the real speaker on virtual time. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { LogEvent } from '../core/ports/event-log.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import { type FabricShape, VirtualFabric } from './virtual-fabric.js';

const SPINES = 4;
const LEAVES = 2;
const SECOND = 1000;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const prefixOf = (leaf: number, colour: number) => parsePrefix(`fc00:${leaf}:1:${colour}::/64`)!;

function leafConfig(leaf: number): SpeakerConfig {
  return router(`leaf${leaf}`, 65100 + leaf, {
    role: 'leaf',
    fabric: numbers(SPINES).map((spine) => link(`to-spine${spine}`, { colour: spine })),
    hosts: [
      {
        name: 'to-host',
        prefixes: numbers(SPINES).map((colour) => ({
          prefix: prefixOf(leaf, colour),
          gateway: parseAddress(`fc00:${leaf}:1:${colour}::1`)!,
          colour,
        })),
      },
    ],
  });
}

function spineConfig(spine: number): SpeakerConfig {
  const fabric = numbers(LEAVES).map((leaf) => link(`to-leaf${leaf}`));
  return router(`spine${spine}`, 65000 + spine, { fabric });
}

function shape(change: (config: SpeakerConfig) => SpeakerConfig = (config) => config): FabricShape {
  const routers = [...numbers(SPINES).map(spineConfig), ...numbers(LEAVES).map(leafConfig)];
  return {
    routers: routers.map((config) => ({ name: config.name, config: change(config) })),
    hosts: numbers(LEAVES).map((leaf) => `host${leaf}`),
    wires: numbers(LEAVES).flatMap((leaf) => [
      ...numbers(SPINES).map((spine) => ({
        a: { node: `leaf${leaf}`, interface: `to-spine${spine}` },
        b: { node: `spine${spine}`, interface: `to-leaf${leaf}` },
      })),
      { a: { node: `leaf${leaf}`, interface: 'to-host' }, b: { node: `host${leaf}`, interface: 'eth0' } },
    ]),
  };
}

type Logged = LogEvent & { readonly node: string; readonly at: number };

async function started(seed: number, of: FabricShape = shape()) {
  const events: Logged[] = [];
  const fabric: VirtualFabric = new VirtualFabric(of, {
    seed,
    delay: 0.01,
    log: (node) => ({ write: (event) => void events.push({ ...event, node, at: fabric.clock.now() }) }),
  });
  await fabric.start();
  fabric.raiseLinks();
  return { fabric, events };
}

/** Spines that packets of a colour from host 2 to host 1 take; `lost` when some do not arrive. */
function spinesOf(fabric: VirtualFabric, colour: number): string[] {
  const destination = parseAddress(`fc00:1:1:${colour}::10`)!;
  const paths = numbers(64).map((flow) => fabric.walk('host2', destination, flow));
  const spines = paths.map((path) => (path.at(-1) === 'host1' ? path[2]! : `lost at ${path.at(-1)}`));
  return [...new Set(spines)].sort();
}

const pinned = (fabric: VirtualFabric) => numbers(SPINES).map((colour) => spinesOf(fabric, colour));
const INTACT = numbers(SPINES).map((spine) => [`spine${spine}`]);

describe('a simulated fabric', () => {
  it('comes up whole when all nodes start in the same instant, whatever the seed, with no session tried twice', async () => {
    for (const seed of numbers(25)) {
      const { fabric } = await started(seed);
      await fabric.clock.runUntil(3 * SECOND);
      expect(pinned(fabric), `seed ${seed}`).toEqual(INTACT);
      for (const name of ['leaf1', 'leaf2', 'spine1', 'spine4']) {
        for (const link of fabric.node(name).speaker!.fabricLinks) {
          expect(
            link.sessions().map((session) => session.summary().establishedCount),
            `seed ${seed}`,
          ).toEqual([1]);
        }
      }
    }
  });

  it('runs the same way twice from one seed', async () => {
    const runs = await Promise.all(
      [0, 0].map(async () => {
        const { fabric, events } = await started(42);
        await fabric.clock.runUntil(2 * SECOND);
        fabric.fail('leaf2', 'spine3');
        await fabric.clock.runUntil(5 * SECOND);
        return events;
      }),
    );
    expect(runs[0]!.length).toBeGreaterThan(50);
    expect(runs[1]).toEqual(runs[0]);
  });

  it('moves a prefix off a link that went silent once the hold time is over, and back when it speaks again', async () => {
    const { fabric } = await started(3);
    await fabric.clock.runUntil(3 * SECOND);
    const [wire] = [...fabric.node('leaf2').links.all()].map((link) => link.cable!);
    wire!.silent = true;
    await fabric.clock.runUntil(15 * SECOND);
    expect(spinesOf(fabric, 1)).toEqual(['spine2', 'spine3', 'spine4']);
    expect(spinesOf(fabric, 2)).toEqual(['spine2']);
    wire!.silent = false;
    await fabric.clock.runUntil(40 * SECOND);
    expect(pinned(fabric)).toEqual(INTACT);
  });

  it('remembers a flap of the link in the neighbour it concerns, and how long ago it was', async () => {
    const { fabric } = await started(13);
    await fabric.clock.runUntil(3 * SECOND);
    fabric.fail('leaf2', 'spine1');
    await fabric.clock.runUntil(4 * SECOND);
    fabric.heal('leaf2', 'spine1');
    await fabric.clock.runUntil(8 * SECOND);
    const [first, second] = fabric.node('leaf2').speaker!.fabricLinks.map((link) => link.sessions()[0]!);
    expect(first!.summary()).toMatchObject({
      state: 'established',
      establishedCount: 2,
      lastDown: { kind: 'link-down' },
    });
    expect(first!.lastDownAt).toBe(3 * SECOND);
    expect(second!.summary()).toMatchObject({ state: 'established', establishedCount: 1 });
    expect(second!.summary().lastDown).toBeUndefined();
  });

  it('refuses another AS than the accepted ones, and names it', async () => {
    const strict = shape((config) =>
      config.name === 'leaf2'
        ? {
            ...config,
            fabric: config.fabric.map((link) => ({
              ...link,
              acceptRemoteAs: [{ kind: 'range', first: 65002, last: 65004 }],
            })),
          }
        : config,
    );
    const { fabric, events } = await started(5, strict);
    await fabric.clock.runUntil(5 * SECOND);
    const complaints = events.filter(({ node, level }) => node === 'leaf2' && level === 'error');
    expect(complaints.length).toBeGreaterThan(0);
    for (const { message } of complaints) expect(message).toMatch(/65001/);
    expect(spinesOf(fabric, 1)).toEqual(['spine2', 'spine3', 'spine4']);
  });

  it('leaves nothing in any forwarding table when it is stopped, and tells the neighbours', async () => {
    const { fabric, events } = await started(9);
    await fabric.clock.runUntil(3 * SECOND);
    const stopping = fabric.node('spine2').speaker!.stop();
    await fabric.clock.runUntil(6 * SECOND);
    await stopping;
    const told = events.filter(({ message }) => /Administrative Shutdown/i.test(message)).map(({ node }) => node);
    expect(told).toEqual(expect.arrayContaining(['leaf1', 'leaf2']));
    expect(spinesOf(fabric, 2)).toEqual(['spine1', 'spine3', 'spine4']);
    await fabric.stop();
    for (const { name } of shape().routers) {
      const { nextHops, groups, routes } = await fabric.node(name).tables.dump('everything');
      expect([nextHops, groups, routes], name).toEqual([[], [], []]);
    }
  });

  it('sends only keepalives and advertisements once it is quiet', async () => {
    const { fabric } = await started(11);
    await fabric.clock.runUntil(5 * SECOND);
    const updates = () =>
      [...shape().routers].map(({ name }) =>
        fabric
          .node(name)
          .speaker!.fabricLinks.flatMap((link) => link.sessions())
          .reduce((sum, session) => sum + session.counters.sent.update, 0),
      );
    const before = updates();
    await fabric.clock.runUntil(65 * SECOND);
    expect(updates()).toEqual(before);
    expect(pinned(fabric)).toEqual(INTACT);
  });
});
