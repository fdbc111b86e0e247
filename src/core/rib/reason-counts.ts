/** How many paths or prefixes share a reason, for `show`; what a peer can invent reasons without end for is cut. */

export interface ReasonCount {
  readonly reason: string;
  readonly count: number;
}

/** Distinct reasons kept; the rest are counted together. */
const MAX_REASONS = 16;

export class ReasonCounts {
  readonly #counts = new Map<string, number>();

  add(reason: string): void {
    const key = this.#counts.has(reason) || this.#counts.size < MAX_REASONS ? reason : 'other reasons';
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The most frequent first. */
  list(): readonly ReasonCount[] {
    return [...this.#counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
  }
}
