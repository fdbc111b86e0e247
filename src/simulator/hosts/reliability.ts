/** How a receiver and a sender of RoCEv2 come to agree that everything has arrived. A profile is one file. */

/** What a receiver does about a data packet. */
export const Response = {
  none: 0,
  acknowledge: 1,
  /** A NAK: a PSN sequence error (InfiniBand specification volume 1, 9.7.5.1.4), or a selective one. */
  complain: 2,
} as const;

export interface Reliability {
  /** A data packet has come to its receiver: a `Response`. */
  arrived(qp: number, psn: number): number;
  /** An ACK or NAK has come to its sender, after `unacknowledged` was moved to what it says. `missing`: it was a NAK for this packet's sake. */
  answered(qp: number, complaint: boolean, psn: number): void;
  /** The packet to send next, -1 when there is none now (nothing posted, or a window is full). */
  nextPacket(qp: number): number;
  /** That packet has been sent. */
  sent(qp: number, psn: number): void;
  /** Nothing was heard for too long. */
  timedOut(qp: number): void;
  /** How long to wait for an acknowledgement, picoseconds. */
  timeout(qp: number): number;
  opened(qp: number): void;
}
