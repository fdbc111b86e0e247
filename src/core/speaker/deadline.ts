/**
 * A deadline that moves often and expires seldom (hold timers move with every message): moving it later costs an assignment,
 * not a new wake-up.
 */
import type { Clock } from '../ports/clock.js';

export class Deadline {
  private at = Number.POSITIVE_INFINITY;
  private wakeAt = Number.POSITIVE_INFINITY;
  private cancelWake: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    /** Called with the moment that it was armed for. */
    private readonly expired: (at: number) => void,
  ) {}

  /** Clock milliseconds; replaces an earlier deadline. */
  arm(at: number): void {
    this.at = at;
    if (at < this.wakeAt) this.scheduleWake();
  }

  cancel(): void {
    this.at = Number.POSITIVE_INFINITY;
    this.cancelWake?.();
    this.cancelWake = undefined;
    this.wakeAt = Number.POSITIVE_INFINITY;
  }

  get armed(): boolean {
    return this.at !== Number.POSITIVE_INFINITY;
  }

  /** Clock milliseconds; `undefined` when it is not armed. */
  get deadline(): number | undefined {
    return this.armed ? this.at : undefined;
  }

  private scheduleWake(): void {
    this.cancelWake?.();
    this.wakeAt = this.at;
    this.cancelWake = this.clock.schedule(this.at, () => this.wake());
  }

  private wake(): void {
    this.cancelWake = undefined;
    this.wakeAt = Number.POSITIVE_INFINITY;
    if (!this.armed) return;
    const { at } = this;
    if (this.clock.now() < at) return this.scheduleWake();
    this.at = Number.POSITIVE_INFINITY;
    this.expired(at);
  }
}
