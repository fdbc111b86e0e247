/**
 * What the FIB does because time has passed: it looks whether the kernel still has what it had, tries again what the kernel refused,
 * ever more seldom, and tidies up what a failure left in a shape that was quick to reach.
 */
import type { Clock } from '../ports/clock.js';

/** Milliseconds between looks at the next-hop objects: the kernel deletes some in silence, so when IPv6 is disabled on an interface. */
const AUDIT_INTERVAL = 10_000;
/** Every so many of these the routes are looked at too. */
const FULL_AUDIT = 30;
/** Milliseconds until groups of another kind and equal forwarding classes are seen to: the failure may heal by then. */
const TIDY_DELAY = 10_000;
const FIRST_RETRY = 1000;
const LAST_RETRY = 64_000;

export interface FibChores {
  /** To look at the next-hop objects; `full` at the routes as well. */
  audit(full: boolean): void;
  retry(): void;
  tidy(): void;
}

/** How the FIB is when the kernel has answered all there was to write. */
export interface FibCondition {
  readonly hasFailures: boolean;
  readonly isUntidy: boolean;
}

export class FibTimers {
  private audits = 0;
  private retryDelay = FIRST_RETRY;
  private cancelAudit: (() => void) | undefined;
  private cancelRetry: (() => void) | undefined;
  private cancelTidy: (() => void) | undefined;
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly chores: FibChores,
  ) {}

  start(): void {
    this.cancelAudit = this.after(AUDIT_INTERVAL, () => {
      this.chores.audit(++this.audits % FULL_AUDIT === 0);
      this.start();
    });
  }

  /** To be told after each run of writes. */
  written({ hasFailures, isUntidy }: FibCondition): void {
    if (this.stopped) return;
    if (hasFailures) this.planRetry();
    else this.endRetries();
    if (isUntidy) this.planTidying();
  }

  endRetries(): void {
    this.cancelRetry?.();
    this.cancelRetry = undefined;
    this.retryDelay = FIRST_RETRY;
  }

  stop(): void {
    this.stopped = true;
    this.endRetries();
    this.cancelAudit?.();
    this.cancelTidy?.();
  }

  private planRetry(): void {
    if (this.cancelRetry) return;
    this.cancelRetry = this.after(this.retryDelay, () => {
      this.cancelRetry = undefined;
      this.chores.retry();
    });
    this.retryDelay = Math.min(this.retryDelay * 2, LAST_RETRY);
  }

  private planTidying(): void {
    this.cancelTidy ??= this.after(TIDY_DELAY, () => {
      this.cancelTidy = undefined;
      this.chores.tidy();
    });
  }

  private after(milliseconds: number, wake: () => void): () => void {
    return this.clock.schedule(this.clock.now() + milliseconds, wake);
  }
}
