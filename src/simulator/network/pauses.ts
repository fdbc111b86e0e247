/** What ports have been told by their far ends: classes that may not be sent (IEEE 802.1Qbb), until when, and for how long that was in all. */
import { EventKind } from '../engine/event-kind.js';
import type { EventQueue } from '../engine/event-queue.js';
import { Flag, type Packets, ROW, Word } from './packets.js';
import { QUANTUM_OCTETS } from './pause-sender.js';
import type { Ports } from './ports.js';
import { CLASS_COUNT } from './traffic-classes.js';

export class Pauses {
  /** A pause has begun, and is not one that only goes on. */
  began: (port: number, serviceClass: number) => void = () => {};
  /** How long each port's classes have been paused, picoseconds, by port and class; without a pause that lasts. */
  readonly pausedTime: Float64Array;
  private readonly until: Float64Array;
  private readonly since: Float64Array;
  /** By port, a bit a class: pauses are ignored. */
  private readonly deaf: Uint8Array;
  private readonly events: EventQueue;
  private readonly ports: Ports;
  private readonly packets: Packets;
  private readonly pauseTime: number;

  /** @param pauseTime how long a pause lasts that says no quanta and is not refreshed, picoseconds */
  constructor(events: EventQueue, ports: Ports, packets: Packets, pauseTime: number) {
    this.events = events;
    this.ports = ports;
    this.packets = packets;
    this.pauseTime = pauseTime;
    this.pausedTime = new Float64Array(ports.count * CLASS_COUNT);
    this.until = new Float64Array(ports.count * CLASS_COUNT);
    this.since = new Float64Array(ports.count * CLASS_COUNT);
    this.deaf = new Uint8Array(ports.count);
  }

  /** A pause frame has come to a port, and ends here. True when the port may go on. */
  take(packet: number, port: number): boolean {
    const { words } = this.packets;
    const at = packet << ROW;
    const serviceClass = words[at + Word.queuePair]!;
    const resume = (words[at]! & Flag.resume) !== 0;
    const quanta = words[at + Word.psn]!;
    this.packets.release(packet);
    if (resume) return this.end(port, serviceClass);
    if (this.isDeaf(port, serviceClass)) return false;
    const time = quanta === 0 ? this.pauseTime : Math.round(quanta * QUANTUM_OCTETS * this.ports.psPerOctet[port]!);
    this.begin(port, serviceClass, time);
    return false;
  }

  /** The time of a pause is over, unless it was refreshed. True when the port may go on. */
  expired(port: number, serviceClass: number): boolean {
    return this.events.now >= this.until[port * CLASS_COUNT + serviceClass]! && this.end(port, serviceClass);
  }

  /** The port went down: no pause is left. */
  forget(port: number): void {
    for (let serviceClass = 0; serviceClass < CLASS_COUNT; serviceClass++) this.end(port, serviceClass);
  }

  /** A class is paused no more, and is not again until it hears. */
  ignore(port: number, serviceClass: number): void {
    this.deaf[port] = this.deaf[port]! | (1 << serviceClass);
    this.end(port, serviceClass);
  }

  hear(port: number, serviceClass: number): void {
    this.deaf[port] = this.deaf[port]! & ~(1 << serviceClass);
  }

  isDeaf(port: number, serviceClass: number): boolean {
    return (this.deaf[port]! & (1 << serviceClass)) !== 0;
  }

  /** Since when a class has been paused that is. */
  pausedSince(port: number, serviceClass: number): number {
    return this.since[port * CLASS_COUNT + serviceClass]!;
  }

  /** How long a class has been paused in all, up to now. */
  timeOf(port: number, serviceClass: number): number {
    const at = port * CLASS_COUNT + serviceClass;
    const lasts = (this.ports.paused[port]! & (1 << serviceClass)) !== 0;
    return this.pausedTime[at]! + (lasts ? this.events.now - this.since[at]! : 0);
  }

  private begin(port: number, serviceClass: number, time: number): void {
    const at = port * CLASS_COUNT + serviceClass;
    const bit = 1 << serviceClass;
    const goesOn = (this.ports.paused[port]! & bit) !== 0;
    this.ports.paused[port] = this.ports.paused[port]! | bit;
    this.until[at] = this.events.now + time;
    this.events.schedule(this.until[at]!, EventKind.pauseEnd, port, serviceClass);
    if (goesOn) return;
    this.since[at] = this.events.now;
    this.began(port, serviceClass);
  }

  private end(port: number, serviceClass: number): boolean {
    const bit = 1 << serviceClass;
    if ((this.ports.paused[port]! & bit) === 0) return false;
    const at = port * CLASS_COUNT + serviceClass;
    this.ports.paused[port] = this.ports.paused[port]! & ~bit;
    this.pausedTime[at] = this.pausedTime[at]! + this.events.now - this.since[at]!;
    return true;
  }
}
