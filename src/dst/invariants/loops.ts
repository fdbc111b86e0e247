/** No packet goes round for longer than a moment, whatever happens to the fabric meanwhile. Looked at all the time, not only when it is quiet. */
import type { Address } from '../../core/net/address.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { Testbed } from '../testbed.js';
import { nextRouters } from '../walk.js';

/** Milliseconds that a loop may last: withdrawals cross the fabric in less, also when its routers are busy. */
const BOUND = 2000;

export class LoopWatch {
  /** By what goes round: since when. */
  private since = new Map<string, number>();

  constructor(private readonly bed: Testbed) {}

  look(): void {
    const loops = new Map<string, number>();
    for (const loop of loopsOf(this.bed)) {
      const since = this.since.get(loop) ?? this.bed.now;
      loops.set(loop, since);
      if (this.bed.now - since < BOUND) continue;
      this.bed.found({ invariant: 'no-loop', place: loop, detail: `for ${this.bed.now - since} ms` });
    }
    this.since = loops;
  }
}

/** `fc00:1:1:1::/64: leaf2 spine1 leaf2`, for each prefix that a router is found in a loop for. */
export function loopsOf(bed: Testbed): string[] {
  const { routers } = bed.plan;
  const prefixes = routers.flatMap(({ hosts }) => hosts.flatMap((host) => host.prefixes.map(({ prefix }) => prefix)));
  return prefixes.flatMap((prefix) => {
    const safe = new Set<string>();
    const loops = routers.map(({ name }) => loopFrom(bed, [name], { destination: prefix.address, safe }));
    const [loop] = loops.filter((one) => one !== undefined);
    return loop ? [`${formatPrefix(prefix)}: ${loop.join(' ')}`] : [];
  });
}

/** `safe`: routers from which no way leads into a loop. */
function loopFrom(
  bed: Testbed,
  way: readonly string[],
  to: { readonly destination: Address; readonly safe: Set<string> },
): readonly string[] | undefined {
  const here = way.at(-1)!;
  if (to.safe.has(here)) return undefined;
  if (way.indexOf(here) < way.length - 1) return way.slice(way.indexOf(here));
  for (const next of nextRouters(bed, here, to.destination)) {
    const loop = next === undefined ? undefined : loopFrom(bed, [...way, next], to);
    if (loop) return loop;
  }
  to.safe.add(here);
  return undefined;
}
