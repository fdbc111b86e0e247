/** Decisions as values for sinks and for `show`: made on demand from the verdicts that the decision left in the paths. */
import type { AttributeTable } from '../route/attribute-table.js';
import { HAS_COLOUR } from '../route/preference.js';
import { STEP_NAMES } from './decision-steps.js';
import { gatewayOf, isLookedUp } from './eligibility.js';
import type { NextHopTable } from './next-hop-table.js';
import {
  ATTRIBUTE,
  BEST,
  CHANGED_AT,
  FALLBACK,
  HIDDEN_MASK,
  NEXT,
  PATH_WORDS,
  PEER_MASK,
  PRIMARY,
  SELECTED,
  STEP_MASK,
  STEP_SHIFT,
  WORD,
} from './path-store.js';
import { hiddenPathReason } from './peer-census.js';
import type { PeerTable } from './peer-table.js';
import { HEAD, RECORD_WORDS, STATE } from './prefix-table.js';
import { type RouteStore, STEP_CODE } from './route-store.js';
import {
  type DecisionStepName,
  type ExplainedPath,
  type Explanation,
  LOCAL_PEER,
  type PathStatus,
  type PathView,
  type PrefixId,
  type Selection,
} from './types.js';

const STATUS_ORDER: Readonly<Record<PathStatus, number>> = { best: 0, multipath: 1, fallback: 2, lost: 3, hidden: 4 };

export interface ViewParts {
  readonly attributes: AttributeTable;
  readonly peers: PeerTable;
  readonly store: RouteStore;
  readonly nextHops: NextHopTable;
  readonly localAs: number;
}

export class PathViews {
  readonly #attributes: AttributeTable;
  readonly #peers: PeerTable;
  readonly #nextHops: NextHopTable;
  readonly #store: RouteStore;
  readonly #localAs: number;

  constructor(parts: ViewParts) {
    this.#attributes = parts.attributes;
    this.#nextHops = parts.nextHops;
    this.#peers = parts.peers;
    this.#store = parts.store;
    this.#localAs = parts.localAs;
  }

  /** Asked for many prefixes that change, so without generators and spreads. */
  selection(id: PrefixId): Selection {
    const { nodes } = this.#store.paths;
    const { alive } = this.#peers;
    const primary: PathView[] = [];
    const fallback: PathView[] = [];
    let best: PathView | undefined;
    let attribute = -1;
    for (let next = this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      const word = nodes[base + WORD]!;
      next = nodes[base + NEXT]!;
      if ((word & SELECTED) === 0 || alive[word & PEER_MASK] === 0) continue;
      const view = this.#view(id, base);
      if (word & FALLBACK) fallback.push(view);
      else if (word & BEST) {
        best = view;
        attribute = nodes[base + ATTRIBUTE]!;
        primary.unshift(view);
      } else primary.push(view);
    }
    const prefix = this.#store.prefixes.prefixOf(id);
    const decidedBy = this.#decidedBy(id);
    return {
      prefix,
      best,
      primary,
      fallback,
      decidedBy,
      origin: this.originOf(attribute),
      colour: this.colourOf(attribute),
    };
  }

  /**
   * The same paths are selected for both prefixes, in the same part: peers, attributes and verdicts are equal. False may be wrong where
   * the paths came in another order.
   */
  isSelectedAlike(id: PrefixId, other: PrefixId): boolean {
    const { nodes } = this.#store.paths;
    let a = this.#nextSelected(this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!);
    let b = this.#nextSelected(this.#store.prefixes.records[other * RECORD_WORDS + HEAD]!);
    while (a !== 0 && b !== 0) {
      const [one, two] = [(a - 1) * PATH_WORDS, (b - 1) * PATH_WORDS];
      if (nodes[one + ATTRIBUTE] !== nodes[two + ATTRIBUTE]) return false;
      if (((nodes[one + WORD]! ^ nodes[two + WORD]!) & (SELECTED | PEER_MASK)) !== 0) return false;
      a = this.#nextSelected(nodes[one + NEXT]!);
      b = this.#nextSelected(nodes[two + NEXT]!);
    }
    return a === b;
  }

  /** From `link` on (a HEAD field), the first path that is selected, plus one; 0 when there is none. */
  #nextSelected(link: number): number {
    const { nodes } = this.#store.paths;
    const { alive } = this.#peers;
    let next = link;
    while (next !== 0) {
      const base = (next - 1) * PATH_WORDS;
      const word = nodes[base + WORD]!;
      if ((word & SELECTED) !== 0 && alive[word & PEER_MASK] === 1) break;
      next = nodes[base + NEXT]!;
    }
    return next;
  }

  originOf(attribute: number): number {
    return attribute === -1 ? 0 : this.#attributes.preference.originAs[attribute]! || this.#localAs;
  }

  colourOf(attribute: number): number | undefined {
    if (attribute === -1) return undefined;
    const { flags, colour } = this.#attributes.preference;
    return flags[attribute]! & HAS_COLOUR ? colour[attribute] : undefined;
  }

  explain(id: PrefixId): Explanation {
    const paths: ExplainedPath[] = [];
    for (const base of this.#chain(id)) paths.push(this.#explained(id, base));
    paths.sort((a, b) => STATUS_ORDER[a.status] - STATUS_ORDER[b.status] || compareNames(a, b));
    return { prefix: this.#store.prefixes.prefixOf(id), decidedBy: this.#decidedBy(id), paths };
  }

  /** Offsets of the nodes of a prefix. */
  #chain(id: PrefixId): number[] {
    const { nodes } = this.#store.paths;
    const { alive } = this.#peers;
    const found: number[] = [];
    for (let next = this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      if (alive[nodes[base + WORD]! & PEER_MASK] === 1) found.push(base);
      next = nodes[base + NEXT]!;
    }
    return found;
  }

  #decidedBy(id: PrefixId): DecisionStepName {
    return STEP_NAMES[this.#store.prefixes.records[id * RECORD_WORDS + STATE]! & STEP_CODE]!;
  }

  #view(id: PrefixId, base: number): PathView {
    const { nodes } = this.#store.paths;
    const word = nodes[base + WORD]!;
    const peer = word & PEER_MASK;
    const attribute = nodes[base + ATTRIBUTE]!;
    const attributes = this.#attributes.attributes(attribute);
    const info = this.#peers.info(peer);
    const isUsable = info !== undefined && (word & HIDDEN_MASK) === 0;
    const isRouted = info !== undefined && isLookedUp(this.#attributes.preference.flags[attribute]!, info);
    const resolution = isRouted ? this.#nextHops.resolution(attribute) : undefined;
    const reach = resolution?.reaches[0];
    return {
      peer,
      peerName: info ? info.name : 'local',
      local: peer === LOCAL_PEER,
      pathId: this.#store.paths.pathId(base / PATH_WORDS) >>> 0,
      changedAt: nodes[base + CHANGED_AT]! * 1000,
      stale: this.#store.isStale(id, base),
      attributes,
      interfaceIndex: reach?.interfaceIndex ?? info?.interfaceIndex ?? 0,
      interfaceName: reach?.interfaceName ?? info?.interfaceName ?? '',
      gateway: !isUsable ? undefined : isRouted ? reach?.gateway : gatewayOf(attributes, info),
      resolution,
    };
  }

  #explained(id: PrefixId, base: number): ExplainedPath {
    const word = this.#store.paths.nodes[base + WORD]!;
    const view = this.#view(id, base);
    const reason = hiddenPathReason({ attributes: this.#attributes, peers: this.#peers, store: this.#store }, id, base);
    if (reason !== undefined) return { ...view, status: 'hidden', reason };
    const status = statusOf(word);
    const step = (word & STEP_MASK) >>> STEP_SHIFT;
    return status === 'best' || step === 0 ? { ...view, status } : { ...view, status, lostAt: STEP_NAMES[step]! };
  }
}

function statusOf(word: number): PathStatus {
  if (word & BEST) return 'best';
  if (word & PRIMARY) return 'multipath';
  return word & FALLBACK ? 'fallback' : 'lost';
}

function compareNames(a: PathView, b: PathView): number {
  return a.peerName < b.peerName ? -1 : a.peerName > b.peerName ? 1 : a.pathId - b.pathId;
}
