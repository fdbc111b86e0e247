/**
 * ALB, adaptive load balancing as on Junos PTX: every now and then the traffic of each next hop is held against its due, and where
 * that is off by more than the tolerance, buckets move from the next hop that has too much to the one that has too little.
 * The vendor prints neither formula nor step; these are ours:
 *
 *   due       = share asked for / all of them * rate of the group
 *   deviation = 100 * (rate - due) / due
 *   a step    moves b buckets of rate/buckets each from the highest to the lowest deviation, b such that they never change places
 *
 * Only rates of next hops can be measured here, so a bucket counts with the mean of its next hop. A next hop with one bucket
 * left, or whose mean bucket is larger than half the difference, keeps what it has.
 */

export interface AdaptiveSettings {
  /** Per cent that a next hop may be off its due before anything moves. */
  readonly tolerance: number;
  /** Steps in one scan. */
  readonly moves: number;
}

export interface AdaptiveMember {
  /** Share asked for; above zero. */
  readonly due: number;
  /** Buckets it has now. */
  readonly share: number;
  /** Of its traffic since the last scan; any unit. */
  readonly rate: number;
}

interface Estimate {
  readonly due: number;
  share: number;
  rate: number;
}

/** The new shares, which add up to the same; `undefined` when nothing is to move. */
export function adaptiveShares(members: readonly AdaptiveMember[], settings: AdaptiveSettings): number[] | undefined {
  const total = members.reduce((sum, { rate }) => sum + rate, 0);
  const asked = members.reduce((sum, { due }) => sum + due, 0);
  if (total <= 0 || members.length < 2) return undefined;
  const estimates = members.map(({ due, share, rate }): Estimate => ({ due: (due / asked) * total, share, rate }));
  let moved = false;
  for (let step = 0; step < settings.moves && moveBuckets(estimates, settings.tolerance); step++) moved = true;
  return moved ? estimates.map(({ share }) => share) : undefined;
}

/** Largest deviation from its due among the members, per cent. */
export function largestDeviation(members: readonly AdaptiveMember[]): number {
  const total = members.reduce((sum, { rate }) => sum + rate, 0);
  const asked = members.reduce((sum, { due }) => sum + due, 0);
  if (total <= 0) return 0;
  return Math.max(...members.map(({ due, rate }) => Math.abs(deviation({ due: (due / asked) * total, rate }))));
}

function deviation({ due, rate }: Pick<Estimate, 'due' | 'rate'>): number {
  return (100 * (rate - due)) / due;
}

/** One step from the highest to the lowest deviation; false when none is needed or possible. */
function moveBuckets(estimates: Estimate[], tolerance: number): boolean {
  const byDeviation = [...estimates].sort((a, b) => deviation(a) - deviation(b));
  const low = byDeviation[0]!;
  const high = byDeviation.at(-1)!;
  if (deviation(high) <= tolerance && -deviation(low) <= tolerance) return false;
  const bucket = high.rate / high.share;
  // Beyond this the lower one would be the higher: half the difference, for equal dues.
  const limit = (high.rate * low.due - low.rate * high.due) / (high.due + low.due);
  const surplus = Math.max(bucket, Math.min(high.rate - high.due, low.due - low.rate));
  const buckets = Math.min(high.share - 1, Math.floor(Math.min(limit, surplus) / bucket));
  if (!(buckets >= 1)) return false;
  high.share -= buckets;
  high.rate -= buckets * bucket;
  low.share += buckets;
  low.rate += buckets * bucket;
  return true;
}
