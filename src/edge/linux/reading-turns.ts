/**
 * How long sockets are read before everything else has its turn. The event loop hands over what all of them have before it looks at a timer
 * again: one piece each of 32 neighbours' tables kept KEEPALIVEs back by a tenth of a second. What is beyond the time of a turn waits, in
 * the order in which it came, until timers and table work had theirs.
 */

/** Milliseconds of reading in a turn of the event loop: the shorter, the more often the same prefix is decided. */
const TURN = 10;

export class ReadingTurns {
  private spent = 0;
  private isNextDue = false;
  private readonly waiting: (() => void)[] = [];

  /** Does the work now, or in one of the next turns. */
  take(work: () => void): void {
    if (this.waiting.length === 0 && this.spent < TURN) this.do(work);
    else this.waiting.push(work);
  }

  private do(work: () => void): void {
    const from = performance.now();
    // Before the work: what it throws must not keep the others waiting for ever.
    if (!this.isNextDue) {
      this.isNextDue = true;
      setImmediate(() => this.next());
    }
    try {
      work();
    } finally {
      this.spent += performance.now() - from;
    }
  }

  private next(): void {
    this.isNextDue = false;
    this.spent = 0;
    while (this.waiting.length > 0 && this.spent < TURN) this.do(this.waiting.shift()!);
  }
}
