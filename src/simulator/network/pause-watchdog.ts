/**
 * The PFC watchdog of switches: a queue that its neighbour has paused for too long without a break is given up for a while, so that a neighbour that never
 * stops pausing (a broken NIC, a deadlock) does not stop the fabric. Given up it is emptied and takes nothing, or it sends whatever its neighbour says.
 */
import { EventKind } from '../engine/event-kind.js';
import type { Pauses } from './pauses.js';
import type { Switches, WatchdogProfile } from './switches.js';
import { CLASS_COUNT } from './traffic-classes.js';
import type { Wire } from './wire.js';

export class PauseWatchdog {
  /** Queues that were given up. */
  storms = 0;
  /** By port and class: 1 while an event is under way; since when a pause counts. */
  private readonly watching: Uint8Array;
  private readonly since: Float64Array;
  private readonly wire: Wire;
  private readonly pauses: Pauses;
  private readonly switches: Switches;
  private readonly profile: WatchdogProfile;

  /** @param hosts nodes below this are hosts, and have no watchdog */
  constructor(
    parts: { readonly wire: Wire; readonly pauses: Pauses; readonly switches: Switches },
    hosts: number,
    profile: WatchdogProfile,
  ) {
    this.wire = parts.wire;
    this.pauses = parts.pauses;
    this.switches = parts.switches;
    this.profile = profile;
    const { ports } = parts.wire;
    this.watching = new Uint8Array(ports.count * CLASS_COUNT);
    this.since = new Float64Array(ports.count * CLASS_COUNT);
    this.pauses.began = (port, serviceClass) => {
      if (ports.node[port]! >= hosts) this.watch(port, serviceClass);
    };
  }

  timer(port: number, serviceClass: number): void {
    const { ports, events } = this.wire;
    const at = port * CLASS_COUNT + serviceClass;
    const bit = 1 << serviceClass;
    this.watching[at] = 0;
    const wasGivenUp = (ports.discards[port]! & bit) !== 0 || this.pauses.isDeaf(port, serviceClass);
    ports.discards[port] = ports.discards[port]! & ~bit;
    this.pauses.hear(port, serviceClass);
    if ((ports.paused[port]! & bit) === 0) return;
    if (wasGivenUp) this.since[at] = events.now;
    const began = Math.max(this.since[at]!, this.pauses.pausedSince(port, serviceClass));
    if (events.now - began < this.profile.detect) this.schedule(port, serviceClass, began + this.profile.detect);
    else this.giveUp(port, serviceClass);
  }

  private watch(port: number, serviceClass: number): void {
    if (this.watching[port * CLASS_COUNT + serviceClass] === 1) return;
    this.schedule(port, serviceClass, this.wire.events.now + this.profile.detect);
  }

  private giveUp(port: number, serviceClass: number): void {
    const { ports, events } = this.wire;
    this.storms++;
    this.schedule(port, serviceClass, events.now + this.profile.restore);
    if (this.profile.action === 'forward') {
      this.pauses.ignore(port, serviceClass);
      this.switches.transmit(port);
      return;
    }
    ports.discards[port] = ports.discards[port]! | (1 << serviceClass);
    this.switches.droppedByWatchdog += this.switches.empty(port, serviceClass);
  }

  private schedule(port: number, serviceClass: number, time: number): void {
    this.watching[port * CLASS_COUNT + serviceClass] = 1;
    this.wire.events.schedule(time, EventKind.watchdog, port, serviceClass);
  }
}
