/**
 * Keeps who says much from getting ahead of the kernel. A neighbour's table is read and decided many times as fast as the kernel takes
 * routes; read to its end it would be a queue of seconds, behind which waits whatever another neighbour says meanwhile. So a session that
 * brings many routes while many wait is not read for a while, one after the other is again as the kernel follows, and TCP tells the
 * neighbours. Sessions that bring few are read always. A route learned beside a million others: 8 s to the kernel without this.
 */
import type { Clock } from '../ports/clock.js';

/** Routes in one read that are many. */
const MANY = 64;
/** Prefixes that wait for the kernel: more than the first is too many, at most the second is few. */
const TOO_MANY_WAITING = 2048;
const FEW_WAITING = 1024;
/** Milliseconds between two looks at what waits, and after which a session is read in any case: its hold timer runs. */
const LOOK = 5;
const LONGEST_PAUSE = 1000;

export interface PausedReader {
  pauseReading(): void;
  resumeReading(): void;
}

export class BackPressure {
  /** In the order in which they were paused, with when they are read again in any case. */
  private readonly paused = new Map<PausedReader, number>();
  private cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    /** Prefixes that the kernel has not got yet. */
    private readonly waiting: () => number,
  ) {}

  /** The session has taken one read, with so many routes in it. */
  hasRead(reader: PausedReader, routes: number): void {
    if (routes < MANY || this.waiting() <= TOO_MANY_WAITING) return;
    reader.pauseReading();
    this.paused.set(reader, this.clock.now() + LONGEST_PAUSE);
    this.watch();
  }

  /** Its session is gone. */
  forget(reader: PausedReader): void {
    this.paused.delete(reader);
  }

  private watch(): void {
    if (this.paused.size > 0) this.cancel ??= this.clock.schedule(this.clock.now() + LOOK, () => this.look());
  }

  private look(): void {
    this.cancel = undefined;
    const now = this.clock.now();
    let mayResume = this.waiting() <= FEW_WAITING;
    for (const [reader, latest] of this.paused) {
      if (!mayResume && now < latest) continue;
      mayResume = false;
      this.paused.delete(reader);
      reader.resumeReading();
    }
    this.watch();
  }
}
