import { describe, expect, it } from 'vitest';
import { EventKind } from '../engine/event-kind.js';
import { NoCongestionControl } from '../hosts/congestion-control.js';
import { Irn } from '../hosts/irn.js';
import { incast } from '../workload/arrivals.js';
import type { Flow } from '../workload/flow-list.js';
import { markingBound, pausesBeforeMarks } from './ecn-before-pfc.js';
import type { FabricSettings, FabricSimulation } from './fabric-simulation.js';
import { headroomOf, NS3_BUFFER, NS3_SWITCHES } from './ns3-profile.js';
import { CLASS_SHIFT, PacketKind, ROW, Word } from './packets.js';
import { pausedTimes } from './paused-time.js';
import { flowList, smallClos, smallFabric } from './small-fabric.fixture.js';
import type { WatchdogProfile } from './switches.js';
import {
  BEST_EFFORT_CLASS,
  CLASS_COUNT,
  CONTROL_CLASS,
  classOf,
  classOfPriority,
  LOSSLESS_CLASS,
} from './traffic-classes.js';

const US = 1e6;
const unchecked: Partial<FabricSettings> = { congestion: () => new NoCongestionControl() };
/** For runs with losses: go-back-N would send most of all packets many times. */
const lossy: Partial<FabricSettings> = { ...unchecked, reliability: (queuePairs) => new Irn(queuePairs, 1000) };
const QUANTA = { ...NS3_SWITCHES, quanta: { pause: 65535, refresh: 32768 } };
const pausedOf = (simulation: FabricSimulation, from: string, to: string) =>
  pausedTimes(simulation).find((hop) => hop.from === from && hop.to === to)!.time;

/** Nothing is in any buffer, and no pause was forgotten. */
function expectAtRest({ buffer, packets, ports }: FabricSimulation): void {
  expect(Math.max(...buffer.used, ...buffer.ingressOctets)).toBe(0);
  expect(packets.live).toBe(0);
  expect(Math.max(...ports.paused)).toBe(0);
}

describe('PFC', () => {
  /** Eight hosts of leaves 2 and 3 to host1; one host of leaf 2 to host2, which is idle otherwise. */
  const topology = smallClos(3, 2, 8);
  const senders = [8, 9, 10, 11, 16, 17, 18, 19];
  const many = incast(topology, 0, { senders, octets: 1_000_000, start: 0 });
  const victim: Flow = { source: 12, destination: 1, octets: 500_000, start: 50 * US };
  const timeOf = (flows: readonly Flow[], changes: Partial<FabricSettings>) => {
    const simulation = smallFabric(topology, changes);
    const list = flowList(simulation, flows);
    simulation.run(list, 100e9);
    expect(list.isDone).toBe(true);
    return { simulation, time: list.completionTimes.at(-1)! };
  };
  const alone = timeOf([victim], unchecked).time;

  it.each([
    ['in the manner of the ns-3 models', NS3_SWITCHES],
    ['with quanta that are refreshed', QUANTA],
  ])(
    'spreads an incast over the spines to other leaves and to hosts, and slows who is not part of it, %s',
    (_, switches) => {
      const { simulation, time } = timeOf([...many, victim], { ...unchecked, switches });
      expect(simulation.switches.droppedFull).toBe(0);
      expect(simulation.hosts.resent).toBe(0);
      expect(pausedOf(simulation, 'spine', 'leaf')).toBeGreaterThan(0);
      expect(pausedOf(simulation, 'leaf', 'spine')).toBeGreaterThan(0);
      expect(pausedOf(simulation, 'host', 'leaf')).toBeGreaterThan(0);
      expect(pausedOf(simulation, 'leaf', 'host')).toBe(0);
      expect(time / alone).toBeGreaterThan(3);
      simulation.proceed({ start() {}, timer() {}, completed() {}, isDone: false }, 1e12);
      expectAtRest(simulation);
    },
  );

  it('says far less with quanta than with a pause for every packet', () => {
    const ns3 = timeOf(many, unchecked).simulation.switches.pauseFrames;
    const real = timeOf(many, { ...unchecked, switches: QUANTA }).simulation.switches.pauseFrames;
    expect(real).toBeGreaterThan(10);
    expect(ns3 / real).toBeGreaterThan(5);
  });

  it('loses nothing when pauses are shorter than the congestion, for they are refreshed', () => {
    // 20 us at 100 Gb/s, told again after 10.
    const switches = { ...NS3_SWITCHES, quanta: { pause: 3906, refresh: 1953 } };
    const { simulation } = timeOf(many, { ...unchecked, switches });
    expect([simulation.switches.droppedFull, simulation.hosts.resent]).toEqual([0, 0]);
    expect(simulation.switches.pauseFrames).toBeGreaterThan(
      timeOf(many, { ...unchecked, switches: QUANTA }).simulation.switches.pauseFrames,
    );
  });

  it('left out, packets are lost instead', () => {
    const { simulation } = timeOf(many, { ...lossy, buffer: { ...NS3_BUFFER, size: 2 ** 20, pfc: false } });
    expect(simulation.switches.pauseFrames).toBe(0);
    expect(simulation.switches.droppedFull).toBeGreaterThan(100);
  });

  it('is for the lossless class only: others lose packets', () => {
    const marked = many.map((flow) => ({ ...flow, dscp: 0 }));
    const { simulation } = timeOf(marked, { ...lossy, buffer: { ...NS3_BUFFER, size: 2 ** 20 } });
    expect(simulation.switches.pauseFrames).toBe(0);
    expect(simulation.switches.droppedFull).toBeGreaterThan(100);
  });
});

describe('the PFC watchdog', () => {
  const topology = smallClos(2, 1, 2);
  /** Host1 pauses its leaf without end: a broken NIC. */
  function storm(simulation: FabricSimulation): void {
    const { packets, wire, topology: shape } = simulation;
    const port = shape.links.findIndex(({ a }) => a === 0) * 2;
    const packet = packets.allocate();
    const at = packet << ROW;
    packets.words[at] = PacketKind.pause | (CONTROL_CLASS << CLASS_SHIFT);
    packets.words[at + Word.queuePair] = LOSSLESS_CLASS;
    packets.words[at + Word.psn] = 65535;
    packets.words[at + Word.bytes] = 64;
    packets.words[at + Word.ingress] = -1;
    wire.put(port, packet);
  }
  const flows: Flow[] = [
    { source: 2, destination: 0, octets: 10_000_000, start: 0 },
    { source: 2, destination: 1, octets: 300_000, start: 300 * US },
  ];
  const run = (watchdog?: WatchdogProfile) => {
    // Pauses of the ns-3 manner are told when packets come only, so that a queue that stands still leaks.
    const switches = { ...QUANTA, ...(watchdog && { watchdog }) };
    const simulation = smallFabric(topology, { ...unchecked, switches });
    const list = flowList(simulation, flows);
    simulation.sampled = () => {
      if (simulation.events.now > 2_000 * US) return;
      storm(simulation);
      simulation.events.schedule(simulation.events.now + 200 * US, EventKind.sample, 0, 0);
    };
    simulation.events.schedule(10 * US, EventKind.sample, 0, 0);
    simulation.run(list, 100e9);
    expect(list.isDone).toBe(true);
    return { simulation, times: list.completionTimes };
  };

  it('gives up a queue that is paused for ever, so that its neighbours go on', () => {
    const without = run();
    expect(without.simulation.watchdog).toBeUndefined();
    expect(without.times[1]!).toBeGreaterThan(1_500 * US);
    const { simulation, times } = run({ detect: 100 * US, restore: 5_000 * US, action: 'drop' });
    expect(simulation.watchdog!.storms).toBe(1);
    expect(simulation.switches.droppedByWatchdog).toBeGreaterThan(100);
    expect(times[1]!).toBeLessThan(300 * US);
  });

  it('sends what waits in spite of the pauses instead, where that is its action, and loses nothing', () => {
    const { simulation, times } = run({ detect: 100 * US, restore: 5_000 * US, action: 'forward' });
    expect(simulation.watchdog!.storms).toBe(1);
    expect([simulation.switches.droppedByWatchdog, simulation.hosts.resent]).toEqual([0, 0]);
    // 10 MB at 100 Gb/s, and the 100 us in which the storm was believed; without a watchdog it ends with the storm.
    expect(times[0]!).toBeLessThan(1_100 * US);
    expect(run().times[0]!).toBeGreaterThan(2_000 * US);
  });

  it('looks again after a while, and lets the queue be when the storm is over', () => {
    const { simulation } = run({ detect: 100 * US, restore: 500 * US, action: 'drop' });
    // Twice or more in the 2.3 ms for which the storm lasts.
    expect(simulation.watchdog!.storms).toBeGreaterThan(1);
    expect(simulation.watchdog!.storms).toBeLessThan(5);
    expect(Math.max(...simulation.ports.discards)).toBe(0);
  });
});

describe('the class of answers', () => {
  const topology = smallClos(1, 1, 17);
  const senders = Array.from({ length: 16 }, (_, index) => index + 1);
  /** Host1 is sent to by all others, and sends to one of them: its data has ACKs that meet the crowd. */
  const flows = [
    ...incast(topology, 0, { senders, octets: 1_000_000, start: 0 }),
    { source: 0, destination: 1, octets: 20_000, start: 50 * US },
  ];
  const timeWith = (acknowledgement: number) => {
    const simulation = smallFabric(topology, {
      ...unchecked,
      answerClasses: { acknowledgement, notice: CONTROL_CLASS },
    });
    const list = flowList(simulation, flows);
    simulation.run(list, 100e9);
    expect(list.isDone).toBe(true);
    expectAtRest(simulation);
    return list.completionTimes.at(-1)!;
  };

  it('is strictly first, or waits in the queues that data fills', () => {
    const first = timeWith(CONTROL_CLASS);
    expect(timeWith(LOSSLESS_CLASS)).toBeGreaterThan(first * 2);
    expect(timeWith(BEST_EFFORT_CLASS)).toBeGreaterThan(first);
  });
});

describe('ECN before PFC', () => {
  it("has the paper's bound: 21.75 kB for beta 8 on 12 MB and 32 ports", () => {
    const bound = markingBound({ shared: 12e6 - 8 * 32 * 22.4e3, alpha: 8 / 8, ports: 32, classes: 8 });
    expect(bound / 1e3).toBeCloseTo(21.75, 1);
    const [beta, buffer, ports, flight] = [8, 12e6, 32, 22.4e3];
    expect(bound).toBeCloseTo((beta * (buffer - 8 * ports * flight)) / (8 * ports * (beta + 1)), 6);
  });

  const topology = smallClos(2, 2, 14);
  const headroom = (port: number) => headroomOf(topology.links[port >> 1]!, 1048);
  const problem = (minimum: number, changes = {}) =>
    pausesBeforeMarks(
      topology,
      { ...NS3_BUFFER, ...changes },
      { marking: { minimum, maximum: 400_000, probability: 0.2 }, headroom },
    );

  it('is refused where the thresholds of the ns-3 models let PFC be first, with the most that is allowed', () => {
    expect(problem(100_000)).toMatch(
      /^leaf1: PFC may pause before ECN marks: marking from 100000 octets on, it must be below 32\d{3} \(16 ports, alpha 0.0625/,
    );
    expect(problem(30_000)).toBeUndefined();
    expect(problem(100_000, { ingressAlpha: 1 })).toBeUndefined();
    expect(problem(100_000, { pfc: false })).toBeUndefined();
  });

  it('is refused where headroom leaves nothing', () => {
    expect(problem(5000, { size: 500_000 })).toMatch(
      /^leaf1: headroom and guarantees of 16 ports take \d+ octets, the buffer has 500000/,
    );
  });

  it('means what it says: within the bound senders at once are marked and nobody pauses; far beyond it they are paused', () => {
    const senders = Array.from({ length: 8 }, (_, index) => 14 + index);
    const flows = incast(topology, 0, { senders, octets: 300_000, start: 0 });
    const run = (minimum: number, alpha: number) => {
      const marking = { minimum, maximum: minimum * 4, probability: 0.2 };
      const simulation = smallFabric(topology, {
        buffer: { ...NS3_BUFFER, ingressAlpha: alpha },
        switches: { ...NS3_SWITCHES, marking },
      });
      const list = flowList(simulation, flows);
      simulation.run(list, 100e9);
      expect(list.isDone).toBe(true);
      expect(simulation.switches.droppedFull).toBe(0);
      return simulation.switches;
    };
    expect(problem(20_000, { ingressAlpha: 1 })).toBeUndefined();
    const tuned = run(20_000, 1);
    expect(tuned.marked).toBeGreaterThan(0);
    expect(tuned.pauseFrames).toBe(0);
    expect(run(400_000, 1 / 64).pauseFrames).toBeGreaterThan(0);
  });
});

it('a packet that several switches mark counts once', () => {
  const topology = smallClos(2, 1, 1);
  // All that leaves a queue is marked, at three switches.
  const marking = { minimum: -1, maximum: -1, probability: 1 };
  const simulation = smallFabric(topology, { ...unchecked, switches: { ...NS3_SWITCHES, marking } });
  simulation.run(flowList(simulation, [{ source: 0, destination: 1, octets: 100_000, start: 0 }]), 1e9);
  expect([simulation.switches.marked, simulation.hosts.dataPackets]).toEqual([100, 100]);
});

it('code points lead into classes as in the validated design', () => {
  expect([26, 48, 0, 10].map((dscp) => classOf(dscp))).toEqual([
    LOSSLESS_CLASS,
    CONTROL_CLASS,
    BEST_EFFORT_CLASS,
    BEST_EFFORT_CLASS,
  ]);
  expect([3, 6, 0].map((pcp) => classOfPriority(pcp))).toEqual([LOSSLESS_CLASS, CONTROL_CLASS, BEST_EFFORT_CLASS]);
  expect(CLASS_COUNT).toBe(3);
});
