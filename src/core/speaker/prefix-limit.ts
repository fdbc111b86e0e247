/**
 * How many prefixes a neighbour may announce in a family, and what happens beyond (RFC 4271 section 6.7, RFC 4486 section 4). The
 * counts are kept by the RIB as paths come and go: looking costs nothing per route.
 */
import { countedPrefixes } from '../net/counted.js';
import type { Family } from '../net/family.js';

export interface PrefixLimit {
  readonly limit: number;
  /** Per cent of the limit at which a warning is logged. */
  readonly warn: number;
  /** `restart` ends the session for `restartAfter` seconds; `shutdown` until an operator enables it. */
  readonly action: 'warn' | 'restart' | 'shutdown';
  readonly restartAfter: number;
}

export type PrefixLimits = Readonly<Partial<Record<Family, PrefixLimit>>>;

export type PrefixVerdict =
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'exceeded'; readonly family: Family; readonly limit: PrefixLimit };

type Level = 'fine' | 'near' | 'beyond';

/** Watches one session; says everything once, and again after it was over. */
export class PrefixWatch {
  private readonly levels = new Map<Family, Level>();
  private readonly limits: readonly (readonly [Family, PrefixLimit])[];

  constructor(limits: PrefixLimits) {
    const families: readonly Family[] = ['ipv6-unicast', 'ipv4-unicast'];
    this.limits = families.flatMap((family) => (limits[family] ? [[family, limits[family]] as const] : []));
  }

  /** `undefined` when there is nothing new to say. */
  look(countOf: (family: Family) => number): PrefixVerdict | undefined {
    for (const [family, limit] of this.limits) {
      const verdict = this.judge(family, limit, countOf(family));
      if (verdict) return verdict;
    }
    return undefined;
  }

  private judge(family: Family, limit: PrefixLimit, count: number): PrefixVerdict | undefined {
    const level = levelOf(limit, count);
    const before = this.levels.get(family) ?? 'fine';
    if (level === before) return undefined;
    this.levels.set(family, level);
    if (level === 'beyond' && limit.action !== 'warn') return { kind: 'exceeded', family, limit };
    if (level === 'fine' || before === 'beyond') return undefined;
    const message =
      level === 'beyond'
        ? `${countedPrefixes(count, family)}, more than the limit of ${limit.limit}`
        : `${countedPrefixes(count, family)}, near the limit of ${limit.limit}`;
    return { kind: 'warning', message };
  }
}

function levelOf({ limit, warn }: PrefixLimit, count: number): Level {
  if (count > limit) return 'beyond';
  return count * 100 >= limit * warn ? 'near' : 'fine';
}
