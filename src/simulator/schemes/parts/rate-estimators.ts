/**
 * Discounting rate estimators (CONGA, SIGCOMM 2014, section 3.2), one a port: a register grows by the octets of each packet and shrinks by a fixed
 * share each interval, so that divided by its time constant it is the rate of late. It is decayed when it is looked at: no timers.
 */
import type { EventQueue } from '../../engine/event-queue.js';
import type { Ports } from '../../network/ports.js';

export interface RateEstimatorParameters {
  /** Picoseconds between two decays. */
  readonly interval: number;
  /** The share that a decay takes away. */
  readonly decay: number;
}

/** After so many decays nothing is left that would be counted. */
const DECAYS = 256;

export class RateEstimators {
  private readonly octets: Float64Array;
  /** The interval, counted from time 0, that `octets` was last decayed for. */
  private readonly decayedAt: Float64Array;
  private readonly remaining: Float64Array;
  private readonly interval: number;
  private readonly timeConstant: number;
  private readonly ports: Ports;
  private readonly events: EventQueue;

  constructor(ports: Ports, events: EventQueue, { interval, decay }: RateEstimatorParameters) {
    this.ports = ports;
    this.events = events;
    this.interval = interval;
    this.timeConstant = interval / decay;
    this.octets = new Float64Array(ports.count);
    this.decayedAt = new Float64Array(ports.count);
    this.remaining = Float64Array.from({ length: DECAYS }, (_, times) => (1 - decay) ** times);
  }

  add(port: number, octets: number): void {
    this.octets[port] = this.register(port) + octets;
  }

  /** The share of a port's rate that is in use: 1 at line rate, more where more is asked of it than it can send. */
  utilisation(port: number): number {
    return (this.register(port) * this.ports.psPerOctet[port]!) / this.timeConstant;
  }

  /** The utilisation in `levels` levels from 0 on, without a last one. */
  level(port: number, levels: number): number {
    return Math.floor(this.utilisation(port) * levels);
  }

  private register(port: number): number {
    const now = Math.floor(this.events.now / this.interval);
    const times = now - this.decayedAt[port]!;
    if (times === 0) return this.octets[port]!;
    this.decayedAt[port] = now;
    const left = times < DECAYS ? this.octets[port]! * this.remaining[times]! : 0;
    this.octets[port] = left;
    return left;
  }
}
