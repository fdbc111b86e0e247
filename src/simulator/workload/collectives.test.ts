import { describe, expect, it } from 'vitest';
import { NoCongestionControl } from '../hosts/congestion-control.js';
import { PlacingNic } from '../hosts/placing-nic.js';
import type { FabricSettings } from '../network/fabric-simulation.js';
import { linkChanges, scheduleChanges } from '../network/link-changes.js';
import { smallClos, smallFabric } from '../network/small-fabric.fixture.js';
import type { Topology } from '../network/topology.js';
import { forwardingBy, playSpeakers, type SpeakerRoutes } from '../routes/speaker-routes.js';
import { dlb } from '../schemes/dlb.js';
import { Ecmp } from '../schemes/ecmp.js';
import { type CollectiveJob, Collectives } from './collectives.js';
import { type ConnectionSettings, plainEndpoints, planeEndpoints } from './connections.js';
import { operationBandwidth } from './group-operation.js';
import { Training, type TrainingJob } from './training.js';

const US = 1e6;
const unchecked: Partial<FabricSettings> = { congestion: () => new NoCongestionControl() };
const one: ConnectionSettings = { queuePairs: 1, spread: 'split', endpoints: plainEndpoints };
const four: ConnectionSettings = { ...one, queuePairs: 4 };
/** Octets on the wire for each of payload: in one direction, and with the ACKs for the other. */
const OVERHEAD = 1.048;
const WITH_ACKS = 1.108;

function run(
  topology: Topology,
  jobs: readonly CollectiveJob[],
  settings = one,
  changes: Partial<FabricSettings> = {},
) {
  const simulation = smallFabric(topology, { ...unchecked, ...changes });
  const collectives = new Collectives(simulation, jobs, settings);
  simulation.run(collectives, 100e9);
  expect(collectives.isDone).toBe(true);
  // The ACKs that are under way when the last message has arrived.
  simulation.proceed({ start() {}, timer() {}, completed() {}, isDone: false }, 1e12);
  return { simulation, times: collectives.completionTimes };
}

/** What each port from a leaf to a spine has sent, octets. */
function uplinkOctets(topology: Topology, sentOctets: Float64Array): number[] {
  return topology.links.flatMap(({ a }, link) => (a < topology.hosts ? [] : [sentOctets[link * 2]!]));
}

describe('collective operations', () => {
  const topology = smallClos(1, 1, 4);
  const members = [0, 1, 2, 3];
  const octets = 4_000_000;

  it.each([
    // As many steps of a quarter of the buffer as each rank has, and 2 us of the way for each.
    ['all-reduce', 6],
    ['all-gather', 3],
    ['reduce-scatter', 3],
  ] as const)('%s goes round the ring at line rate', (kind, steps) => {
    const job = { kind, members, octets, start: 5 * US };
    const { simulation, times } = run(topology, [job]);
    const ideal = steps * ((octets / 4) * WITH_ACKS * 80);
    expect(times[0]!).toBeGreaterThan(ideal);
    expect(times[0]!).toBeLessThan(ideal + steps * 2.5 * US);
    expect(simulation.hosts.dataPackets).toBe(4 * steps * 1000);
    // The bus bandwidth is what a link carries: its rate, without headers.
    const { algorithm, bus } = operationBandwidth(job, times[0]!);
    expect(bus).toBeGreaterThan(0.94 * (100_000 / WITH_ACKS));
    expect(bus).toBeLessThan(100_000 / WITH_ACKS);
    expect(bus / algorithm).toBeCloseTo(kind === 'all-reduce' ? 1.5 : 0.75, 9);
  });

  it('all-to-all sends a block to each other at once', () => {
    const { simulation, times } = run(topology, [{ kind: 'all-to-all', members, octets, start: 0 }]);
    const ideal = 3_000_000 * WITH_ACKS * 80;
    expect(times[0]!).toBeGreaterThan(ideal);
    expect(times[0]!).toBeLessThan(ideal * 1.1);
    expect(simulation.hosts.dataPackets).toBe(4 * 3 * 1000);
  });

  it('of several groups run at once', () => {
    const job = { kind: 'all-reduce', octets, start: 0 } as const;
    const { times } = run(topology, [
      { ...job, members: [0, 1] },
      { ...job, members: [2, 3] },
    ]);
    expect(times[0]).toBe(times[1]);
  });

  it.each([
    [{ kind: 'all-reduce', members: [1], octets, start: 0 }, 'all-reduce: two hosts are needed at least'],
    [{ kind: 'all-gather', members: [1, 1], octets, start: 0 }, 'all-gather: a host is in the group twice'],
    [{ kind: 'all-to-all', members: [0, 1], octets: 7, start: 0 }, 'all-to-all of 7 octets: 8 are needed at least'],
  ] as const)('%j is refused: %s', (job, reason) => {
    expect(() => new Collectives(smallFabric(topology), [job], one)).toThrow(reason);
  });

  it('is refused with more queue pairs than can be', () => {
    const make = (queuePairs: number) => () => new Collectives(smallFabric(topology), [], { ...one, queuePairs });
    expect(make(0)).toThrow('0 queue pairs a connection: 1 to 64');
    expect(make(65)).toThrow('65 queue pairs');
  });
});

describe('queue pair scaling', () => {
  const topology = smallClos(2, 4, 4);
  /** Each hop of the ring crosses the spines. */
  const members = [0, 4, 1, 5, 2, 6, 3, 7];
  const job: CollectiveJob = { kind: 'all-reduce', members, octets: 8_000_000, start: 0 };
  const hashing = (queuePair: boolean): Partial<FabricSettings> => ({
    scheme: (context) => new Ecmp(context, { queuePair, equalSeeds: false }),
  });

  it('by cutting messages spreads a flow over uplinks that ECMP alone leaves to one', () => {
    const alone = run(topology, [job], one, hashing(false)).times[0]!;
    const spread = run(topology, [job], { ...one, queuePairs: 16 }, hashing(true)).times[0]!;
    expect(alone / spread).toBeGreaterThan(1.2);
  });

  it('by turns has whole messages on one queue pair after the other', () => {
    const { simulation } = run(topology, [job], { ...four, spread: 'round-robin' }, hashing(true));
    // 14 messages of each connection over 4 queue pairs: 4, 4, 3, 3.
    const packets = Array.from(simulation.queuePairs.unacknowledged.subarray(0, 4)).map((count) => count / 1000);
    expect(packets).toEqual([4, 4, 3, 3]);
  });
});

describe('RDMA-aware load balancing over the routes of real speakers', () => {
  const topology = smallClos(2, 4, 4);
  const planes = 4;
  const plan = { planes, coloured: true };
  const options = { seed: 3, tableDelay: 1, until: 0 };
  const members = [0, 4, 1, 5, 2, 6, 3, 7];
  const job: CollectiveJob = { kind: 'all-reduce', members, octets: 16_000_000, start: 0 };
  const subflows: ConnectionSettings = { queuePairs: planes, spread: 'split', endpoints: planeEndpoints(planes) };
  const by = (routes: SpeakerRoutes): Partial<FabricSettings> => ({
    forwarding: (shape, isUp) => forwardingBy(shape, routes, isUp),
  });

  it('has an exact N-th of everything on each uplink, and no mark', async () => {
    const routes = await playSpeakers(topology, plan, [], options);
    const { simulation, times } = run(topology, [job], subflows, by(routes));
    const sent = uplinkOctets(topology, simulation.ports.sentOctets);
    // ACKs come by the uplinks as well, as many on each.
    expect(new Set(sent).size).toBe(1);
    expect(simulation.switches.marked).toBe(0);
    const { bus } = operationBandwidth(job, times[0]!);
    expect(bus).toBeGreaterThan(0.9 * (100_000 / WITH_ACKS));
    const hashed = run(topology, [job], four, { ...unchecked }).times[0]!;
    expect(hashed / times[0]!).toBeGreaterThan(1.1);
  });

  it('goes by the other uplinks when one is down: sprayed over them, the job takes N/(N-1) of the time', async () => {
    const routes = await playSpeakers(topology, plan, [], options);
    const sprayed: Partial<FabricSettings> = {
      ...by(routes),
      reliability: (queuePairs) => new PlacingNic(queuePairs),
      scheme: (context) => dlb.create(context, { ...dlb.defaults, mode: 'per-packet' }),
    };
    const whole = run(topology, [job], subflows, sprayed).times[0]!;
    const simulation = smallFabric(topology, { ...unchecked, ...sprayed });
    const collectives = new Collectives(simulation, [job], subflows);
    // Routing tells nobody here: the spine is cut off from both leaves.
    const spine = topology.names.indexOf('spine2');
    const cut = topology.links.flatMap(({ b }, link) =>
      b === spine ? [{ time: 0, link, kind: 'down' } as const] : [],
    );
    scheduleChanges(simulation, linkChanges(simulation, cut));
    simulation.run(collectives, 100e9);
    expect(collectives.isDone).toBe(true);
    const sent = uplinkOctets(topology, simulation.ports.sentOctets);
    expect(sent.filter((octets) => octets === 0).length).toBe(2);
    const ratio = collectives.completionTimes[0]! / whole;
    expect(ratio).toBeGreaterThan(planes / (planes - 1) - 0.03);
    expect(ratio).toBeLessThan(planes / (planes - 1) + 0.06);
  });
});

describe('a training job', () => {
  const topology = smallClos(2, 2, 4);
  const job: TrainingJob = {
    stages: [
      [0, 1],
      [4, 5],
      [2, 3],
    ],
    microBatches: 4,
    activations: 200_000,
    gradients: 1_000_000,
    forward: 100 * US,
    backward: 160 * US,
    iterations: 2,
  };
  const run = (changes: Partial<TrainingJob> = {}) => {
    const simulation = smallFabric(topology, unchecked);
    const training = new Training(simulation, { ...job, ...changes }, one);
    simulation.run(training, 1e12);
    expect(training.isDone).toBe(true);
    return { simulation, training };
  };

  it('takes the time of its pipeline, and what sending adds to it', () => {
    const { training, simulation } = run();
    // Four micro-batches and the two other stages to fill the pipeline with, in either direction.
    const computing = (4 + 2) * (100 + 160) * US;
    const activation = 200_000 * OVERHEAD * 80;
    expect(training.iterationTimes).toHaveLength(2);
    for (const time of training.iterationTimes) {
      expect(time).toBeGreaterThan(computing + 4 * activation);
      expect(time).toBeLessThan(computing + 4 * (activation + 12 * US) + 1_000_000 * OVERHEAD * 80 * 2);
    }
    // Of each iteration: activations and their gradients over two borders of two replicas, and the ring of each stage.
    const packets = 2 * 2 * 2 * 4 * 200 + 3 * 2 * 2 * 500;
    expect(simulation.hosts.dataPackets).toBe(2 * packets);
  });

  it('computes only, with one stage and one replica', () => {
    const { training } = run({ stages: [[0]], iterations: 1 });
    expect(training.iterationTimes).toEqual([4 * 260 * US]);
  });

  it.each([
    [{ stages: [] }, 'a training job without hosts'],
    [{ stages: [[0, 1], [2]] }, 'different numbers of replicas'],
    [{ stages: [[0], [0]] }, 'has a host twice'],
    [{ microBatches: 0 }, 'with microBatches 0: it must be a whole number'],
    [{ gradients: 1.5 }, 'with gradients 1.5'],
    [{ forward: -1 }, 'computes for a negative time'],
  ])('%j is refused: %s', (changes, reason) => {
    expect(() => run(changes)).toThrow(reason);
  });
});
