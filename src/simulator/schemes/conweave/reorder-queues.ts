/**
 * The reorder queues of ConWeave's destination leaves: packets of a flow that overtook its TAIL wait in a queue of its own, until the TAIL has come or
 * is given up. Lists run through the packets themselves. What waits is not counted in the switch's shared buffer, as in the public ns-3 model.
 */
import { grown } from '../../../core/net/grown.js';
import { ROW, Word } from '../../network/packets.js';
import type { SchemeContext } from '../scheme.js';

const NONE = -1;

export class ReorderQueues {
  /** Now and at most, of all leaves. */
  octets = 0;
  mostOctets = 0;
  inUse = 0;
  mostInUse = 0;
  private heads = new Int32Array(64);
  private tails = new Int32Array(64);
  /** When a queue is let go. */
  private due = new Float64Array(64);
  /** Which of its events counts. */
  private turn = new Int32Array(64);
  /** When that event comes. */
  private eventAt = new Float64Array(64);
  /** Of an open queue the host: queue pairs' numbers are used again. */
  private host = new Int32Array(64);
  private readonly inUseOf: Int32Array;
  private readonly context: SchemeContext;
  private readonly limit: number;

  /** @param limit queues of a port to a host */
  constructor(context: SchemeContext, limit: number) {
    this.context = context;
    this.limit = limit;
    this.inUseOf = new Int32Array(context.topology.hosts);
    this.heads.fill(NONE);
    context.queuePairs.growth.push((length) => this.grow(length));
  }

  isOpen(qp: number): boolean {
    return this.heads[qp]! !== NONE;
  }

  /** Keeps a packet; false when its flow has no queue and its host none to spare. */
  keep(qp: number, packet: number): boolean {
    const { words } = this.context.packets;
    const at = packet << ROW;
    if (this.heads[qp] === NONE) {
      if (!this.open(qp)) return false;
      this.heads[qp] = packet;
    } else {
      words[(this.tails[qp]! << ROW) + Word.next] = packet;
    }
    words[at + Word.next] = NONE;
    this.tails[qp] = packet;
    this.octets += words[at + Word.bytes]!;
    if (this.octets > this.mostOctets) this.mostOctets = this.octets;
    return true;
  }

  /** Lets a queue go at a moment, whatever was said before. */
  releaseAt(qp: number, time: number): void {
    const { events } = this.context;
    this.due[qp] = Math.max(time, events.now);
    // An event that comes too early looks again then; only an earlier moment needs one of its own.
    if (this.eventAt[qp]! > this.due[qp]!) this.wake(qp);
  }

  /** An event of a queue; true: it is time to let it go. */
  isDue(qp: number, turn: number): boolean {
    if (turn !== this.turn[qp] || this.heads[qp] === NONE) return false;
    if (this.context.events.now >= this.due[qp]!) return true;
    this.wake(qp);
    return false;
  }

  /** Gives a queue up: its first packet, -1 when there is none. The others follow by `Word.next`. */
  take(qp: number): number {
    const first = this.heads[qp]!;
    if (first === NONE) return NONE;
    const { words } = this.context.packets;
    for (let packet = first; packet !== NONE; packet = words[(packet << ROW) + Word.next]!)
      this.octets -= words[(packet << ROW) + Word.bytes]!;
    this.heads[qp] = NONE;
    this.turn[qp] = this.turn[qp]! + 1;
    const host = this.host[qp]!;
    this.inUseOf[host] = this.inUseOf[host]! - 1;
    this.inUse--;
    return first;
  }

  private open(qp: number): boolean {
    const host = this.context.queuePairs.destination[qp]!;
    if (this.inUseOf[host]! >= this.limit) return false;
    this.inUseOf[host] = this.inUseOf[host]! + 1;
    if (++this.inUse > this.mostInUse) this.mostInUse = this.inUse;
    this.host[qp] = host;
    this.eventAt[qp] = Number.POSITIVE_INFINITY;
    return true;
  }

  private wake(qp: number): void {
    const turn = this.turn[qp]! + 1;
    this.turn[qp] = turn;
    this.eventAt[qp] = this.due[qp]!;
    this.context.schedule(this.due[qp]! - this.context.events.now, qp, turn);
  }

  private grow(length: number): void {
    const before = this.heads.length;
    this.heads = grown(this.heads, length).fill(NONE, before);
    this.tails = grown(this.tails, length);
    this.due = grown(this.due, length);
    this.turn = grown(this.turn, length);
    this.host = grown(this.host, length);
    this.eventAt = grown(this.eventAt, length);
  }
}
