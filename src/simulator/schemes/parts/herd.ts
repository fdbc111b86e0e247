/**
 * Whether flowlets of a switch go in herds: how many that begin soon after another take the port that it took, beside how many would by chance. Where news
 * of load comes at intervals, all that begin within one hear the same.
 */

const NONE = -1;

export class Herd {
  /** Flowlets that began soon after another of their switch; those of them that took the same port, and those that would by chance. */
  private soonAfter = 0;
  private followed = 0;
  private byChance = 0;
  private readonly lastPort: Int32Array;
  private readonly lastAt: Float64Array;
  private readonly interval: number;

  /** @param interval what is soon, picoseconds */
  constructor(switches: number, interval: number) {
    this.lastPort = new Int32Array(switches).fill(NONE);
    this.lastAt = new Float64Array(switches);
    this.interval = interval;
  }

  /** A flowlet begins at a switch, and takes one of so many ports. */
  began(at: number, port: number, ways: number, now: number): void {
    const last = this.lastPort[at]!;
    if (last !== NONE && now - this.lastAt[at]! < this.interval) {
      this.soonAfter++;
      this.byChance += 1 / ways;
      if (port === last) this.followed++;
    }
    this.lastPort[at] = port;
    this.lastAt[at] = now;
  }

  counters(): Readonly<Record<'soonAfter' | 'followed' | 'followedByChance', number>> {
    return { soonAfter: this.soonAfter, followed: this.followed, followedByChance: Math.round(this.byChance) };
  }
}
