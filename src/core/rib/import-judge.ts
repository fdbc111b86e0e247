/**
 * The import policy on received attributes: which attributes the path gets, and whether it is eligible. The policy runs once
 * per set of attributes, and for a policy that looks at prefixes once per set and answer of its prefix tests.
 */
import type { Verdict } from '../policy/compile-policy.js';
import { nextHopOf } from '../policy/export-chain.js';
import type { SessionPolicy } from '../policy/session-policy.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import { AS_LOOP } from '../route/preference.js';
import type { DecodedAttributes } from '../wire/bgp/attributes/decode-attributes.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { hiddenReason, LOOPED, REJECTED } from './eligibility.js';
import type { RibPeerInfo } from './types.js';

interface Result {
  /** `undefined`: rejected. */
  readonly attributes: PathAttributes | undefined;
  id: AttributeId;
  /** What the id stood for when it was noted: ids are used again. */
  noted: DecodedAttributes | undefined;
}

interface Entry {
  readonly source: DecodedAttributes;
  readonly byHits: Map<string, Result>;
}

export class ImportJudge {
  /** Of the last `judge`. */
  id: AttributeId = 0;
  hidden = 0;
  readonly #attributes: AttributeTable;
  /** By policy and id of the received attributes; an entry counts as long as the id stands for the same ones. */
  readonly #results = new WeakMap<SessionPolicy, Entry[]>();

  constructor(attributes: AttributeTable) {
    this.#attributes = attributes;
  }

  /** Sets `id`, with one reference for the caller, and `hidden`. `hits` is what the policy says of the prefix. */
  judge(info: RibPeerInfo, received: AttributeId, hits: string): void {
    const { flags } = this.#attributes.preference;
    this.id = received;
    // RFC 4271 section 9.1.2: a loop is seen in what was received, whatever a policy prepends.
    this.hidden = hiddenReason(flags[received]!, this.#attributes.attributes(received), info);
    if (info.importPolicy && this.hidden !== LOOPED) this.#apply(info, info.importPolicy, hits);
    else this.#attributes.acquire(received);
  }

  #apply(info: RibPeerInfo, policy: SessionPolicy, hits: string): void {
    const received = this.id;
    const { byHits } = this.#entry(policy, received);
    let result = byHits.get(hits);
    if (!result) {
      const source = this.#attributes.attributes(received);
      result = { attributes: accepted(policy, policy.evaluate(source, hits)), id: 0, noted: undefined };
      byHits.set(hits, result);
    }
    if (result.attributes === undefined) {
      this.hidden = REJECTED;
      this.#attributes.acquire(received);
      return;
    }
    this.id = this.#idOf(result, result.attributes, received);
    const flags = this.#attributes.preference.flags[this.id]! & ~AS_LOOP;
    this.hidden = hiddenReason(flags, result.attributes, info);
  }

  #entry(policy: SessionPolicy, received: AttributeId): Entry {
    let entries = this.#results.get(policy);
    if (!entries) {
      entries = [];
      this.#results.set(policy, entries);
    }
    const source = this.#attributes.decoded(received);
    let entry = entries[received];
    if (entry?.source !== source) {
      entry = { source, byHits: new Map() };
      entries[received] = entry;
    }
    return entry;
  }

  #idOf(result: Result, attributes: PathAttributes, received: AttributeId): AttributeId {
    const isUnchanged = attributes === this.#attributes.attributes(received);
    const isKnown = result.noted !== undefined && this.#attributes.decoded(result.id) === result.noted;
    if (isUnchanged || isKnown) {
      const id = isUnchanged ? received : result.id;
      this.#attributes.acquire(id);
      return id;
    }
    result.id = this.#attributes.internValue(attributes);
    result.noted = this.#attributes.decoded(result.id);
    return result.id;
  }
}

function accepted(policy: SessionPolicy, verdict: Verdict): PathAttributes | undefined {
  if (!policy.accepts(verdict)) return undefined;
  const { attributes, nextHop } = verdict;
  return nextHop === undefined || nextHop === 'self' ? attributes : { ...attributes, nextHop: nextHopOf(nextHop) };
}
