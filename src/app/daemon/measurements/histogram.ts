/** Counts values by size. */
import type { HistogramCounts } from '../../../edge/control/measurements.js';

export class Histogram {
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper ones, ascending; what is above the last has a count too */
  constructor(private readonly bounds: readonly number[]) {
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const place = this.bounds.findIndex((bound) => value <= bound);
    this.#counts[place === -1 ? this.bounds.length : place]!++;
    this.#sum += value;
  }

  get counts(): HistogramCounts {
    const buckets = this.#counts.map((count, place) => ({
      bound: this.bounds[place] ?? Number.POSITIVE_INFINITY,
      count,
    }));
    return { buckets, sum: this.#sum };
  }
}
