/** What leaves by an interface, and what waits to: a queue that drains at the rate of its limit, or at once where there is none. */

export class TransmitQueue {
  /** Octets a second, as of a token bucket filter at the root of the interface; absent: none. */
  limit: number | undefined;
  /** Seconds at that rate that may wait; what comes on top is dropped. */
  depth = 0.1;
  /** Octets. */
  sent = 0;
  backlog = 0;
  dropped = 0;
  private at = 0;

  /** Takes octets at a time in milliseconds; false when there is no room for them. */
  offer(octets: number, now: number): boolean {
    this.drain(now);
    if (this.limit === undefined) {
      this.sent += octets;
      return true;
    }
    if (this.backlog + octets > this.limit * this.depth) {
      this.dropped += octets;
      return false;
    }
    this.backlog += octets;
    return true;
  }

  /** To be called before its counters are read. */
  drain(now: number): void {
    const room = this.limit === undefined ? this.backlog : (this.limit * (now - this.at)) / 1000;
    const out = Math.min(this.backlog, room);
    this.at = now;
    this.backlog -= out;
    this.sent += out;
  }
}
