/** The next hops of a set of paths as forwarding wants them: each once, with its share of the traffic. */
import type { FibNextHop } from '../fib/types.js';
import { equalBytes } from '../net/address.js';
import type { PathView } from '../rib/types.js';

/** What the kernel takes for one member of a group. */
const MAX_WEIGHT = 256;

type Way = Pick<FibNextHop, 'interfaceIndex' | 'gateway'>;

/** `shares` are those of the paths; absent when they are equal. A path with several ways has its share spread over them. */
export function fibNextHops(paths: readonly PathView[], shares: readonly number[] | undefined): FibNextHop[] {
  const weights = paths.some(({ resolution }) => resolution && resolution.reaches.length > 1)
    ? spread(paths, shares)
    : shares;
  const nextHops: FibNextHop[] = [];
  for (const [place, { interfaceIndex, gateway, resolution }] of paths.entries()) {
    if (!gateway) continue;
    const weight = weights?.[place];
    if (resolution) for (const way of resolution.reaches) add(nextHops, way, weight);
    else add(nextHops, { interfaceIndex, gateway }, weight);
  }
  return nextHops;
}

/** Two paths of one peer (add-path), or over two next hops behind one router, may share a way. */
function add(nextHops: FibNextHop[], { interfaceIndex, gateway }: Way, weight: number | undefined): void {
  const isThat = (other: FibNextHop) => other.interfaceIndex === interfaceIndex && equalBytes(other.gateway, gateway);
  if (nextHops.some(isThat)) return;
  nextHops.push(weight === undefined ? { interfaceIndex, gateway } : { interfaceIndex, gateway, weight });
}

/** For each path, the weight of each of its ways; `undefined` when all are equal. */
function spread(paths: readonly PathView[], shares: readonly number[] | undefined): readonly number[] | undefined {
  const exact = paths.map(({ resolution }, place) => (shares?.[place] ?? 1) / (resolution?.reaches.length ?? 1));
  const smallest = Math.min(...exact);
  const largest = Math.max(...exact);
  if (smallest === largest) return undefined;
  const scale = wholeScale(exact, smallest, MAX_WEIGHT / largest);
  return exact.map((share) => Math.max(1, Math.round(share * scale)));
}

/** The smallest factor that makes whole numbers of all; `limit` when that is too large for a weight. */
function wholeScale(exact: readonly number[], smallest: number, limit: number): number {
  const isWhole = (value: number) => Math.abs(value - Math.round(value)) < 1e-6;
  for (let multiple = 1; multiple / smallest <= limit; multiple++) {
    const scale = multiple / smallest;
    if (exact.every((share) => isWhole(share * scale))) return scale;
  }
  return limit;
}
