/**
 * A session's options and its import policy on received attributes: which attributes the path gets, and whether it is eligible.
 * They run once per set of attributes, and for a policy that looks at prefixes once per set and answer of its prefix tests.
 */
import { nextHopOf } from '../policy/export-chain.js';
import type { SessionPolicy } from '../policy/session-policy.js';
import { changesReceived, takenAttributes, underGracefulShutdown } from '../policy/taken-attributes.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import { GRACEFUL_SHUTDOWN } from '../route/preference.js';
import type { DecodedAttributes } from '../wire/bgp/attributes/decode-attributes.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { ELIGIBLE, isLookedUp, type OwnIdentity, REJECTED, unusableReason, wayReason } from './eligibility.js';
import type { NextHopTable } from './next-hop-table.js';
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
  readonly #own: OwnIdentity;
  /** By peer and id of the received attributes; an entry counts as long as the id stands for the same ones. */
  readonly #results = new WeakMap<RibPeerInfo, Entry[]>();

  readonly #nextHops: NextHopTable;

  constructor(attributes: AttributeTable, own: OwnIdentity, nextHops: NextHopTable) {
    this.#attributes = attributes;
    this.#own = own;
    this.#nextHops = nextHops;
  }

  /** Whether a path may get other attributes than the received ones; if not, `hiddenReason` is all there is to ask. */
  mayChange(info: RibPeerInfo, received: AttributeId): boolean {
    const leaving = info.external && (this.#attributes.preference.flags[received]! & GRACEFUL_SHUTDOWN) !== 0;
    const isAsked = info.importPolicy !== undefined && !info.importPolicy.acceptsAll;
    return isAsked || leaving || changesReceived(info.options);
  }

  /** The code of the reason why paths with these attributes, as received, are hidden, or ELIGIBLE. */
  hiddenReason(info: RibPeerInfo, received: AttributeId): number {
    return this.#way(info, received) || this.unusableReason(info, received);
  }

  /** The same of attributes that a path is to have: where they came through counts no more. */
  unusableReason(info: RibPeerInfo, id: AttributeId): number {
    const flags = this.#attributes.preference.flags[id]!;
    const reason = unusableReason(flags, this.#attributes.attributes(id), info);
    return reason === ELIGIBLE && isLookedUp(flags, info) ? this.#nextHops.reason(id, info) : reason;
  }

  /** RFC 4271 section 9.1.2: a loop is seen in what was received, whatever a policy prepends. */
  #way(info: RibPeerInfo, received: AttributeId): number {
    const { flags, neighbourAs } = this.#attributes.preference;
    const attributes = this.#attributes.attributes(received);
    return wayReason({ flags: flags[received]!, firstAs: neighbourAs[received]!, attributes }, info, this.#own);
  }

  /** Sets `id`, with one reference for the caller, and `hidden`. `hits` is what the policy says of the prefix. */
  judge(info: RibPeerInfo, received: AttributeId, hits: string): void {
    this.id = received;
    this.hidden = this.#way(info, received);
    if (this.hidden === ELIGIBLE && this.mayChange(info, received)) return this.#apply(info, hits);
    if (this.hidden === ELIGIBLE) this.hidden = this.hiddenReason(info, received);
    this.#attributes.acquire(received);
  }

  #apply(info: RibPeerInfo, hits: string): void {
    const received = this.id;
    const { byHits } = this.#entry(info, received);
    let result = byHits.get(hits);
    if (!result) {
      const source = this.#attributes.attributes(received);
      result = { attributes: takenFrom(info, source, hits), id: 0, noted: undefined };
      byHits.set(hits, result);
    }
    if (result.attributes === undefined) {
      this.hidden = REJECTED;
      this.#attributes.acquire(received);
      return;
    }
    this.id = this.#idOf(result, result.attributes, received);
    this.hidden = this.unusableReason(info, this.id);
  }

  #entry(info: RibPeerInfo, received: AttributeId): Entry {
    let entries = this.#results.get(info);
    if (!entries) {
      entries = [];
      this.#results.set(info, entries);
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
    const isKnown = result.noted !== undefined && this.#attributes.standsFor(result.id, result.noted);
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

/** `undefined` when the policy rejects the route. */
function takenFrom(info: RibPeerInfo, received: PathAttributes, hits: string): PathAttributes | undefined {
  const taken = takenAttributes(received, info.options);
  const judged = info.importPolicy ? accepted(info.importPolicy, taken, hits) : taken;
  return judged && info.external ? underGracefulShutdown(judged) : judged;
}

function accepted(policy: SessionPolicy, taken: PathAttributes, hits: string): PathAttributes | undefined {
  const verdict = policy.evaluate(taken, hits);
  if (!policy.accepts(verdict)) return undefined;
  const { attributes, nextHop } = verdict;
  return nextHop === undefined || nextHop === 'self' ? attributes : { ...attributes, nextHop: nextHopOf(nextHop) };
}
