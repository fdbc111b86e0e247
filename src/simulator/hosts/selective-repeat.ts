/**
 * What receivers that keep packets out of order, and their senders, have in common: the receiver has a bitmap of what came beyond the packet that it
 * expects, every answer says up to where all has come and which packet it answers, and the sender sends only what is missing. Profiles are `irn.ts` and
 * `placing-nic.ts`.
 */
import { grown } from '../../core/net/grown.js';
import { PacketSets } from './packet-sets.js';
import type { QueuePairs } from './queue-pairs.js';
import { type Reliability, Response } from './reliability.js';

export interface SelectiveRepeatParameters {
  /** Packets beyond the expected one that a receiver has room for; what comes beyond them is lost. */
  readonly reorderWindow: number;
  /** Packets that a sender may have under way. */
  readonly sendWindow: number;
  /** A receiver complains of every packet that is out of order, not only of those it has no room for. */
  readonly complainsAtOnce: boolean;
  /** Picoseconds without an acknowledgement after which the oldest packet is sent again: with few packets under way, and with more. */
  readonly lowTimeout: number;
  readonly highTimeout: number;
  /** What few packets are. */
  readonly few: number;
}

export class SelectiveRepeat implements Reliability {
  private readonly queuePairs: QueuePairs;
  private readonly parameters: SelectiveRepeatParameters;
  /** The receiver: what has come beyond the expected packet. */
  private readonly received: PacketSets;
  /** The sender: what is known to have come beyond the oldest that is not acknowledged, and from where on nothing is in the set. */
  private readonly known: PacketSets;
  private knownFrom = new Int32Array(64);
  /** While something is missing: 1, the packet whose acknowledgement ends that, the next to look at, and what to look before. */
  private recovering = new Uint8Array(64);
  private recoveryEnd = new Int32Array(64);
  private lookFrom = new Int32Array(64);
  private lookBefore = new Int32Array(64);

  constructor(queuePairs: QueuePairs, parameters: SelectiveRepeatParameters) {
    this.queuePairs = queuePairs;
    this.parameters = parameters;
    const { length } = queuePairs.source;
    this.received = new PacketSets(parameters.reorderWindow, length);
    this.known = new PacketSets(parameters.reorderWindow, length);
    queuePairs.growth.push((longer) => this.grow(longer));
  }

  opened(qp: number): void {
    this.received.clear(qp);
    this.known.clear(qp);
    this.knownFrom[qp] = 0;
    this.recovering[qp] = 0;
  }

  arrived(qp: number, psn: number): number {
    const { queuePairs, received } = this;
    const expected = queuePairs.expected[qp]!;
    if (psn < expected) return Response.acknowledge;
    if (psn - expected >= this.parameters.reorderWindow) return Response.complain;
    if (psn > expected) {
      received.add(qp, psn);
      return this.parameters.complainsAtOnce ? Response.complain : Response.acknowledge;
    }
    let next = expected + 1;
    while (received.has(qp, next)) received.remove(qp, next++);
    queuePairs.expected[qp] = next;
    return Response.acknowledge;
  }

  answered(qp: number, complaint: boolean, psn: number): void {
    const oldest = this.queuePairs.unacknowledged[qp]!;
    this.forgetBefore(qp, oldest);
    if (this.recovering[qp] === 1 && oldest >= this.recoveryEnd[qp]!) this.recovering[qp] = 0;
    const hasCome = !complaint || this.parameters.complainsAtOnce;
    if (psn > oldest && psn - oldest < this.parameters.reorderWindow && hasCome) this.known.add(qp, psn);
    if (complaint && psn >= oldest) this.recover(qp, hasCome ? psn : psn + 1);
  }

  /** Everything before a packet that has come, or was refused, counts as missing unless it is known to have come. */
  private recover(qp: number, before: number): void {
    if (this.recovering[qp] === 1) {
      if (before > this.lookBefore[qp]!) this.lookBefore[qp] = before;
      return;
    }
    const { queuePairs } = this;
    this.recovering[qp] = 1;
    this.recoveryEnd[qp] = queuePairs.next[qp]!;
    this.lookFrom[qp] = queuePairs.unacknowledged[qp]!;
    this.lookBefore[qp] = before;
  }

  nextPacket(qp: number): number {
    const { queuePairs } = this;
    if (this.recovering[qp] === 1) {
      const missing = this.nextMissing(qp);
      if (missing >= 0) return missing;
    }
    const next = queuePairs.next[qp]!;
    const isOpen = next - queuePairs.unacknowledged[qp]! < this.parameters.sendWindow;
    return isOpen && next < queuePairs.end[qp]! ? next : -1;
  }

  private nextMissing(qp: number): number {
    const before = this.lookBefore[qp]!;
    let psn = Math.max(this.lookFrom[qp]!, this.queuePairs.unacknowledged[qp]!);
    while (psn < before && this.known.has(qp, psn)) psn++;
    this.lookFrom[qp] = psn;
    return psn < before ? psn : -1;
  }

  sent(qp: number, psn: number): void {
    if (psn === this.queuePairs.next[qp]) this.queuePairs.next[qp] = psn + 1;
    else this.lookFrom[qp] = psn + 1;
  }

  timedOut(qp: number): void {
    const oldest = this.queuePairs.unacknowledged[qp]!;
    const before = this.recovering[qp] === 1 ? this.lookBefore[qp]! : 0;
    this.recovering[qp] = 0;
    // A receiver that complains at once tells of every hole; of one that does not, all that is not known to have come counts as missing.
    const missing = this.parameters.complainsAtOnce ? oldest + 1 : this.queuePairs.next[qp]!;
    this.recover(qp, Math.max(before, missing));
  }

  timeout(qp: number): number {
    const { few, lowTimeout, highTimeout } = this.parameters;
    return this.queuePairs.next[qp]! - this.queuePairs.unacknowledged[qp]! <= few ? lowTimeout : highTimeout;
  }

  private forgetBefore(qp: number, psn: number): void {
    const from = this.knownFrom[qp]!;
    if (psn <= from) return;
    if (psn - from >= this.known.size) this.known.clear(qp);
    else for (let gone = from; gone < psn; gone++) this.known.remove(qp, gone);
    this.knownFrom[qp] = psn;
  }

  private grow(length: number): void {
    this.received.grow(length);
    this.known.grow(length);
    this.knownFrom = grown(this.knownFrom, length);
    this.recovering = grown(this.recovering, length);
    this.recoveryEnd = grown(this.recoveryEnd, length);
    this.lookFrom = grown(this.lookFrom, length);
    this.lookBefore = grown(this.lookBefore, length);
  }
}
