/** Medians, spreads and shares. Pure. */

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Not all of what it is made of was over by then. */
  readonly atLeast?: boolean;
}

/** Of at least one value; with an even number of them the median is the mean of the two in the middle. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}

/** The largest over the mean; 1 is perfectly even, and so is nothing at all. */
export function imbalanceOf(loads: readonly number[]): number {
  const total = loads.reduce((sum, load) => sum + load, 0);
  return total === 0 ? 1 : Math.max(...loads) / (total / loads.length);
}

/** Nearest rank: the value that `share` (0 to 1) of them do not exceed. Of at least one value. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}
