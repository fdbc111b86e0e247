/**
 * The share of each port's rate that is in use, as an exponential average over packets (HULA, SOSR 2016, section 3.3): what was sent fades in proportion
 * to the time that passes, and is gone after one time constant without a packet.
 */
import type { EventQueue } from '../../engine/event-queue.js';
import type { Ports } from '../../network/ports.js';

export class RecentUtilisations {
  private readonly octets: Float64Array;
  private readonly seenAt: Float64Array;
  private readonly ports: Ports;
  private readonly events: EventQueue;
  private readonly timeConstant: number;

  /** @param timeConstant picoseconds */
  constructor(ports: Ports, events: EventQueue, timeConstant: number) {
    this.ports = ports;
    this.events = events;
    this.timeConstant = timeConstant;
    this.octets = new Float64Array(ports.count);
    this.seenAt = new Float64Array(ports.count);
  }

  add(port: number, octets: number): void {
    this.octets[port] = octets + this.left(port);
    this.seenAt[port] = this.events.now;
  }

  /** From 0 to 1 at line rate. */
  utilisation(port: number): number {
    return (this.left(port) * this.ports.psPerOctet[port]!) / this.timeConstant;
  }

  /** What is left of it now. */
  private left(port: number): number {
    const passed = (this.events.now - this.seenAt[port]!) / this.timeConstant;
    return passed < 1 ? this.octets[port]! * (1 - passed) : 0;
  }
}
