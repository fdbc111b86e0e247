/** BFD beside BGP: two routers on virtual time, and what happens when their wire goes silent. */
import { describe, expect, it } from 'vitest';
import { parsePrefix } from '../core/net/prefix.js';
import type { LogEvent } from '../core/ports/event-log.js';
import type { BfdConfig, SpeakerConfig } from '../core/speaker/config.js';
import type { Neighbour } from '../core/speaker/neighbour.js';
import { link, router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;
const BFD: BfdConfig = { interval: 300, multiplier: 3, strict: false };
const STRICT: BfdConfig = { ...BFD, strict: true };

function withBfd(name: string, asn: number, bfd: BfdConfig | undefined): SpeakerConfig {
  const fabric = ['x', 'y'].map((side) => link(`${side}-link`, bfd && { bfd }));
  const plain = router(name, asn, { fabric });
  return { ...plain, timers: { ...plain.timers, hold: 90, neighbourLifetime: 60_000 } };
}

const prefixNumber = (index: number) => parsePrefix(`fc00:2:${index.toString(16)}::/64`)!;
const advertised = (count: number) => Array.from({ length: count }, (_, index) => ({ prefix: prefixNumber(index) }));

/** Routers `a` and `b` with two wires between them, up for three seconds. */
async function pair(a: BfdConfig | undefined, b: BfdConfig | undefined, prefixes = 0) {
  const events: (LogEvent & { readonly at: number })[] = [];
  const fabric: VirtualFabric = new VirtualFabric(
    {
      routers: [
        { name: 'a', config: withBfd('a', 65001, a) },
        { name: 'b', config: { ...withBfd('b', 65002, b), advertise: advertised(prefixes) } },
      ],
      hosts: [],
      wires: ['x-link', 'y-link'].map((name) => ({
        a: { node: 'a', interface: name },
        b: { node: 'b', interface: name },
      })),
    },
    {
      seed: 7,
      delay: 0.05,
      log: (node) => ({
        write: (event) => void (node === 'a' && events.push({ ...event, at: fabric.clock.now() })),
      }),
    },
  );
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(4 * SECOND);
  const session = (node: string): Neighbour => fabric.node(node).speaker!.fabricLinks[0]!.sessions()[0]!;
  const wire = fabric.node('a').links.byName('x-link')!.cable!;
  return { fabric, session, wire, events };
}

const states = (neighbour: Neighbour) => [neighbour.summary().state, neighbour.bfd?.status?.state];

describe('BFD beside BGP', () => {
  it('comes up with the session, and both ends settle on the interval', async () => {
    const { session } = await pair(BFD, { ...BFD, interval: 500 });
    for (const node of ['a', 'b']) {
      expect(states(session(node))).toEqual(['established', 'Up']);
      expect(session(node).bfd?.status).toMatchObject({ transmitInterval: 500, detectionTime: 1500, failures: 0 });
    }
  });

  it('finds a silent link in three intervals, and that alone ends the session, long before the hold time', async () => {
    const { fabric, session, wire, events } = await pair(BFD, BFD);
    wire.silent = true;
    await fabric.clock.runUntil(5 * SECOND + 100);
    const down = events.find(({ message }) => message.startsWith('BFD Up -> Down'))!;
    expect(down).toMatchObject({ level: 'warn', topic: 'bfd' });
    expect(down.at - 4 * SECOND).toBeGreaterThan(575);
    expect(down.at - 4 * SECOND).toBeLessThanOrEqual(901);
    expect(session('a').summary().lastDown).toMatchObject({ kind: 'bfd-down', code: 6, subcode: 10 });
    const other = fabric.node('a').speaker!.fabricLinks[1]!.sessions()[0]!;
    expect(states(other)).toEqual(['established', 'Up']);
  });

  it('moves every prefix off the link at once, with a few writes to the kernel', async () => {
    const { fabric, wire } = await pair(BFD, BFD, 300);
    const { tables, speaker, links } = fabric.node('a');
    const interfacesTo = (index: number) =>
      tables.lookup(prefixNumber(index).address).map((hop) => links.byIndex(hop.interfaceIndex)!.name);
    expect(interfacesTo(1).sort()).toEqual(['x-link', 'y-link']);
    const before = speaker!.fib.counters.operations;
    wire.silent = true;
    await fabric.clock.runUntil(5 * SECOND);
    for (const index of [0, 150, 299]) expect(interfacesTo(index)).toEqual(['y-link']);
    expect(speaker!.fib.counters.operations - before).toBeLessThan(10);
  });

  it('comes back with the link', async () => {
    const { fabric, session, wire } = await pair(BFD, BFD);
    wire.silent = true;
    await fabric.clock.runUntil(8 * SECOND);
    expect(states(session('a'))[1]).toBe('Down');
    wire.silent = false;
    await fabric.clock.runUntil(40 * SECOND);
    expect(states(session('a'))).toEqual(['established', 'Up']);
  });

  it('that never came up, because the neighbour has none, leaves the session alone', async () => {
    const { fabric, session } = await pair(BFD, undefined);
    await fabric.clock.runUntil(60 * SECOND);
    expect(states(session('a'))).toEqual(['established', 'Down']);
    expect(session('a').summary().establishedCount).toBe(1);
  });

  it('taken down on purpose by the neighbour leaves the session alone', async () => {
    const { fabric, session } = await pair(BFD, BFD);
    session('b').bfd!.stop();
    await fabric.clock.runUntil(60 * SECOND);
    expect(states(session('a'))).toEqual(['established', 'Down']);
    expect(session('a').summary().establishedCount).toBe(1);
    expect(session('a').bfd?.status?.failures).toBe(0);
  });

  it('is told of the end of a router as AdminDown', async () => {
    const { fabric, session, events } = await pair(BFD, BFD);
    const stopping = fabric.node('b').speaker!.stop();
    await fabric.clock.runUntil(7 * SECOND);
    await stopping;
    expect(events.filter(({ message }) => message.startsWith('BFD Up -> Down'))).not.toEqual([]);
    expect(events.filter(({ level, topic }) => topic === 'bfd' && level === 'warn')).toEqual([]);
    expect(session('a').summary().lastDown).toMatchObject({ kind: 'notification-received', subcode: 2 });
  });

  it('is not waited for when only one end is strict', async () => {
    const { session } = await pair(STRICT, undefined);
    expect(states(session('a'))).toEqual(['established', 'Down']);
  });

  it('comes first when both ends are strict, and the sessions follow at once', async () => {
    const { fabric, session, events } = await pair(STRICT, STRICT);
    expect(states(session('a'))).toEqual(['established', 'Up']);
    const at = (text: string) => events.find(({ message }) => message.includes(text))!.at;
    expect(at('-> Up')).toBeLessThanOrEqual(at('-> established'));
    for (const link of fabric.node('a').speaker!.fabricLinks) {
      expect(link.sessions().map((one) => one.summary().establishedCount)).toEqual([1]);
    }
  });

  it('keeps a strict session down while BFD packets are lost, and says so', async () => {
    const { fabric, session } = await pair(STRICT, STRICT);
    const end = fabric.node('a').links.byName('x-link')!;
    end.sendBfd = () => {};
    await fabric.clock.runUntil(30 * SECOND);
    expect(states(session('a'))).not.toContain('established');
    expect(session('b').summary().lastDown?.message).toMatch(/BFD/);
  });

  it('on two links is two sessions', async () => {
    const { fabric } = await pair(BFD, BFD);
    const links = fabric.node('a').speaker!.fabricLinks;
    const discriminators = links.map((link) => link.sessions()[0]!.bfd!.status!.localDiscriminator);
    expect(new Set(discriminators).size).toBe(2);
  });
});
