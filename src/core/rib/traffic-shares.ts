/**
 * Unequal-cost multipath: the link bandwidths of a set of paths (RFC 10005) as the weights of their next hops. Only when every path
 * of the set has one; otherwise, and when all have the same, the shares are equal.
 */
import { linkBandwidthOf } from '../wire/bgp/link-bandwidth.js';
import type { PathView } from './types.js';

/** What the kernel takes for one member of a group. */
const MAX_WEIGHT = 256;

/** One weight per path, 1 to 256, as small as the proportions allow; `undefined` for equal shares. */
export function trafficShares(paths: readonly PathView[]): readonly number[] | undefined {
  if (paths.length < 2) return undefined;
  const bandwidths: number[] = [];
  for (const { attributes } of paths) {
    const bandwidth = linkBandwidthOf(attributes);
    if (bandwidth === undefined) return undefined;
    bandwidths.push(bandwidth);
  }
  const largest = Math.max(...bandwidths);
  if (bandwidths.every((bandwidth) => bandwidth === largest)) return undefined;
  return reduced(bandwidths.map((bandwidth) => Math.max(1, Math.round((bandwidth / largest) * MAX_WEIGHT))));
}

function reduced(weights: readonly number[]): readonly number[] | undefined {
  const divisor = weights.reduce(greatestCommonDivisor);
  const smallest = weights.map((weight) => weight / divisor);
  return smallest.every((weight) => weight === 1) ? undefined : smallest;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
