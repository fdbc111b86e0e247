/** Quantiles of samples, by nearest rank. */

export interface Distribution {
  readonly count: number;
  readonly average: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly most: number;
}

/** `sorted` ascending and not empty; `share` 0 to 1. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

/** Undefined when there are no samples. */
export function distribution(samples: Iterable<number>): Distribution | undefined {
  const sorted = Float64Array.from(samples).sort();
  if (sorted.length === 0) return undefined;
  const at = (share: number) => quantile(sorted, share);
  const average = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
  return {
    count: sorted.length,
    average,
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    p999: at(0.999),
    most: sorted.at(-1)!,
  };
}

/** The value at each of `points` equal steps from the least to the greatest, for a curve. */
export function curve(samples: Iterable<number>, points: number): number[] {
  const sorted = Float64Array.from(samples).sort();
  if (sorted.length === 0) return [];
  return Array.from({ length: points }, (_, point) => quantile(sorted, (point + 1) / points - 1e-9));
}
