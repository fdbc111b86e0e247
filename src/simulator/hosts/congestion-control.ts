/** How a sender's rate follows congestion. A profile is one file; its state is columns beside those of the queue pairs. */

export interface CongestionControl {
  /** How the receiver tells of marked packets: a bit in its ACKs, or CNPs of its own, at least so far apart for a queue pair (picoseconds). */
  readonly notification: { readonly kind: 'echo' } | { readonly kind: 'cnp'; readonly interval: number };
  /** A queue pair starts, at the rate of its line. */
  opened(qp: number): void;
  /** The receiver has seen marks. */
  congested(qp: number): void;
  /** A packet of so many octets has gone out. */
  sent(qp: number, bytes: number): void;
  /** One of its timers. */
  timer(qp: number, which: number): void;
}

/** Line rate, always. */
export class NoCongestionControl implements CongestionControl {
  readonly notification = { kind: 'echo' } as const;
  opened(): void {}
  congested(): void {}
  sent(): void {}
  timer(): void {}
}
