/**
 * What a switch tells its neighbours about pauses (IEEE 802.1Qbb): pause frames are packets of the control class. In the manner of the ns-3 models every
 * packet that comes while a queue is beyond its threshold sends a pause of a fixed time; in that of real switches one is sent when the threshold
 * is passed, for a time in quanta, and again before it is over for as long as the queue is beyond.
 */
import { EventKind } from '../engine/event-kind.js';
import { CLASS_SHIFT, Flag, PacketKind, ROW, Word } from './packets.js';
import type { SharedBuffer } from './shared-buffer.js';
import { CLASS_COUNT, CONTROL_CLASS } from './traffic-classes.js';
import type { Wire } from './wire.js';

/** Octets that a port sends in a quantum: 512 bit times. */
export const QUANTUM_OCTETS = 64;
export const MOST_QUANTA = 65535;

export interface PauseProfile {
  /** How long a pause lasts that is not refreshed, picoseconds: the manner of the ns-3 models. */
  readonly pauseTime: number;
  /** Octets of a pause frame on the wire. */
  readonly pauseBytes: number;
  /** The manner of real switches instead: a pause's quanta, and after how many it is told again. */
  readonly quanta?: { readonly pause: number; readonly refresh: number };
}

export class PauseSender {
  /** Pause frames that were sent, without those that end a pause. */
  frames = 0;
  /** When the pause that a port's neighbour was told ends, by port and class; 0: none. */
  private readonly ends: Float64Array;
  /** 1: an event comes that tells again. */
  private readonly refreshing: Uint8Array;
  private readonly wire: Wire;
  private readonly buffer: SharedBuffer;
  private readonly profile: PauseProfile;
  private readonly transmit: (port: number) => void;

  constructor(wire: Wire, buffer: SharedBuffer, profile: PauseProfile, transmit: (port: number) => void) {
    this.wire = wire;
    this.buffer = buffer;
    this.profile = profile;
    this.transmit = transmit;
    this.ends = new Float64Array(wire.ports.count * CLASS_COUNT);
    this.refreshing = new Uint8Array(wire.ports.count * CLASS_COUNT);
  }

  /** A lossless packet was admitted that came by this port. */
  admitted(node: number, port: number, serviceClass: number): void {
    const queue = port * CLASS_COUNT + serviceClass;
    if (!this.buffer.mustPause(node, queue)) return;
    if (this.profile.quanta === undefined) {
      this.tell(port, serviceClass, false);
      this.ends[queue] = this.wire.events.now + this.profile.pauseTime;
    } else if (this.ends[queue]! <= this.wire.events.now) {
      this.pause(port, serviceClass);
    }
  }

  /** Whether a neighbour has been told to pause a queue (by port and class), and that is not over. */
  hasTold(queue: number): boolean {
    return this.ends[queue]! > this.wire.events.now;
  }

  /** A packet has left that had come by this port. */
  released(node: number, port: number, serviceClass: number): void {
    const queue = port * CLASS_COUNT + serviceClass;
    if (!this.hasTold(queue) || !this.buffer.mayResume(node, queue)) return;
    this.ends[queue] = 0;
    this.tell(port, serviceClass, true);
  }

  /** Time to tell a pause again, if the queue is still beyond its threshold. */
  refresh(port: number, serviceClass: number): void {
    const queue = port * CLASS_COUNT + serviceClass;
    this.refreshing[queue] = 0;
    if (this.ends[queue]! > this.wire.events.now) this.pause(port, serviceClass);
  }

  /** The port went down: whatever its neighbour was told is over. */
  forget(port: number): void {
    this.ends.fill(0, port * CLASS_COUNT, (port + 1) * CLASS_COUNT);
  }

  private pause(port: number, serviceClass: number): void {
    const { events, ports } = this.wire;
    const { pause, refresh } = this.profile.quanta!;
    const queue = port * CLASS_COUNT + serviceClass;
    const quantum = QUANTUM_OCTETS * ports.psPerOctet[port]!;
    this.ends[queue] = events.now + pause * quantum;
    this.tell(port, serviceClass, false);
    if (this.refreshing[queue] === 1) return;
    this.refreshing[queue] = 1;
    events.schedule(events.now + Math.round(refresh * quantum), EventKind.pauseRefresh, port, serviceClass);
  }

  private tell(port: number, serviceClass: number, resume: boolean): void {
    const { ports, packets } = this.wire;
    if (ports.up[port] === 0) return;
    const packet = packets.allocate();
    const { words } = packets;
    const at = packet << ROW;
    words[at] = PacketKind.pause | (resume ? Flag.resume : 0) | (CONTROL_CLASS << CLASS_SHIFT);
    words[at + Word.queuePair] = serviceClass;
    words[at + Word.psn] = this.profile.quanta?.pause ?? 0;
    words[at + Word.bytes] = this.profile.pauseBytes;
    words[at + Word.ingress] = -1;
    if (!resume) this.frames++;
    ports.enqueue(port, CONTROL_CLASS, packet);
    this.transmit(port);
  }
}
