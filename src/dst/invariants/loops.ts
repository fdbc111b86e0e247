/** No packet goes round for longer than a moment, whatever happens to the fabric meanwhile. Looked at all the time, not only when it is quiet. */
import type { LabPlan } from '../../app/lab/plan.js';
import { formatPrefix, type Prefix } from '../../core/net/prefix.js';
import type { Violation } from '../violation.js';
import type { NextRouters } from '../walk.js';

export class LoopWatch {
  /** By what goes round: since when. */
  private since = new Map<string, number>();

  /** `bound`: milliseconds that a loop may last. */
  constructor(
    private readonly bound: number,
    private readonly found: (violation: Violation) => void,
  ) {}

  /** What goes round at a time, as `loopsOf` has it. */
  take(now: number, loops: readonly string[]): void {
    const since = new Map(loops.map((loop) => [loop, this.since.get(loop) ?? now]));
    for (const [place, begin] of since)
      if (now - begin >= this.bound)
        this.found({ invariant: 'no-loop', place, detail: `for ${Math.round(now - begin)} ms` });
    this.since = since;
  }
}

/** `fc00:1:1:1::/64: leaf2 spine1 leaf2`, for each prefix that a router is found in a loop for. */
export function loopsOf({ routers }: LabPlan, next: NextRouters): string[] {
  const found: string[] = [];
  for (const { hosts } of routers)
    for (const host of hosts)
      for (const { prefix } of host.prefixes) {
        const loop = loopTo({ destination: prefix, safe: new Set(), way: [], next }, routers);
        if (loop) found.push(`${formatPrefix(prefix)}: ${loop.join(' ')}`);
      }
  return found;
}

interface Walk {
  readonly destination: Prefix;
  /** Routers from which no way leads into a loop. */
  readonly safe: Set<string>;
  /** From the first to where it is. */
  readonly way: string[];
  readonly next: NextRouters;
}

function loopTo(walk: Walk, routers: LabPlan['routers']): readonly string[] | undefined {
  for (const { name } of routers) {
    const loop = loopFrom(name, walk);
    if (loop) return loop;
  }
  return undefined;
}

function loopFrom(here: string, walk: Walk): readonly string[] | undefined {
  const { destination, safe, way, next } = walk;
  if (safe.has(here)) return undefined;
  const before = way.indexOf(here);
  way.push(here);
  if (before >= 0) return way.slice(before);
  for (const one of next(here, destination)) {
    const loop = one === undefined ? undefined : loopFrom(one, walk);
    if (loop) return loop;
  }
  way.pop();
  safe.add(here);
  return undefined;
}
