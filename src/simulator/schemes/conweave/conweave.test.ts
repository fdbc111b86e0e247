import { describe, expect, it } from 'vitest';
import type { FabricSimulation } from '../../network/fabric-simulation.js';
import { CLASS_SHIFT, Flag, PacketKind, ROW, Word } from '../../network/packets.js';
import { CONTROL_CLASS, LOSSLESS_CLASS } from '../../network/traffic-classes.js';
import { fatTree } from '../../topology/fat-tree.js';
import type { Flow } from '../../workload/flow-list.js';
import { LeafTrial, leafSpineTopology, openPair, runFlows, simulate } from '../scheme-trial.fixture.js';
import { ConWeave, conweave } from './conweave.js';
import { ControlKind, ControlWord, DataFlag, DataWord } from './header.js';

const US = 1e6;
const LEAF = 4;
const OTHER_LEAF = 5;

const trial = () => new LeafTrial(4, (context) => new ConWeave(context));

interface Header {
  readonly flags: number;
  readonly epoch: number;
  readonly path: number;
  readonly place: number;
}

/** Sends a packet of a queue pair at the source's leaf: where it goes, and its header. */
function sent(leaf: LeafTrial, qp: number, time: number): Header {
  leaf.simulation.events.now = time;
  const packet = leaf.packet(qp);
  const port = leaf.scheme.choose(leaf.node, packet, leaf.group);
  const { words } = leaf.simulation.packets;
  const at = packet << ROW;
  leaf.simulation.packets.release(packet);
  return {
    flags: words[at + DataWord.flags]! - DataFlag.present,
    epoch: words[at + DataWord.epoch]!,
    path: words[at + DataWord.path]!,
    place: leaf.uplinks.indexOf(port),
  };
}

/** A control packet comes to the source's leaf. */
function told(leaf: LeafTrial, qp: number, kind: number, { epoch, path }: Header): void {
  const { packets } = leaf.simulation;
  const packet = packets.allocate();
  const at = packet << ROW;
  packets.words[at] = PacketKind.scheme | (CONTROL_CLASS << CLASS_SHIFT);
  packets.words[at + Word.queuePair] = qp;
  packets.words[at + Word.generation] = leaf.simulation.queuePairs.generation[qp]!;
  packets.words[at + Word.destination] = 0;
  packets.words[at + ControlWord.kind] = kind;
  packets.words[at + ControlWord.epoch] = epoch;
  packets.words[at + ControlWord.path] = path;
  expect(leaf.scheme.received!(LEAF, packet, -1)).toBe(false);
}

describe('ConWeave at the source', () => {
  it('asks once an epoch, and begins the next with a packet after an answer in time', () => {
    const leaf = trial();
    const [qp] = leaf.pairs(1) as [number];
    const first = sent(leaf, qp, 0);
    expect([first.flags, first.epoch]).toEqual([DataFlag.request, 1]);
    expect(sent(leaf, qp, 1 * US)).toEqual({ ...first, flags: 0 });
    leaf.simulation.events.now = 7 * US;
    told(leaf, qp, ControlKind.reply, first);
    expect(sent(leaf, qp, 30 * US)).toEqual({ ...first, flags: DataFlag.request, epoch: 2 });
  });

  it('moves when an answer is late: a TAIL by the old path, then the new one, once, until a CLEAR', () => {
    const leaf = trial();
    // Propagation there and back is 4 us, and 4 more are allowed.
    const pairs = leaf.pairs(64);
    const before = pairs.map((qp) => sent(leaf, qp, 0));
    const tails = pairs.map((qp) => sent(leaf, qp, 8 * US + 1));
    expect(tails).toEqual(before.map((header) => ({ ...header, flags: DataFlag.tail })));
    const after = pairs.map((qp) => sent(leaf, qp, 9 * US));
    expect(after.every(({ flags, epoch }) => flags === DataFlag.rerouted && epoch === 1)).toBe(true);
    expect(after.filter(({ place }, index) => place !== before[index]!.place).length).toBeGreaterThan(32);
    // A late answer to the request is none, and however long it takes there is no second move.
    for (const [index, qp] of pairs.entries()) told(leaf, qp, ControlKind.reply, before[index]!);
    expect(pairs.map((qp) => sent(leaf, qp, 300 * US))).toEqual(after);
    for (const [index, qp] of pairs.entries()) told(leaf, qp, ControlKind.clear, before[index]!);
    expect(pairs.map((qp) => sent(leaf, qp, 301 * US))).toEqual(
      after.map((header) => ({ ...header, flags: DataFlag.request, epoch: 2 })),
    );
  });

  it('does not take a path that is busy, if one of the two that it looks at is not', () => {
    const leaf = trial();
    const [probe] = leaf.pairs(1) as [number];
    const paths = new Map<number, Header>();
    for (let start = 0; paths.size < 4; start += 301) {
      const header = sent(leaf, probe, start * US);
      paths.set(header.place, header);
    }
    const now = leaf.simulation.events.now;
    for (const place of [0, 1, 3]) told(leaf, probe, ControlKind.notify, paths.get(place)!);
    const places = (time: number) => leaf.pairs(100).map((qp) => sent(leaf, qp, time).place);
    const share = (time: number) => places(time).filter((place) => place === 2).length;
    // Two of four are looked at: 7 of 16 new flows see the one that is free, the others take any.
    expect(share(now + 15 * US)).toBeGreaterThan(45);
    expect(share(now + 17 * US)).toBeLessThan(40);
  });

  it('starts anew after a silence, by any path and without a TAIL', () => {
    const leaf = trial();
    const [qp] = leaf.pairs(1) as [number];
    const first = sent(leaf, qp, 0);
    expect(sent(leaf, qp, 300 * US).flags).toBe(DataFlag.tail);
    const anew = sent(leaf, qp, 600 * US + 1);
    expect([anew.flags, anew.epoch]).toEqual([DataFlag.request, first.epoch + 1]);
  });

  it('leaves a path that is gone at once, and knows nothing of the flow that had the number before', () => {
    const leaf = trial();
    const [qp] = leaf.pairs(1) as [number];
    const first = sent(leaf, qp, 0);
    leaf.fail(first.place);
    const second = sent(leaf, qp, 1 * US);
    expect(second.place).not.toBe(first.place);
    expect([second.flags, second.epoch]).toEqual([DataFlag.request, 2]);
    leaf.simulation.queuePairs.close(qp);
    expect(openPair(leaf.simulation, 0, 2, 5)).toBe(qp);
    expect(sent(leaf, qp, 2 * US).epoch).toBe(1);
  });
});

describe('ConWeave at the destination', () => {
  /** Two leaves; a packet comes to the second by a spine, and `delivered` has what went to its host. */
  function far(options = { ...conweave.defaults, resumeExtra: 16 }) {
    const delivered: number[] = [];
    const topology = leafSpineTopology({ leaves: 2, spines: 4, hosts: 2 });
    const simulation = simulate(topology, (context) => {
      const forward = (node: number, packet: number) => {
        if (!context.packets.isData(packet)) context.forward(node, packet);
        else delivered.push(context.packets.words[(packet << ROW) + Word.psn]!);
      };
      return new ConWeave({ ...context, forward }, options);
    });
    const pairs = [0, 1, 2].map((number) => openPair(simulation, 0, 2, number));
    let psn = 0;
    const scheme = simulation.scheme as ConWeave;
    const come = (
      flags: number,
      sentAt: number,
      more: { tailAt?: number; epoch?: number; marks?: number; pair?: number } = {},
    ) => {
      const { tailAt = 0, epoch = 1, marks = 0, pair = 0 } = more;
      const qp = pairs[pair]!;
      const packet = simulation.packets.allocate();
      const at = packet << ROW;
      const { words } = simulation.packets;
      words[at] = PacketKind.data | marks | (LOSSLESS_CLASS << CLASS_SHIFT);
      words[at + Word.queuePair] = qp;
      words[at + Word.psn] = psn;
      words[at + Word.bytes] = 1048;
      words[at + Word.ingress] = -1;
      words[at + Word.destination] = 2;
      words[at + Word.generation] = simulation.queuePairs.generation[qp]!;
      words[at + DataWord.flags] = DataFlag.present | flags;
      words[at + DataWord.epoch] = epoch;
      words[at + DataWord.path] = 0;
      words[at + DataWord.sentAt] = sentAt * 1000;
      words[at + DataWord.tailAt] = tailAt * 1000;
      if (scheme.received(OTHER_LEAF, packet)) delivered.push(psn);
      psn++;
    };
    const at = (time: number) => pass(simulation, time * US);
    return { come, at, delivered, scheme };
  }

  /** Lets virtual time pass. */
  function pass(simulation: FabricSimulation, time: number): void {
    const idle = { start() {}, timer() {}, completed() {}, isDone: false };
    simulation.events.schedule(time, 8, 0, 0);
    simulation.proceed(idle, time);
  }

  it('keeps what overtook its TAIL, and lets it go behind the TAIL', () => {
    const { come, at, delivered, scheme } = far();
    at(10);
    come(DataFlag.request, 1);
    come(DataFlag.rerouted, 4, { tailAt: 3 });
    come(DataFlag.rerouted, 5, { tailAt: 3 });
    come(0, 2);
    at(15);
    expect(delivered).toEqual([0, 3]);
    come(DataFlag.tail, 3, { tailAt: 3 });
    come(DataFlag.rerouted, 6, { tailAt: 3 });
    at(15);
    come(DataFlag.rerouted, 7, { tailAt: 3 });
    expect(delivered).toEqual([0, 3, 4, 1, 2, 5, 6]);
    expect(scheme.counters()).toMatchObject({ kept: 3, releasedByTail: 1, releasedByClock: 0, clears: 1 });
  });

  it('gives a lost TAIL up when it must have come: as long after the last of the old path as it was sent later', () => {
    const { come, at, delivered, scheme } = far();
    at(10);
    come(DataFlag.request, 1);
    come(DataFlag.rerouted, 8, { tailAt: 7 });
    // Sent at 1 us it came at 10; the TAIL was sent at 7, and 16 us are allowed: until 32.
    at(31.999);
    expect(delivered).toEqual([0]);
    at(32);
    expect(delivered).toEqual([0, 1]);
    come(DataFlag.rerouted, 9, { tailAt: 7 });
    expect(delivered).toEqual([0, 1, 2]);
    expect(scheme.counters()).toMatchObject({ kept: 1, releasedByClock: 1 });
  });

  it('waits the default where nothing came by the old path, from the first packet on', () => {
    const { come, at, delivered } = far();
    at(10);
    come(DataFlag.rerouted, 8, { tailAt: 7 });
    at(200);
    come(DataFlag.rerouted, 190, { tailAt: 7 });
    at(225.999);
    expect(delivered).toEqual([]);
    at(226);
    expect(delivered).toEqual([0, 1]);
  });

  it('passes what is of an epoch before, and sends what it keeps before a new epoch', () => {
    const { come, at, delivered } = far();
    at(10);
    come(DataFlag.rerouted, 8, { tailAt: 7 });
    come(DataFlag.request, 11, { epoch: 2 });
    come(DataFlag.rerouted, 8, { tailAt: 7 });
    expect(delivered).toEqual([0, 1, 2]);
  });

  it('has so many queues for a host, and lets packets of other flows pass', () => {
    const { come, at, delivered, scheme } = far({ ...conweave.defaults, queues: 2 });
    at(10);
    for (const pair of [0, 1, 2]) come(DataFlag.rerouted, 8, { tailAt: 7, pair });
    expect(delivered).toEqual([2]);
    come(DataFlag.tail, 7, { tailAt: 7, pair: 1 });
    at(10);
    come(DataFlag.rerouted, 9, { tailAt: 7, pair: 2 });
    expect(delivered).toEqual([2, 3, 1]);
    expect(scheme.counters()).toMatchObject({ withoutQueue: 1, reorderQueuesAtMost: 2, reorderOctetsAtMost: 2 * 1048 });
  });

  it('tells the source of marked packets', () => {
    const { come, scheme } = far();
    come(DataFlag.request, 1, { marks: Flag.congestion });
    come(0, 1);
    expect(scheme.counters()).toMatchObject({ notices: 1, clears: 0 });
  });
});

describe('ConWeave in a fabric', () => {
  /** Eight hosts of a leaf send 2 MB each to one of the other: 2:1, so paths fill up. */
  const flows: Flow[] = Array.from({ length: 8 }, (_, host) => ({
    source: host,
    destination: 8 + host,
    octets: 2e6,
    start: host * 3 * US,
  }));
  const topology = leafSpineTopology({ leaves: 2, spines: 4, hosts: 8 });

  it('moves flows while they send, and no NIC sees a packet out of order', () => {
    const simulation = simulate(topology, (context) => conweave.create(context, conweave.defaults));
    expect(runFlows(simulation, flows).every((time) => time > 0)).toBe(true);
    const counters = simulation.scheme.counters!();
    expect(counters.moves).toBeGreaterThan(3);
    expect(counters.kept).toBeGreaterThan(0);
    expect([simulation.hosts.outOfOrder, simulation.hosts.resent, counters.withoutQueue]).toEqual([0, 0, 0]);
    expect((simulation.scheme as ConWeave).destination.queues.inUse).toBe(0);
    expect((simulation.scheme as ConWeave).destination.queues.octets).toBe(0);
  });

  it('keeps its promise in three tiers as well', () => {
    const tree = fatTree({ k: 4, hostsPerLeaf: 4, hostRate: 100e9, linkRate: 100e9, delay: US });
    const simulation = simulate(tree, (context) => conweave.create(context, conweave.defaults));
    const across = Array.from({ length: 32 }, (_, host) => ({
      source: host,
      destination: (host + 9) % 32,
      octets: 5e5,
      start: host * US,
    }));
    expect(runFlows(simulation, across).every((time) => time > 0)).toBe(true);
    expect(simulation.scheme.counters!().kept).toBeGreaterThan(0);
    expect(simulation.hosts.outOfOrder).toBe(0);
  });

  it('finishes when paths go as it moves', () => {
    const simulation = simulate(topology, (context) => conweave.create(context, conweave.defaults));
    const { forwarding, ports } = simulation;
    const here = forwarding.portsOf(forwarding.groupOf(16, 8));
    const there = forwarding.portsOf(forwarding.groupOf(17, 0));
    simulation.changed = (place) => {
      const port = here[place]!;
      for (const end of [port, port ^ 1]) ports.up[end] = 0;
      // Routing tells the other leaf.
      forwarding.set(17, forwarding.prefixOf[0]!, there.slice(place + 1), []);
      forwarding.refresh();
    };
    simulation.events.schedule(40 * US, 7, 0, 0);
    simulation.events.schedule(80 * US, 7, 1, 0);
    const times = runFlows(simulation, flows);
    // 16 MB over two uplinks take 0.7 ms; what the links lost, a timeout of 4 ms brings.
    expect(times.every((time) => time > 0 && time < 12e9)).toBe(true);
    expect((simulation.scheme as ConWeave).destination.queues.inUse).toBe(0);
  });

  it('refuses options that cannot be', () => {
    expect(conweave.refuses!(topology, conweave.defaults)).toBeUndefined();
    expect(conweave.refuses!(topology, { ...conweave.defaults, pathBusy: -1 })).toContain('pathBusy -1');
    expect(conweave.refuses!(topology, { ...conweave.defaults, queues: 1.5 })).toContain('queues 1.5');
  });
});
