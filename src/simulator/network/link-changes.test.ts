import { describe, expect, it } from 'vitest';
import { NoCongestionControl } from '../hosts/congestion-control.js';
import { Irn } from '../hosts/irn.js';
import { stridePermutation } from '../workload/arrivals.js';
import type { Flow } from '../workload/flow-list.js';
import type { FabricSettings } from './fabric-simulation.js';
import { checkLinkChanges, type LinkChange, linkChanges, scheduleChanges } from './link-changes.js';
import { PacketKind, ROW, Word } from './packets.js';
import { setShortestPaths } from './shortest-paths.js';
import { flowList, smallClos, smallFabric } from './small-fabric.fixture.js';
import type { Topology } from './topology.js';

const US = 1e6;
const changesOfHosts: Partial<FabricSettings> = {
  congestion: () => new NoCongestionControl(),
  reliability: (queuePairs) =>
    new Irn(queuePairs, 1000, { window: 200_000, lowTimeout: 200e6, highTimeout: 200e6, few: 3 }),
};

function linkOf(topology: Topology, lower: string, upper: string): number {
  return topology.links.findIndex(({ a, b }) => topology.names[a] === lower && topology.names[b] === upper);
}

function run(topology: Topology, flows: readonly Flow[], changes: readonly LinkChange[], convergence?: number) {
  const simulation = smallFabric(topology, changesOfHosts);
  const list = flowList(simulation, flows);
  const isUp = (port: number) => simulation.ports.up[port] === 1;
  const rerouted = () => setShortestPaths(simulation.forwarding, topology, isUp);
  const routing = convergence === undefined ? undefined : { convergence, rerouted };
  scheduleChanges(simulation, linkChanges(simulation, changes, routing));
  simulation.run(list, 20e9);
  // What is still under way when all flows are done.
  simulation.proceed({ start() {}, timer() {}, completed() {}, isDone: false }, 1e12);
  return { simulation, times: list.completionTimes, isDone: list.isDone };
}

describe('a link that goes down', () => {
  const topology = smallClos(2, 2, 4);
  const flows = stridePermutation(topology, 4, { octets: 400_000, start: 0 });
  const link = linkOf(topology, 'leaf1', 'spine1');

  it('takes what waits for it and what is on it along, and frees their buffers; leaf1 goes by spine2 at once', () => {
    const down: LinkChange = { time: 20 * US, link, kind: 'down' };
    const { simulation, isDone } = run(topology, flows, [down], 10 * US);
    expect(isDone).toBe(true);
    expect(simulation.switches.droppedDown).toBeGreaterThan(0);
    expect(simulation.wire.lost).toBeGreaterThan(0);
    expect(Math.max(...simulation.buffer.used, ...simulation.buffer.ingressOctets)).toBe(0);
    expect(simulation.packets.live).toBe(0);
    expect(simulation.ports.backlog(link * 2) + simulation.ports.backlog(link * 2 + 1)).toBe(0);
    // Nothing of it after that: 20 us at line rate, in either direction.
    expect(simulation.ports.sentOctets[link * 2]).toBeLessThanOrEqual(250_000 + 1048);
  });

  it('leaves a spine without a way there until routing has told the other leaf', () => {
    const down: LinkChange = { time: 20 * US, link, kind: 'down' };
    const quick = run(topology, flows, [down], 10 * US).simulation.switches.droppedUnreachable;
    const slow = run(topology, flows, [down], 100 * US).simulation.switches.droppedUnreachable;
    expect(quick).toBeGreaterThan(0);
    expect(slow).toBeGreaterThan(quick);
  });

  it('loses what is on it even if it is up again before that would have arrived', () => {
    const shift = { time: 20 * US, link };
    const changes: LinkChange[] = [
      { ...shift, kind: 'down' },
      { ...shift, time: 20.1 * US, kind: 'up' },
    ];
    const { simulation, isDone } = run(topology, flows, changes);
    expect(isDone).toBe(true);
    // A microsecond of 100 Gb/s in either direction, a dozen packets each and as many ACKs.
    expect(simulation.wire.lost).toBeGreaterThan(4);
    expect(simulation.wire.lost).toBeLessThan(60);
  });

  it('is used again when it comes up, and tells the scheme of both', () => {
    const simulation = smallFabric(topology, changesOfHosts);
    const told: number[] = [];
    simulation.scheme.linkChanged = (port) => told.push(port);
    const shift = { link, time: 20 * US };
    const changes: LinkChange[] = [
      { ...shift, kind: 'down' },
      { ...shift, time: 21 * US, kind: 'down' },
      { ...shift, time: 60 * US, kind: 'up' },
    ];
    scheduleChanges(simulation, linkChanges(simulation, changes));
    const later = flows.map((flow) => ({ ...flow, start: 100 * US }));
    simulation.run(flowList(simulation, later), 20e9);
    expect(told).toEqual([link * 2, link * 2 + 1, link * 2, link * 2 + 1]);
    expect(simulation.ports.sentOctets[link * 2]! + simulation.ports.sentOctets[link * 2 + 1]!).toBeGreaterThan(
      400_000,
    );
  });

  it('may be that of a host, which goes on when it is up again', () => {
    const [flow] = flows;
    const own = linkOf(topology, 'host1', 'leaf1');
    const changes: LinkChange[] = [
      { time: 5 * US, link: own, kind: 'down' },
      { time: 500 * US, link: own, kind: 'up' },
    ];
    const { times, isDone } = run(topology, [flow!], changes);
    expect(isDone).toBe(true);
    expect(times[0]).toBeGreaterThan(500 * US);
    expect(times[0]).toBeLessThan(1000 * US);
  });

  it('ends pauses at both its ends', () => {
    const many = [4, 5, 6, 7].map((source) => ({ source, destination: 0, octets: 1_500_000, start: 0 }));
    const down: LinkChange = { time: 120 * US, link, kind: 'down' };
    const simulation = smallFabric(topology, { congestion: () => new NoCongestionControl() });
    scheduleChanges(simulation, linkChanges(simulation, [down]));
    const list = flowList(simulation, many);
    simulation.run(list, 119 * US);
    expect(Math.max(...simulation.ports.paused)).toBe(2);
    simulation.proceed(list, 121 * US);
    expect([simulation.ports.paused[link * 2], simulation.ports.paused[link * 2 + 1]]).toEqual([0, 0]);
  });
});

describe('a link', () => {
  const topology = smallClos(2, 1, 1);
  const flow: Flow = { source: 0, destination: 1, octets: 1_000_000, start: 0 };
  const link = linkOf(topology, 'leaf1', 'spine1');
  const before = run(topology, [flow], []).times[0]!;

  it('may be slower from now on', () => {
    const changes: LinkChange[] = [{ time: 0, link, kind: 'rate', rate: 25e9 }];
    const { times } = run(topology, [flow], changes);
    expect(times[0]! / before).toBeGreaterThan(3.5);
    expect(times[0]! / before).toBeLessThan(4.5);
  });

  it('may lose packets from now on', () => {
    const { simulation, isDone } = run(topology, [flow], [{ time: 10 * US, link, kind: 'loss', loss: 0.02 }]);
    expect(isDone).toBe(true);
    expect(simulation.wire.lost).toBeGreaterThan(5);
  });

  it('of what it loses, data is counted by its place, answers and control packets apart', () => {
    const { wire, packets, switches, forwarding } = smallFabric(topology, changesOfHosts);
    const counts = () => [wire.lost, switches.droppedUnreachable, packets.lostAnswers, packets.lostControl];
    const lose = (kind: number) => {
      const packet = packets.allocate();
      packets.words[packet << ROW] = kind;
      packets.words[(packet << ROW) + Word.destination] = 1;
      return packet;
    };
    for (const kind of Object.values(PacketKind)) wire.lose(lose(kind));
    expect(counts()).toEqual([1, 0, 3, 2]);
    forwarding.set(topology.hosts, forwarding.prefixOf[1]!, [], []);
    for (const kind of Object.values(PacketKind)) switches.forward(topology.hosts, lose(kind));
    expect(counts()).toEqual([1, 1, 6, 4]);
    expect(packets.live).toBe(0);
  });

  it.each<[LinkChange, string]>([
    [{ time: -1, link: 0, kind: 'down' }, 'a time before the run'],
    [{ time: 5 * US, link: 99, kind: 'up' }, 'link change at 5 us: link 99: the fabric has links 0 to 3'],
    [{ time: 0, link: 0, kind: 'rate', rate: 0 }, 'a rate of 0 bit/s'],
    [{ time: 0, link: 0, kind: 'loss', loss: 1 }, 'a loss of 1'],
  ])('is not changed by %j: %s', (change, reason) => {
    expect(() => checkLinkChanges([change], topology)).toThrow(reason);
  });
});
