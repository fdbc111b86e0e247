/** Shared by tests of reliability profiles: the two ends of a queue pair, and a network between them that does to packets what a test says. */
import { EventQueue } from '../engine/event-queue.js';
import { QueuePairs } from './queue-pairs.js';
import { type Reliability, Response } from './reliability.js';

/** What becomes of a burst of packets: their order, without those that are lost. */
export type Network = (burst: readonly number[], round: number) => readonly number[];

export const intact: Network = (burst) => burst;

export class Exchange {
  readonly queuePairs = new QueuePairs();
  readonly events = new EventQueue();
  readonly reliability: Reliability;
  readonly qp: number;
  /** Bursts as they were sent. */
  readonly bursts: number[][] = [];
  complaints = 0;
  timeouts = 0;

  constructor(make: (queuePairs: QueuePairs, events: EventQueue) => Reliability, firstPsn = 0) {
    this.reliability = make(this.queuePairs, this.events);
    const ends = { source: 0, destination: 1, sourceAddress: 0, destinationAddress: 1, serviceClass: 1 };
    this.qp = this.queuePairs.open({ ...ends, words: [0, 1, 2, 3] }, 80);
    this.reliability.opened(this.qp);
    for (const column of ['unacknowledged', 'next', 'expected', 'end'] as const) {
      this.queuePairs[column][this.qp] = firstPsn;
    }
  }

  /** Sends so many packets until all are acknowledged: a burst, then its answers, and so on; a time-out when nothing is left to send. */
  send(packets: number, network: Network): void {
    const { queuePairs, qp } = this;
    queuePairs.end[qp] = queuePairs.end[qp]! + packets;
    for (let round = 0; queuePairs.unacknowledged[qp]! < queuePairs.end[qp]!; round++) {
      if (round > 50) throw new Error('packets do not arrive');
      const burst = this.burst();
      if (burst.length === 0) {
        this.timeouts++;
        this.reliability.timedOut(qp);
        continue;
      }
      this.bursts.push(burst);
      for (const answer of network(burst, round).map((psn) => this.deliver(psn))) answer();
    }
  }

  private burst(): number[] {
    const burst: number[] = [];
    for (let psn = this.reliability.nextPacket(this.qp); psn >= 0; psn = this.reliability.nextPacket(this.qp)) {
      this.reliability.sent(this.qp, psn);
      burst.push(psn);
    }
    return burst;
  }

  /** The receiver has a packet; what its answer does to the sender, when that comes. */
  private deliver(psn: number): () => void {
    const { queuePairs, qp } = this;
    const response = this.reliability.arrived(qp, psn);
    const expected = queuePairs.expected[qp]!;
    if (response === Response.none) return () => {};
    const complaint = response === Response.complain;
    if (complaint) this.complaints++;
    return () => {
      if (expected > queuePairs.unacknowledged[qp]!) queuePairs.unacknowledged[qp] = expected;
      this.reliability.answered(qp, complaint, psn);
    };
  }
}
