/** How long the speaker took from links that came up to all routes in the kernel: the figure operators compare. */

export interface ConvergenceView {
  /** Every fabric link with carrier has a session up. */
  readonly sessionsUp: boolean;
  /** Every session has sent its End-of-RIB markers. */
  readonly allEndOfRib: boolean;
  /** Neither table work nor kernel writes are pending. */
  readonly idle: boolean;
}

export class Convergence {
  private linkUpAt: number | undefined;
  private convergedAt: number | undefined;

  /** A fabric link got carrier. The clock starts with the first one after a converged or an empty state. */
  linkUp(now: number): void {
    if (this.linkUpAt !== undefined && this.convergedAt === undefined) return;
    this.linkUpAt = now;
    this.convergedAt = undefined;
  }

  /** Takes the state of the moment; true when this very moment completes the convergence. */
  observe(view: ConvergenceView, now: number): boolean {
    if (this.convergedAt !== undefined || this.linkUpAt === undefined) return false;
    if (!view.sessionsUp || !view.allEndOfRib || !view.idle) return false;
    this.convergedAt = now;
    return true;
  }

  /** Milliseconds from link-up to all routes in the kernel; `undefined` while it is not known. */
  get duration(): number | undefined {
    return this.linkUpAt === undefined || this.convergedAt === undefined ? undefined : this.convergedAt - this.linkUpAt;
  }
}
