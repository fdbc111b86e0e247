/** BFD that changes under a running session, and what it says of a neighbour that restarts; on virtual time. */
import { describe, expect, it } from 'vitest';
import { parsePrefix } from '../core/net/prefix.js';
import type { BfdConfig, FabricInterfaceConfig } from '../core/speaker/config.js';
import type { Neighbour } from '../core/speaker/neighbour.js';
import { link, router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;
const BFD: BfdConfig = { interval: 300, multiplier: 3, strict: false };
const PREFIX = parsePrefix('fc00:2::/64')!;
const RESTARTER = { restartTime: 60, longLived: 0, selectionDeferral: 30 };
const HELPER = { restartHelper: { longest: 60, longLived: 0 } };
/** The C bit in the second octet of a control packet (RFC 5880 section 4.1). */
const C_BIT = 0x08;

const configOf = (name: string, asn: number, part: Partial<FabricInterfaceConfig>) =>
  router(name, asn, {
    fabric: [link('x', { bfd: BFD, ...part })],
    restarter: RESTARTER,
    ...(name === 'b' && { advertise: [{ prefix: PREFIX }] }),
  });

async function pair(part: Partial<FabricInterfaceConfig> = {}) {
  const routers = [configOf('a', 65001, part), configOf('b', 65002, part)].map((config) => ({
    name: config.name,
    config,
  }));
  const wires = [{ a: { node: 'a', interface: 'x' }, b: { node: 'b', interface: 'x' } }];
  const log = { write: () => {} };
  const fabric = new VirtualFabric({ routers, hosts: [], wires }, { seed: 7, delay: 0.05, log: () => log });
  await fabric.start();
  fabric.raiseLinks();
  await wait(fabric, 5);
  const session = (node: string): Neighbour => fabric.node(node).speaker!.fabricLinks[0]!.sessions()[0]!;
  const paths = () => fabric.node('a').speaker!.engine.rib.totals().paths;
  return { fabric, session, paths };
}

const wait = (fabric: VirtualFabric, seconds: number) => fabric.clock.runUntil(fabric.clock.now() + seconds * SECOND);

describe('other times of BFD by a reload', () => {
  async function reloaded(bfd: BfdConfig | undefined) {
    const stage = await pair();
    const { speaker } = stage.fabric.node('a');
    const { bfd: _, ...rest } = link('x', {});
    await speaker!.reconfigure({ ...speaker!.config, fabric: [{ ...rest, ...(bfd && { bfd }) }] });
    await wait(stage.fabric, 5);
    return stage;
  }

  it('are told by a poll: neither BFD nor the session goes down, and both ends have the new times', async () => {
    const { fabric, session } = await reloaded({ ...BFD, interval: 1000, multiplier: 4 });
    const near = session('a');
    expect(near.bfd?.status).toMatchObject({ state: 'Up', ups: 1, failures: 0, transmitInterval: 1000 });
    expect(near.summary()).toMatchObject({ state: 'established', establishedCount: 1 });
    expect(near.bfd?.config).toMatchObject({ interval: 1000, multiplier: 4 });
    expect(session('b').bfd?.status).toMatchObject({ ups: 1, transmitInterval: 1000, detectionTime: 4000 });
    await wait(fabric, 60);
    expect(session('b').summary().establishedCount).toBe(1);
  });

  it('count from then on: silence is found in the new time', async () => {
    const { fabric, session } = await reloaded({ ...BFD, interval: 1000 });
    fabric.node('a').links.byName('x')!.cable!.silent = true;
    await wait(fabric, 2);
    expect(session('a').summary().state).toBe('established');
    await wait(fabric, 1.1);
    expect(session('a').summary().lastDown?.kind).toBe('bfd-down');
  });

  it('need a new session when they come or go altogether', async () => {
    const { session } = await reloaded(undefined);
    expect(session('a').bfd).toBeUndefined();
    expect(session('b').summary().lastDown).toMatchObject({ kind: 'notification-received', code: 6 });
  });
});

describe('BFD while a neighbour is away in graceful restart', () => {
  /** Router b's control plane goes; its BFD stays, as hardware or a program of its own would, and says so or not. */
  async function away(independent: boolean) {
    const stage = await pair(HELPER);
    const port = stage.fabric.node('b').links.byName('x')!;
    const send = port.sendBfd.bind(port);
    port.sendBfd = (packet) => {
      const copy = packet.slice();
      if (independent) copy[1]! |= C_BIT;
      send(copy);
    };
    await wait(stage.fabric, 2);
    stage.session('b').bfd!.stop = () => {};
    void stage.fabric.node('b').speaker!.stop({ kind: 'restart' });
    await wait(stage.fabric, 3);
    expect(stage.session('a').summary().state).not.toBe('established');
    expect(stage.paths()).toBe(1);
    return stage;
  }

  it('keeps its paths as long as it is up', async () => {
    const { fabric, paths } = await away(true);
    await wait(fabric, 20);
    expect(paths()).toBe(1);
  });

  it('drops them when it fails and is independent of the control plane (RFC 5882 section 4.3)', async () => {
    const { fabric, session, paths } = await away(true);
    fabric.node('a').links.byName('x')!.cable!.silent = true;
    await wait(fabric, 1.2);
    expect(session('a').bfd?.status?.state).toBe('Down');
    expect(paths()).toBe(0);
  });

  it('keeps them when it fails with the control plane, whose fate it shares', async () => {
    const { fabric, session, paths } = await away(false);
    fabric.node('a').links.byName('x')!.cable!.silent = true;
    await wait(fabric, 1.2);
    expect(session('a').bfd?.status?.state).toBe('Down');
    expect(paths()).toBe(1);
  });
});
