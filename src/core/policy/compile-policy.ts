/**
 * A chain of policies made ready to run, once: lists indexed, expressions compiled. Terms are asked in order; each sees what
 * the ones before it changed. `accept` and `reject` end the chain, `next` goes to the following term, the end of a policy to
 * the following policy. What no term decides is not decided here (session-policy.ts).
 */

import type { Address } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Prefix } from '../net/prefix.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { applyChanges } from './apply-changes.js';
import { type Condition, compileConditions, type PolicySubject, type PrefixTest } from './compile-conditions.js';
import type { Changes, PolicyChain, Term } from './policy.js';

export interface TermName {
  readonly policy: string;
  readonly term: string;
}

export interface Verdict {
  /** `undefined`: no term decided. */
  readonly decision: 'accept' | 'reject' | undefined;
  readonly decidedBy?: TermName;
  readonly attributes: PathAttributes;
  /** What was set by name, so that nobody behind the policy changes it again. */
  readonly colourSet: boolean;
  readonly aigpSet: boolean;
  readonly nextHop?: Address | 'self';
}

/** One term as it was asked. */
export interface TermStep extends TermName {
  readonly conditions: readonly { readonly text: string; readonly holds: boolean }[];
  readonly matched: boolean;
  readonly source: Term;
}

interface CompiledTerm extends TermName {
  readonly conditions: readonly Condition[];
  readonly source: Term;
}

export class CompiledChain {
  /** Names of the policies, in order. */
  readonly names: readonly string[];
  /** What it says depends on who the neighbour is. */
  readonly looksAtSession: boolean;
  readonly #terms: readonly CompiledTerm[];
  readonly #prefixTests: PrefixTest[] = [];

  constructor(chain: PolicyChain) {
    this.names = chain.map(({ name }) => name);
    this.looksAtSession = chain.some(({ terms }) => terms.some(({ match }) => match.neighbour ?? match.interface));
    this.#terms = chain.flatMap(({ name, terms }) =>
      terms.map((source) => {
        const conditions = compileConditions(source.match, this.#prefixTests);
        return { policy: name, term: source.name, conditions, source };
      }),
    );
  }

  /** What it says of every route, with nothing set; `undefined` when that depends on the route, 'next' when no term decides any. */
  get always(): Term['action'] | undefined {
    const [first] = this.#terms;
    if (!first) return 'next';
    const { action, set } = first.source;
    const isPlain = first.conditions.length === 0 && Object.keys(set).length === 0;
    return isPlain && action !== 'next' ? action : undefined;
  }

  /** What it says depends on the prefix. */
  get looksAtPrefix(): boolean {
    return this.#prefixTests.length > 0;
  }

  /** What the prefix tests say, one character each: prefixes with the same answer are the same to this chain. */
  hits(prefix: Prefix): string {
    let hits = '';
    for (const test of this.#prefixTests) hits += test(prefix) ? '1' : '0';
    return hits;
  }

  /** `observe` hears of every term that is asked. */
  evaluate(subject: PolicySubject, localAs: AsNumber, observe?: (step: TermStep) => void): Verdict {
    let attributes = subject.attributes;
    const made = { colourSet: false, aigpSet: false, nextHop: undefined as Changes['nextHop'] };
    for (const { policy, term, conditions, source } of this.#terms) {
      const seen = { ...subject, attributes };
      const matched = conditions.every((condition) => condition.holds(seen));
      observe?.({ policy, term, conditions: answers(conditions, seen), matched, source });
      if (!matched) continue;
      attributes = applyChanges(attributes, source.set, localAs);
      if (source.set.colour !== undefined) made.colourSet = true;
      if (source.set.aigp !== undefined) made.aigpSet = true;
      if (source.set.nextHop !== undefined) made.nextHop = source.set.nextHop;
      if (source.action === 'next') continue;
      return verdict({ decision: source.action, decidedBy: { policy, term }, attributes }, made);
    }
    return verdict({ decision: undefined, attributes }, made);
  }
}

function answers(conditions: readonly Condition[], subject: PolicySubject): TermStep['conditions'] {
  return conditions.map((condition) => ({ text: condition.text, holds: condition.holds(subject) }));
}

function verdict(
  base: Pick<Verdict, 'decision' | 'decidedBy' | 'attributes'>,
  { nextHop, ...made }: { colourSet: boolean; aigpSet: boolean; nextHop: Changes['nextHop'] },
): Verdict {
  return { ...base, ...made, ...(nextHop !== undefined && { nextHop }) };
}
