/**
 * The policy of one direction of one session: a chain bound to the session, and what becomes of a route that no term decides.
 *
 * RFC 8212: an external session without policy carries no routes. The role that DPF gives a fabric interface is a policy in
 * that sense (a leaf tells only its own routes, a spine passes on what it hears), and stands behind the chain there: it accepts what the
 * chain leaves undecided. On any other external session nothing stands behind it, so what no term accepts is rejected.
 */
import type { AsNumber } from '../net/as-number.js';
import type { Prefix } from '../net/prefix.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { PolicySession } from './compile-conditions.js';
import { CompiledChain, type TermName, type Verdict } from './compile-policy.js';
import type { PolicyChain } from './policy.js';

export type Direction = 'import' | 'export';

export interface PolicyPlace {
  readonly direction: Direction;
  readonly session: PolicySession;
  readonly localAs: AsNumber;
  /** The session is external, and no role of DPF stands for a policy (RFC 8212). */
  readonly strict: boolean;
}

export interface Rejection {
  readonly direction: Direction;
  readonly names: readonly string[];
  /** Absent when no term decided. */
  readonly term?: TermName | undefined;
}

export class SessionPolicy {
  /** Same key, same verdicts. */
  readonly key: string;
  /** Every route, as it is: nothing need be asked. */
  readonly acceptsAll: boolean;
  readonly rejectsAll: boolean;

  constructor(
    readonly chain: CompiledChain,
    readonly place: PolicyPlace,
    id: number,
  ) {
    const { interfaceName, neighbour } = place.session;
    const who = chain.looksAtSession ? `/${interfaceName}/${neighbour.join('.')}` : '';
    this.key = `${id}${place.strict ? '/strict' : ''}${who}`;
    const always = chain.always === 'next' ? (place.strict ? 'reject' : 'accept') : chain.always;
    this.acceptsAll = always === 'accept';
    this.rejectsAll = always === 'reject';
  }

  get looksAtPrefix(): boolean {
    return this.chain.looksAtPrefix;
  }

  hits(prefix: Prefix): string {
    return this.chain.hits(prefix);
  }

  evaluate(attributes: PathAttributes, hits: string): Verdict {
    const { session, localAs } = this.place;
    return this.chain.evaluate({ attributes, hits, session }, localAs);
  }

  accepts({ decision }: Verdict): boolean {
    return decision === undefined ? !this.place.strict : decision === 'accept';
  }

  rejection({ decidedBy }: Verdict): Rejection {
    return { direction: this.place.direction, names: this.chain.names, term: decidedBy };
  }
}

/** `rejected by import policy drain term 2`. */
export function rejectionText({ direction, names, term }: Rejection): string {
  if (term) return `rejected by ${direction} policy ${term.policy} term ${term.term}`;
  return names.length > 0
    ? `accepted by no term of ${direction} policy ${names.join(', ')}`
    : `no ${direction} policy (RFC 8212)`;
}

/** Why routes may not flow on a session, for people; empty when nothing is missing. */
export function missingPolicies(strict: boolean, chains: Readonly<Partial<Record<Direction, PolicyChain>>>): string[] {
  if (!strict) return [];
  const missing = (['import', 'export'] as const).filter((direction) => (chains[direction] ?? []).length === 0);
  return missing.map((direction) => rejectionText({ direction, names: [] }));
}

/** Makes the policies of sessions; equal chains are compiled once and share a key. */
export class SessionPolicies {
  readonly #chains = new WeakMap<PolicyChain, { chain: CompiledChain; id: number }>();
  #nextId = 1;

  /** `undefined` when every route is accepted as it is: no chain, and none needed. */
  bind(chain: PolicyChain = NO_POLICIES, place: PolicyPlace): SessionPolicy | undefined {
    if (chain.length === 0 && !place.strict) return undefined;
    let known = this.#chains.get(chain);
    if (!known) {
      known = { chain: new CompiledChain(chain), id: this.#nextId++ };
      this.#chains.set(chain, known);
    }
    return new SessionPolicy(known.chain, place, known.id);
  }
}

const NO_POLICIES: PolicyChain = [];
