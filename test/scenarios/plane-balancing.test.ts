/**
 * What load-balancing.test.ts is for the kernel's groups, on the eBPF plane: an uplink has failed, flows go over the three that are left,
 * and each way of balancing puts them where it must. One fabric, whose leaf takes another way by `heddle reload`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { tearDown } from '../../src/app/lab/build.js';
import { prepareBursts } from '../../src/app/lab/bursts.js';
import { controlSocket, type Lab, namespaceOf } from '../../src/app/lab/lab.js';
import { failLink, healLink } from '../../src/app/lab/links.js';
import { poll } from '../../src/app/lab/poll.js';
import { colourFlow } from '../../src/app/lab/probe.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { reload } from '../../src/edge/control/command-client.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

const LEAF = 'leaf2';
const ENDS = { from: 'host2', to: 'host1', colour: 1 };
const LEFT = ['spine2', 'spine3', 'spine4'];
/** Octets a second, of datagrams of 1000: half of what three links take. */
const RATE = 750_000;
const FLOWS = 24;
/** Packets that are measured, at least. */
const ENOUGH = 1500;
/** Largest over mean, where all on one link are 3: what is sent late is sent at once, and in between some links look better than others. */
const EVEN = 1.5;
const PATIENCE = { timeout: 120_000, interval: 100 };

interface Sent {
  /** By link of LEFT, those that the plane has sent there. */
  readonly packets: readonly number[];
  readonly moves: number;
  readonly risks: number;
}

/** Load alone says how good a link is: it is the program's own, and no matter of when the daemon looks. */
const TOPOLOGY = `
name: pb
spines: 4
leaves: 2
link-rate: 4mbit
timers: { hold: 60 }
settings: { ${LEAF}: { load-balancing: { quantization: { rate-weightage: 100 } }, ebpf: { mode: flowlet, flowsets: 32768 } } }`;

describe.skipIf(unusable)('load balancing of the eBPF plane', () => {
  let lab: Lab;
  let port = 20_000;

  async function sent(): Promise<Sent> {
    const { plane } = await new ControlClient(controlSocket(lab, LEAF)).dlb();
    const ports = LEFT.map((spine) => plane?.ports.find((one) => one.interface === `to-${spine}`));
    const sum = (of: 'moves' | 'reorderRisks') => ports.reduce((total, one) => total + (one?.[of] ?? 0), 0);
    return { packets: ports.map((one) => one?.packets ?? 0), moves: sum('moves'), risks: sum('reorderRisks') };
  }

  /** What is sent from now on, until it is enough. */
  async function sample(): Promise<Sent> {
    const before = await sent();
    let now = before;
    const enough = async () => {
      now = await sent();
      return total(now.packets) - total(before.packets) >= ENOUGH;
    };
    expect(await poll(enough, PATIENCE)).toBe(true);
    const packets = now.packets.map((one, place) => one - before.packets[place]!);
    return { packets, moves: now.moves - before.moves, risks: now.risks - before.risks };
  }

  async function balances(ebpf: Readonly<Record<string, unknown>>): Promise<void> {
    const file = join(lab.directory, `${LEAF}.yaml`);
    const config: { readonly ebpf: object } = parse(readFileSync(file, 'utf8'));
    writeFileSync(file, stringify({ ...config, ebpf: { ...config.ebpf, ...ebpf } }));
    await reload(controlSocket(lab, LEAF));
  }

  /** Steady flows that have not been there before, while `body` runs. */
  async function sending(flows: number, body: () => Promise<void>): Promise<void> {
    const { source, destination, port: to } = await colourFlow(lab, ENDS);
    const sourcePorts = Array.from({ length: flows }, () => port++);
    const shape = { rate: RATE, burst: 40, pause: 0 };
    const ends = [ENDS.from, ENDS.to].map((host) => namespaceOf(lab, host)) as [string, string];
    const bursts = await prepareBursts(...ends, { source, address: destination, port: to, sourcePorts, ...shape });
    try {
      bursts.begin();
      await body();
      await bursts.stop();
    } finally {
      bursts.abandon();
    }
  }

  const states = async () => {
    const { plane } = await new ControlClient(controlSocket(lab, LEAF)).dlb();
    return Object.fromEntries((plane?.ports ?? []).map((one) => [one.interface.slice(3), one.state]));
  };

  beforeAll(async () => {
    lab = await startLab(TOPOLOGY, 'ebpf');
    await failLink(lab, `${LEAF}:spine1`);
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('flowlet: flows that crowd on one link are spread at their pauses when there are others again', async () => {
    const [first, ...others] = LEFT;
    for (const spine of others) await failLink(lab, `${LEAF}:${spine}`);
    await expect.poll(states, PATIENCE).toEqual({ [first!]: 'up' });
    await sending(FLOWS, async () => {
      expect((await sample()).packets.slice(1)).toEqual([0, 0]);
      const before = await sent();
      for (const spine of others) await healLink(lab, `${LEAF}:${spine}`);
      await expect.poll(states, PATIENCE).toEqual(Object.fromEntries(LEFT.map((spine) => [spine, 'up'])));
      await expect.poll(async () => imbalanceOf((await sample()).packets), PATIENCE).toBeLessThan(EVEN);
      const after = await sent();
      expect(after.moves).toBeGreaterThan(before.moves);
      expect(after.risks).toBe(before.risks);
    });
  });

  it('assigned-flow: flows are given links, and keep them', async () => {
    await balances({ mode: 'assigned-flow' });
    await sending(FLOWS, async () => {
      const { packets, moves } = await sample();
      expect(packets.filter((count) => count > 0).length).toBeGreaterThan(1);
      expect(moves).toBe(0);
    });
  });

  it('per-packet: one flow is on all links alike', async () => {
    await balances({ mode: 'per-packet' });
    await sending(1, async () => {
      await expect.poll(async () => imbalanceOf((await sample()).packets), PATIENCE).toBeLessThan(EVEN);
    });
  });
});

function total(packets: readonly number[]): number {
  return packets.reduce((sum, one) => sum + one, 0);
}

function imbalanceOf(packets: readonly number[]): number {
  return (Math.max(...packets) * packets.length) / total(packets);
}
