/**
 * One scan of adaptive load balancing (the formula is ours; vendors print none):
 *
 *   due       = weight of a port / all weights * traffic of the group
 *   deviation = 100 * (load - due) / due, of the ports that are up
 *   nothing moves unless a deviation is larger than the tolerance
 *   a move    takes from the port that is furthest above its due the largest bucket that leaves it no lower, for its weight, than the port furthest
 *             below its due is then: no overshoot. Where that port has none so small, the next one.
 *
 * A bucket larger than that never moves, so an elephant does not wander; the largest load for its weight never grows.
 */

export interface Buckets {
  /** Of each bucket the place of its port. Changed. */
  readonly places: Int32Array;
  /** Of each bucket its traffic. */
  readonly octets: Float64Array;
  /** Of each port, by its place: what it is due, in proportion; 0: it is down. */
  readonly weights: readonly number[];
}

export interface RebalanceLimits {
  readonly tolerance: number;
  /** Buckets that may move. */
  readonly moves: number;
}

interface Load {
  readonly place: number;
  readonly due: number;
  load: number;
}

/** Moves buckets; how many. */
export function rebalance(buckets: Buckets, { tolerance, moves }: RebalanceLimits): number {
  const loads = loadsOf(buckets);
  if (loads.length < 2 || loads.some(({ due }) => due <= 0)) return 0;
  let moved = 0;
  while (moved < moves && loads.some((load) => Math.abs(deviation(load)) > tolerance) && move(buckets, loads)) moved++;
  return moved;
}

function loadsOf({ places, octets, weights }: Buckets): Load[] {
  const byPlace = weights.map(() => 0);
  for (let bucket = 0; bucket < places.length; bucket++)
    byPlace[places[bucket]!] = byPlace[places[bucket]!]! + octets[bucket]!;
  const total = byPlace.reduce((sum, load) => sum + load, 0);
  const weight = weights.reduce((sum, one) => sum + one, 0);
  return weights.flatMap((one, place) =>
    one > 0 ? [{ place, due: (one / weight) * total, load: byPlace[place]! }] : [],
  );
}

function deviation({ load, due }: Load): number {
  return (100 * (load - due)) / due;
}

function move(buckets: Buckets, loads: Load[]): boolean {
  loads.sort((a, b) => deviation(b) - deviation(a) || a.place - b.place);
  const low = loads.at(-1)!;
  for (const high of loads) {
    // Beyond this the lower one would be the higher: half the difference, for equal dues.
    const limit = (high.load * low.due - low.load * high.due) / (high.due + low.due);
    const bucket = limit > 0 ? largestBucket(buckets, high.place, limit) : -1;
    if (bucket < 0) continue;
    buckets.places[bucket] = low.place;
    high.load -= buckets.octets[bucket]!;
    low.load += buckets.octets[bucket]!;
    return true;
  }
  return false;
}

/** Of a port's buckets that carry anything the largest up to a limit; -1: none. */
function largestBucket({ places, octets }: Buckets, place: number, limit: number): number {
  let largest = -1;
  for (let bucket = 0; bucket < places.length; bucket++) {
    if (places[bucket] !== place || octets[bucket] === 0 || octets[bucket]! > limit) continue;
    if (largest < 0 || octets[bucket]! > octets[largest]!) largest = bucket;
  }
  return largest;
}
