/**
 * Unequal-cost multipath: the link bandwidths of a set of paths (RFC 10005) as the weights of their next hops. Only when every path
 * of the set has one; otherwise, and when all have the same, the shares are equal.
 */
import { linkBandwidthOf } from '../wire/bgp/link-bandwidth.js';
import type { PathView } from './types.js';

/** What the kernel takes for one member of a group. */
const MAX_WEIGHT = 256;
/** Bandwidths are IEEE singles, so that 1 to 3 may be off by one in ten millions. */
const ROUNDING = 1e-6;

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
  const scale = smallestScale(bandwidths, largest);
  return reduced(bandwidths.map((bandwidth) => Math.max(1, Math.round((bandwidth / largest) * scale))));
}

/** The weight of the largest bandwidth with which all weights are whole; where there is none, that with which they are nearest. */
function smallestScale(bandwidths: readonly number[], largest: number): number {
  for (let scale = 2; scale < MAX_WEIGHT; scale++) {
    if (bandwidths.every((bandwidth) => isWhole((bandwidth / largest) * scale))) return scale;
  }
  return MAX_WEIGHT;
}

function isWhole(weight: number): boolean {
  const whole = Math.round(weight);
  return whole > 0 && Math.abs(weight - whole) <= whole * ROUNDING;
}

function reduced(weights: readonly number[]): readonly number[] | undefined {
  const divisor = weights.reduce(greatestCommonDivisor);
  const smallest = weights.map((weight) => weight / divisor);
  return smallest.every((weight) => weight === 1) ? undefined : smallest;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
