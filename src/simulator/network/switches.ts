/**
 * All switches of a fabric: a packet that came in is looked up, admitted to the shared buffer, queued at its port and sent; on its way out it may be
 * marked, on its way in it may make the neighbour pause (IEEE 802.1Qbb: pause frames are packets of the control class).
 */
import type { LoadBalancer } from '../schemes/scheme.js';
import type { Forwarding } from './forwarding.js';
import { CLASS_SHIFT, Flag, KIND_MASK, PacketKind, type Packets, ROW, Word } from './packets.js';
import { type PauseProfile, PauseSender } from './pause-sender.js';
import type { Pauses } from './pauses.js';
import type { Ports } from './ports.js';
import { isMarked, type MarkingProfile, type SharedBuffer } from './shared-buffer.js';
import { CLASS_COUNT, CONTROL_CLASS, LOSSLESS_CLASS } from './traffic-classes.js';
import type { Wire } from './wire.js';

export interface WatchdogProfile {
  /** Paused for so long a queue is given up, picoseconds. */
  readonly detect: number;
  /** Given up for so long. */
  readonly restore: number;
  /** What becomes of its packets meanwhile: they are dropped, or sent although the neighbour says to pause. */
  readonly action: 'drop' | 'forward';
}

export interface SwitchProfile extends PauseProfile {
  readonly marking: MarkingProfile;
  /** Queues that are paused for too long are given up; left out: never. */
  readonly watchdog?: WatchdogProfile;
}

export class Switches {
  /** Data packets dropped for want of buffer, of a way, of a link that is up, and by the PFC watchdog. */
  droppedFull = 0;
  droppedUnreachable = 0;
  droppedDown = 0;
  droppedByWatchdog = 0;
  /** Data packets that were marked, once or at several switches. */
  marked = 0;
  /** What neighbours are told. */
  readonly pausing: PauseSender;
  private readonly wire: Wire;
  private readonly pauses: Pauses;
  private readonly ports: Ports;
  private readonly packets: Packets;
  private readonly forwarding: Forwarding;
  private readonly buffer: SharedBuffer;
  private readonly profile: SwitchProfile;
  private readonly pfc: boolean;
  /** Also what leaves a queue that is empty. */
  private readonly marksAll: boolean;
  private readonly random: () => number;
  private balancer!: LoadBalancer;
  private observes = false;
  private watchesQueues = false;
  private watchesDepartures = false;

  constructor(parts: {
    wire: Wire;
    pauses: Pauses;
    forwarding: Forwarding;
    buffer: SharedBuffer;
    profile: SwitchProfile;
    pfc: boolean;
    random: () => number;
  }) {
    this.wire = parts.wire;
    this.pauses = parts.pauses;
    this.ports = parts.wire.ports;
    this.packets = parts.wire.packets;
    this.forwarding = parts.forwarding;
    this.buffer = parts.buffer;
    this.profile = parts.profile;
    this.pfc = parts.pfc;
    this.marksAll = parts.profile.marking.minimum < 0;
    this.random = parts.random;
    this.pausing = new PauseSender(this.wire, this.buffer, this.profile, (port) => this.transmit(port));
  }

  get pauseFrames(): number {
    return this.pausing.frames;
  }

  balanceBy(balancer: LoadBalancer): void {
    this.balancer = balancer;
    this.observes = balancer.received !== undefined;
    this.watchesQueues = balancer.queueing !== undefined;
    this.watchesDepartures = balancer.departing !== undefined;
  }

  receive(packet: number, ingress: number): void {
    const at = packet << ROW;
    const { words } = this.packets;
    if ((words[at]! & KIND_MASK) === PacketKind.pause) {
      if (this.pauses.take(packet, ingress)) this.transmit(ingress);
      return;
    }
    words[at + Word.ingress] = ingress;
    const node = this.ports.node[ingress]!;
    if (this.observes && !this.balancer.received!(node, packet, ingress)) return;
    this.forward(node, packet);
  }

  /** Looks a packet up at a switch and sends it on. */
  forward(node: number, packet: number): void {
    const { forwarding } = this;
    const address = this.packets.words[(packet << ROW) + Word.destination]!;
    const host = forwarding.hostOf[address]!;
    if (forwarding.leafOf[host] === node) {
      this.send(forwarding.portToHost[host]!, packet);
      return;
    }
    const group = forwarding.groupOf(node, address);
    if (group < 0) {
      this.droppedUnreachable += this.packets.lose(packet);
      return;
    }
    const only = forwarding.count[group] === 1;
    this.send(only ? forwarding.members[forwarding.start[group]!]! : this.balancer.choose(node, packet, group), packet);
  }

  /** Queues a packet at a port of the switch it is in. */
  send(port: number, packet: number): void {
    const { ports } = this;
    const at = packet << ROW;
    const serviceClass = this.packets.words[at]! >>> CLASS_SHIFT;
    const refuses = ports.up[port] === 0 || (ports.discards[port]! & (1 << serviceClass)) !== 0;
    if (!refuses && this.goesThrough(port, serviceClass, at)) {
      if (this.watchesDepartures) this.balancer.departing!(port, packet);
      this.wire.put(port, packet);
      return;
    }
    if (refuses || (serviceClass !== CONTROL_CLASS && !this.admit(port, serviceClass, at))) {
      this.drop(port, packet, refuses);
      return;
    }
    if (this.watchesQueues) this.balancer.queueing!(port, packet);
    ports.enqueue(port, serviceClass, packet);
    this.transmit(port);
  }

  /**
   * Whether a packet may leave the moment it comes and would leave buffer, queue and pauses as they are: two of three packets do, and the work that
   * would come to nothing is about a twentieth of a run.
   */
  private goesThrough(port: number, serviceClass: number, at: number): boolean {
    const { ports } = this;
    if (ports.waiting[port] !== 0 || this.watchesQueues) return false;
    if ((ports.paused[port]! & (1 << serviceClass)) !== 0 || this.wire.events.now < ports.freeAt[port]!) return false;
    if (serviceClass === CONTROL_CLASS) return true;
    const { words } = this.packets;
    const ingress = words[at + Word.ingress]!;
    if (!this.pfc || this.marksAll || serviceClass !== LOSSLESS_CLASS || ingress < 0) return false;
    const queue = ingress * CLASS_COUNT + serviceClass;
    const fits = this.buffer.passes(this.ports.node[port]!, queue, words[at + Word.bytes]!);
    return fits && !this.pausing.hasTold(queue);
  }

  private drop(port: number, packet: number, refused: boolean): void {
    const lost = this.packets.lose(packet);
    if (!refused) this.droppedFull += lost;
    else if (this.ports.up[port] === 0) this.droppedDown += lost;
    else this.droppedByWatchdog += lost;
  }

  private admit(port: number, serviceClass: number, at: number): boolean {
    const { words } = this.packets;
    const node = this.ports.node[port]!;
    const ingress = words[at + Word.ingress]!;
    const queue = ingress < 0 ? -1 : ingress * CLASS_COUNT + serviceClass;
    if (!this.buffer.admit(node, queue, port * CLASS_COUNT + serviceClass, words[at + Word.bytes]!)) return false;
    if (this.pfc && queue >= 0 && serviceClass === LOSSLESS_CLASS) this.pausing.admitted(node, ingress, serviceClass);
    return true;
  }

  /** Sends what may be sent next at a port, if it is free. */
  transmit(port: number): void {
    const { ports, wire } = this;
    if (wire.events.now < ports.freeAt[port]!) {
      wire.wake(port);
      return;
    }
    const serviceClass = ports.nextClass(port);
    if (serviceClass < 0) return;
    const packet = ports.dequeue(port, serviceClass);
    if (serviceClass !== CONTROL_CLASS) this.leave(port, serviceClass, packet);
    if (this.watchesDepartures) this.balancer.departing!(port, packet);
    wire.put(port, packet);
    if (ports.waiting[port] !== 0) wire.wake(port);
  }

  private leave(port: number, serviceClass: number, packet: number): void {
    const { words } = this.packets;
    const at = packet << ROW;
    this.free(port, serviceClass, packet);
    const octets = this.buffer.sharedOctets(port * CLASS_COUNT + serviceClass);
    if (!isMarked(this.profile.marking, octets, this.random)) return;
    if ((words[at]! & (Flag.ecnCapable | Flag.congestion)) !== Flag.ecnCapable) return;
    words[at] = words[at]! | Flag.congestion;
    this.marked++;
  }

  /** A port went down: what waits for it is lost, and no pause is left in either direction. */
  portDown(port: number): void {
    this.pauses.forget(port);
    this.pausing.forget(port);
    for (let serviceClass = 0; serviceClass < CLASS_COUNT; serviceClass++)
      this.droppedDown += this.empty(port, serviceClass);
  }

  /** Drops all that waits at a port in a class; how many data packets that was. */
  empty(port: number, serviceClass: number): number {
    const { ports, packets } = this;
    let count = 0;
    while ((ports.waiting[port]! & (1 << serviceClass)) !== 0) {
      const packet = ports.dequeue(port, serviceClass);
      if (serviceClass !== CONTROL_CLASS) this.free(port, serviceClass, packet);
      count += packets.lose(packet);
    }
    return count;
  }

  /** The buffer has a packet no more, and who sent it may perhaps go on. */
  private free(port: number, serviceClass: number, packet: number): void {
    const { words } = this.packets;
    const at = packet << ROW;
    const node = this.ports.node[port]!;
    const ingress = words[at + Word.ingress]!;
    const queue = ingress < 0 ? -1 : ingress * CLASS_COUNT + serviceClass;
    this.buffer.release(node, queue, port * CLASS_COUNT + serviceClass, words[at + Word.bytes]!);
    if (queue >= 0) this.pausing.released(node, ingress, serviceClass);
  }
}
