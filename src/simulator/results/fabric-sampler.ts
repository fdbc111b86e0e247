/**
 * Looks at a running fabric at equal intervals: how evenly each leaf's uplinks are used (ConWeave's measure: most minus least over the mean, of
 * octets in the interval, of those that were up all through it), how full queues are, how much goes through. Nothing of it changes the run.
 */
import { EventKind } from '../engine/event-kind.js';
import type { FabricSimulation } from '../network/fabric-simulation.js';
import { leavesOf, uplinksOf } from '../network/topology.js';
import { CLASS_COUNT, LOSSLESS_CLASS } from '../network/traffic-classes.js';

/** A point of the time series. */
export interface Moment {
  /** Picoseconds. */
  readonly at: number;
  /** Octets that hosts have sent in the interval, over what their links could have carried. */
  readonly load: number;
  /** Of all leaves with traffic, the mean; absent when none has any. */
  readonly imbalance: number | undefined;
  /** The fullest queue of a switch, octets. */
  readonly fullest: number;
}

/** A part of a run, picoseconds. */
export interface TimeWindow {
  readonly from: number;
  readonly until: number;
}

export class FabricSampler {
  readonly moments: Moment[] = [];
  /** Of each leaf and interval in which its uplinks carried something, and two or more were up. */
  readonly imbalances: number[] = [];
  /** The fullest lossless queue of each switch port with something in it, at each look. */
  readonly queues: number[] = [];
  private readonly before: Float64Array;
  private readonly uplinks: readonly (readonly number[])[];
  private readonly switchPorts: readonly number[];
  private readonly hostPorts: readonly number[];

  /**
   * @param interval picoseconds
   * @param window imbalance is looked at within: while flows arrive and are measured, not of the last stragglers
   */
  constructor(
    private readonly simulation: FabricSimulation,
    private readonly interval: number,
    private readonly window: TimeWindow,
  ) {
    const { topology, ports } = simulation;
    this.before = new Float64Array(ports.count);
    this.uplinks = leavesOf(topology)
      .map((leaf) => uplinksOf(topology, leaf))
      .filter((ports) => ports.length > 1);
    const all = Array.from({ length: ports.count }, (_, port) => port);
    this.switchPorts = all.filter((port) => ports.node[port]! >= topology.hosts);
    this.hostPorts = all.filter((port) => ports.node[port]! < topology.hosts);
  }

  start(): void {
    this.simulation.sampled = () => {
      this.look(this.interval);
      this.schedule();
    };
    this.schedule();
  }

  /** The run has ended. One that was shorter than an interval is looked at once, as a whole. */
  finish(): void {
    if (this.moments.length === 0) this.look(this.simulation.events.now);
  }

  private schedule(): void {
    const { events } = this.simulation;
    events.schedule(events.now + this.interval, EventKind.sample, 0, 0);
  }

  /** @param time since the last look, picoseconds */
  private look(time: number): void {
    const { ports, events } = this.simulation;
    const sent = (port: number) => ports.sentOctets[port]! - this.before[port]!;
    const isWhole = (port: number) => ports.up[port] === 1 && ports.upSince[port]! <= events.now - time;
    const imbalances = this.uplinks.flatMap((uplinks) => imbalanceOf(uplinks.filter(isWhole).map(sent)));
    const { from, until } = this.window;
    if (events.now > from && events.now <= until) this.imbalances.push(...imbalances);
    const room = this.hostPorts.reduce((sum, port) => sum + time / ports.psPerOctet[port]!, 0);
    this.moments.push({
      at: events.now,
      load: this.hostPorts.reduce((sum, port) => sum + sent(port), 0) / room,
      imbalance: imbalances.length > 0 ? imbalances.reduce((a, b) => a + b) / imbalances.length : undefined,
      fullest: this.lookAtQueues(),
    });
    this.before.set(ports.sentOctets);
  }

  private lookAtQueues(): number {
    const { queuedOctets } = this.simulation.ports;
    let fullest = 0;
    for (const port of this.switchPorts) {
      const octets = queuedOctets[port * CLASS_COUNT + LOSSLESS_CLASS]!;
      if (octets === 0) continue;
      this.queues.push(octets);
      fullest = Math.max(fullest, octets);
    }
    return fullest;
  }
}

function imbalanceOf(octets: readonly number[]): number[] {
  const sum = octets.reduce((a, b) => a + b, 0);
  if (sum === 0 || octets.length < 2) return [];
  return [(Math.max(...octets) - Math.min(...octets)) / (sum / octets.length)];
}
