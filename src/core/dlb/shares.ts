/**
 * Shares of a next-hop group as whole numbers that a kernel takes for weights. A resilient group gives each member buckets in
 * proportion, so a share is best thought of as a number of buckets: all of them together are the `budget`.
 */

/** The largest that Linux takes before 6.14. */
export const MAX_SHARE = 256;

/**
 * Whole shares, each at least 1, in the proportions of `wanted`, that add up to `budget` (or to as many as members, if that is
 * more). Largest remainders first, so no share is off by one or more.
 */
export function wholeShares(wanted: readonly number[], budget: number): number[] {
  const total = wanted.reduce((sum, one) => sum + one, 0);
  const spare = Math.max(0, budget - wanted.length);
  const exact = wanted.map((one) => (total > 0 ? one / total : 1 / wanted.length) * budget);
  const above = exact.map((one) => Math.max(0, one - 1));
  const scale = spare / (above.reduce((sum, one) => sum + one, 0) || 1);
  const parts = above.map((one) => one * scale);
  const shares = parts.map(Math.floor);
  let left = spare - shares.reduce((sum, one) => sum + one, 0);
  const byRemainder = parts
    .map((_, place) => place)
    .sort((a, b) => remainder(parts[b]!) - remainder(parts[a]!) || a - b);
  for (const place of byRemainder) {
    if (left-- <= 0) break;
    shares[place]!++;
  }
  return shares.map((share) => share + 1);
}

/** Of a group of so many buckets: one share a bucket, as far as a weight can say it. */
export function shareBudget(buckets: number): number {
  return Math.min(buckets, MAX_SHARE);
}

function remainder(value: number): number {
  return value - Math.floor(value);
}
