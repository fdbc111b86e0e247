/**
 * Neighbours that are kept without a session: shut down by an operator, or beyond a prefix limit. A hold outlives the neighbour
 * itself, so that neither a link that flaps nor an advertisement that is late lifts it.
 */
import type { Clock } from '../ports/clock.js';
import type { StopReason } from '../session/types.js';

export interface Hold {
  readonly kind: 'shutdown' | 'prefix-limit';
  readonly reason: string;
  /** What the neighbour is told. */
  readonly told: StopReason;
  /** Clock milliseconds at which it ends by itself. */
  readonly until?: number;
}

export class SessionHolds {
  private readonly holds = new Map<string, Hold>();

  constructor(
    private readonly clock: Clock,
    /** A hold ended by itself. */
    private readonly expired: (key: string) => void,
  ) {}

  get(key: string): Hold | undefined {
    return this.holds.get(key);
  }

  keys(): Iterable<string> {
    return this.holds.keys();
  }

  set(key: string, hold: Hold): void {
    this.holds.set(key, hold);
    if (hold.until === undefined) return;
    this.clock.schedule(hold.until, () => {
      if (this.holds.get(key) !== hold) return;
      this.holds.delete(key);
      this.expired(key);
    });
  }

  /** False when there was none. */
  lift(key: string): boolean {
    return this.holds.delete(key);
  }

  /** Those of the same interface before its configuration changed. */
  adopt(others: SessionHolds): void {
    for (const [key, hold] of others.holds) this.set(key, hold);
    others.holds.clear();
  }
}
