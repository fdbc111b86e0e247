/** How long the speaker took from links that came up to all routes in the kernel: the figure operators compare. */

export interface ConvergenceView {
  /** Every fabric link with carrier has a session up. */
  readonly sessionsUp: boolean;
  /** Every session has sent its End-of-RIB markers. */
  readonly allEndOfRib: boolean;
  /** Neither table work nor kernel writes are pending. */
  readonly idle: boolean;
  /** Objects and routes put into the kernel so far. */
  readonly kernelWrites: number;
}

/**
 * Milliseconds after link-up in which later changes still belong to it: a neighbour's End-of-RIB says what it knew, and it may
 * learn more from neighbours of its own that came up a moment later.
 */
const WINDOW = 10_000;

export class Convergence {
  private linkUpAt: number | undefined;
  private convergedAt: number | undefined;
  private kernelWrites = 0;

  /** A fabric link got carrier. The clock starts with the first one after a converged or an empty state. */
  linkUp(now: number): void {
    if (this.linkUpAt !== undefined && this.convergedAt === undefined) return;
    this.linkUpAt = now;
    this.convergedAt = undefined;
  }

  /** Nothing that is observed from here on changes anything, until a link comes up. */
  isOver(now: number): boolean {
    return this.linkUpAt === undefined || (this.convergedAt !== undefined && now - this.linkUpAt >= WINDOW);
  }

  /** Takes the state of the moment; true when this very moment completes the convergence for the first time since link-up. */
  observe(view: ConvergenceView, now: number): boolean {
    if (this.linkUpAt === undefined || !view.sessionsUp || !view.allEndOfRib || !view.idle) return false;
    const first = this.convergedAt === undefined;
    const late = view.kernelWrites !== this.kernelWrites && now - this.linkUpAt < WINDOW;
    this.kernelWrites = view.kernelWrites;
    if (first || late) this.convergedAt = now;
    return first;
  }

  /** Clock milliseconds at which the link came up that is not followed yet; `undefined` when all are. */
  get pendingSince(): number | undefined {
    return this.convergedAt === undefined ? this.linkUpAt : undefined;
  }

  /** Clock milliseconds at which it was complete. */
  get completedAt(): number | undefined {
    return this.convergedAt;
  }

  /** Milliseconds from link-up to all routes in the kernel; `undefined` while it is not known. */
  get duration(): number | undefined {
    return this.linkUpAt === undefined || this.convergedAt === undefined ? undefined : this.convergedAt - this.linkUpAt;
  }
}
