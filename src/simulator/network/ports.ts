/**
 * All ports of a fabric, in typed arrays: rate, delay, the far end, and one queue of packets for each class. A port transmits one packet at a time;
 * what becomes of it then (the event at the far end) is the simulation's.
 */
import { type Packets, ROW, Word } from './packets.js';
import type { Topology } from './topology.js';
import { CLASS_COUNT } from './traffic-classes.js';

const NONE = -1;
const PS_PER_SECOND = 1e12;

export class Ports {
  readonly count: number;
  /** The node that a port belongs to. */
  readonly node: Int32Array;
  /** The port at the far end. */
  readonly peer: Int32Array;
  /** Picoseconds for an octet. */
  readonly psPerOctet: Float64Array;
  /** Propagation, picoseconds. */
  readonly delay: Float64Array;
  readonly loss: Float64Array;
  readonly up: Uint8Array;
  /** What comes in before is lost: it was on its way when the link was down, picoseconds; infinite while it is down. */
  readonly hearsFrom: Float64Array;
  /** When it came up last, 0 if it always was; how long it was down before that, picoseconds. */
  readonly upSince: Float64Array;
  private readonly downBefore: Float64Array;
  private readonly downSince: Float64Array;
  /** When the packet that is being sent has left, picoseconds. */
  readonly freeAt: Float64Array;
  /** 1: an event will come when the port is free. */
  readonly waking: Uint8Array;
  /** Classes that the far end has paused, a bit each. */
  readonly paused: Uint8Array;
  /** Classes of which nothing is taken for sending, a bit each (the PFC watchdog). */
  readonly discards: Uint8Array;
  /** Octets that have been sent, of all classes. */
  readonly sentOctets: Float64Array;
  /** Octets that wait, by port and class: index `port * CLASS_COUNT + class`. */
  readonly queuedOctets: Float64Array;
  /** Classes that wait, a bit each. */
  readonly waiting: Uint8Array;
  private readonly heads: Int32Array;
  private readonly tails: Int32Array;
  private readonly turn: Uint8Array;
  private readonly packets: Packets;

  constructor(topology: Topology, packets: Packets) {
    this.packets = packets;
    this.count = topology.links.length * 2;
    this.node = new Int32Array(this.count);
    this.peer = new Int32Array(this.count);
    this.psPerOctet = new Float64Array(this.count);
    this.delay = new Float64Array(this.count);
    this.loss = new Float64Array(this.count);
    this.up = new Uint8Array(this.count).fill(1);
    this.hearsFrom = new Float64Array(this.count);
    this.upSince = new Float64Array(this.count);
    this.downBefore = new Float64Array(this.count);
    this.downSince = new Float64Array(this.count);
    this.freeAt = new Float64Array(this.count);
    this.waking = new Uint8Array(this.count);
    this.paused = new Uint8Array(this.count);
    this.discards = new Uint8Array(this.count);
    this.sentOctets = new Float64Array(this.count);
    this.queuedOctets = new Float64Array(this.count * CLASS_COUNT);
    this.waiting = new Uint8Array(this.count);
    this.heads = new Int32Array(this.count * CLASS_COUNT).fill(NONE);
    this.tails = new Int32Array(this.count * CLASS_COUNT).fill(NONE);
    this.turn = new Uint8Array(this.count);
    topology.links.forEach((link, index) => {
      this.connect(index * 2, link.a, link);
      this.connect(index * 2 + 1, link.b, link);
    });
  }

  private connect(port: number, node: number, link: Topology['links'][number]): void {
    this.node[port] = node;
    this.peer[port] = port ^ 1;
    this.setRate(port, link.rate);
    this.delay[port] = link.delay;
    this.loss[port] = link.loss;
  }

  /** One that was down comes up, or the other way round. */
  setUp(port: number, up: boolean, now: number): void {
    if (!up) {
      this.up[port] = 0;
      this.downSince[port] = now;
      this.hearsFrom[port] = Number.POSITIVE_INFINITY;
      return;
    }
    this.downBefore[port] = this.downTime(port, now);
    this.up[port] = 1;
    this.upSince[port] = now;
    this.hearsFrom[port] = now + this.delay[port]!;
  }

  /** How long a port has been down in all, picoseconds. */
  downTime(port: number, now: number): number {
    return this.downBefore[port]! + (this.up[port] === 1 ? 0 : now - this.downSince[port]!);
  }

  /** `rate` in bits per second. */
  setRate(port: number, rate: number): void {
    this.psPerOctet[port] = (8 * PS_PER_SECOND) / rate;
  }

  /** All octets that wait at a port. */
  backlog(port: number): number {
    const at = port * CLASS_COUNT;
    return this.queuedOctets[at]! + this.queuedOctets[at + 1]! + this.queuedOctets[at + 2]!;
  }

  enqueue(port: number, serviceClass: number, packet: number): void {
    const { words } = this.packets;
    const queue = port * CLASS_COUNT + serviceClass;
    words[(packet << ROW) + Word.next] = NONE;
    const tail = this.tails[queue]!;
    if (tail === NONE) this.heads[queue] = packet;
    else words[(tail << ROW) + Word.next] = packet;
    this.tails[queue] = packet;
    this.queuedOctets[queue] = this.queuedOctets[queue]! + words[(packet << ROW) + Word.bytes]!;
    this.waiting[port] = this.waiting[port]! | (1 << serviceClass);
  }

  /** The class that may send next: the strict one, then the others in turn; -1 when none waits or all that wait are paused. */
  nextClass(port: number): number {
    const ready = this.waiting[port]! & ~this.paused[port]!;
    if (ready === 0) return NONE;
    if ((ready & 1) !== 0) return 0;
    if (ready !== 6) return ready === 2 ? 1 : 2;
    const turn = this.turn[port]! ^ 1;
    this.turn[port] = turn;
    return 1 + turn;
  }

  dequeue(port: number, serviceClass: number): number {
    const { words } = this.packets;
    const queue = port * CLASS_COUNT + serviceClass;
    const packet = this.heads[queue]!;
    const next = words[(packet << ROW) + Word.next]!;
    this.heads[queue] = next;
    if (next === NONE) {
      this.tails[queue] = NONE;
      this.waiting[port] = this.waiting[port]! & ~(1 << serviceClass);
    }
    this.queuedOctets[queue] = this.queuedOctets[queue]! - words[(packet << ROW) + Word.bytes]!;
    return packet;
  }
}
