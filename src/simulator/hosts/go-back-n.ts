/**
 * Go-back-N, as NICs of the ConnectX-4 kind do it: the receiver keeps nothing that is out of order, complains once of each packet that is missing
 * (and again after a while), and the sender starts over from there.
 */
import type { EventQueue } from '../engine/event-queue.js';
import type { QueuePairs } from './queue-pairs.js';
import { type Reliability, Response } from './reliability.js';

export interface GoBackNParameters {
  /** Picoseconds until a receiver may complain of the same packet again; 0: never again until it has come. */
  readonly complaintInterval: number;
  /** Picoseconds without an acknowledgement after which the sender starts over. */
  readonly timeout: number;
}

export const NS3_GO_BACK_N: GoBackNParameters = { complaintInterval: 4e6, timeout: 4e9 };

export class GoBackN implements Reliability {
  private readonly queuePairs: QueuePairs;
  private readonly events: EventQueue;
  private readonly parameters: GoBackNParameters;

  constructor(queuePairs: QueuePairs, events: EventQueue, parameters: GoBackNParameters = NS3_GO_BACK_N) {
    this.queuePairs = queuePairs;
    this.events = events;
    this.parameters = parameters;
  }

  opened(): void {}

  arrived(qp: number, psn: number): number {
    const { queuePairs, events } = this;
    const expected = queuePairs.expected[qp]!;
    if (psn === expected) {
      queuePairs.expected[qp] = expected + 1;
      return Response.acknowledge;
    }
    if (psn < expected) return Response.acknowledge;
    const { complaintInterval } = this.parameters;
    const again = complaintInterval > 0 && events.now >= queuePairs.complainAt[qp]!;
    if (queuePairs.complained[qp] === expected && !again) return Response.none;
    queuePairs.complained[qp] = expected;
    queuePairs.complainAt[qp] = events.now + complaintInterval;
    return Response.complain;
  }

  answered(qp: number, complaint: boolean): void {
    const { queuePairs } = this;
    if (complaint || queuePairs.next[qp]! < queuePairs.unacknowledged[qp]!) {
      queuePairs.next[qp] = queuePairs.unacknowledged[qp]!;
    }
  }

  nextPacket(qp: number): number {
    const next = this.queuePairs.next[qp]!;
    return next < this.queuePairs.end[qp]! ? next : -1;
  }

  sent(qp: number, psn: number): void {
    this.queuePairs.next[qp] = psn + 1;
  }

  timedOut(qp: number): void {
    this.queuePairs.next[qp] = this.queuePairs.unacknowledged[qp]!;
  }

  timeout(): number {
    return this.parameters.timeout;
  }
}
