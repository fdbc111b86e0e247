/**
 * The Adj-RIBs-In of all peers in one structure: for each prefix a chain of paths. Every change puts the prefix on the dirty
 * list; the decision takes it from there. References to attributes and the counters of peers are kept here, as things change.
 */
import type { Family } from '../net/family.js';
import type { TableMemory } from '../ports/table-memory.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import { DirtyList } from './dirty-list.js';
import { dependsOnNextHop, unroutable } from './eligibility.js';
import { longLivedStale } from './long-lived-stale.js';
import { OriginalAttributes } from './original-attributes.js';
import {
  ATTRIBUTE,
  CHANGED_AT,
  EPOCH,
  HIDDEN_MASK,
  HIDDEN_SHIFT,
  NEXT,
  PATH_WORDS,
  type PathIndex,
  PathStore,
  PEER_MASK,
  SELECTED,
  WORD,
} from './path-store.js';
import { PeerPrefixes } from './peer-prefixes.js';
import type { PeerTable } from './peer-table.js';
import { HEAD, PrefixTable, RECORD_WORDS, STATE } from './prefix-table.js';
import type { PeerIndex, PrefixId } from './types.js';

/** STATE: code of the deciding step in the low bits, and these. */
export const STEP_CODE = 0x1f;
/** On the dirty list. */
export const DIRTY = 0x100;
/** A selected path was removed, or its attributes replaced, since the last decision. */
export const TOUCHED = 0x200;

/**
 * Paths of one prefix that a peer may announce (RFC 7911): each costs a look at all others, and nobody needs as many.
 */
export const MOST_PATHS = 64;

/** The bit that stands for a family in the columns of peers. */
export function familyBit(family: Family): number {
  return family === 'ipv6-unicast' ? 2 : 1;
}

/** What becomes of a path: what is left of the last `judge`, as there is one for every path. */
export interface Verdict {
  /** With one reference for who asked. */
  readonly id: AttributeId;
  readonly hidden: number;
  /** False when nothing is to change. */
  judge(prefix: PrefixId, peer: PeerIndex, received: AttributeId): boolean;
}

export class RouteStore {
  readonly prefixes: PrefixTable;
  readonly paths: PathStore;
  readonly dirty = new DirtyList();
  /** Whole seconds of the clock, for the age of paths. */
  now = 0;
  /** Paths that are not hidden. */
  accepted = 0;
  readonly #attributes: AttributeTable;
  readonly #peers: PeerTable;
  readonly #originals: OriginalAttributes;
  /**
   * So that a path of a new peer is put before the others without a search for one of that peer among them, which took a third of
   * receiving it where there are 64.
   */
  readonly #announced = new PeerPrefixes();
  readonly #address = new Uint8Array(16);
  readonly #place = { offset: 0, bits: 0 };
  /** Epochs of the other paths of a peer that the last search in a prefix came by (see seenBit). */
  #seen = 0;

  constructor(attributes: AttributeTable, peers: PeerTable, memory?: TableMemory) {
    this.prefixes = new PrefixTable(memory);
    this.paths = new PathStore(memory);
    this.#attributes = attributes;
    this.#originals = new OriginalAttributes(attributes);
    this.#peers = peers;
  }

  /**
   * Adds or replaces the path (peer, pathId) of a prefix. Takes its own reference to the attributes, and to those received where
   * the import policy made others of them. False when the peer has as many paths of the prefix as it may have.
   */
  announce(
    prefix: PrefixId,
    peer: PeerIndex,
    pathId: number,
    attribute: AttributeId,
    hidden: number,
    received: AttributeId = attribute,
  ): boolean {
    const head = prefix * RECORD_WORDS + HEAD;
    const found = this.#search(prefix, peer, pathId);
    if (found !== 0) {
      if (this.#peers.stale[peer] !== 0) this.#noteFresh(prefix, found);
      this.#noteReceived(found - 1, attribute, received);
      this.#replace(prefix, (found - 1) * PATH_WORDS, attribute, hidden);
      return true;
    }
    const seen = this.#seen;
    if (pathId !== 0 && !this.#hasRoom(prefix, peer)) return false;
    const path = this.paths.add(peer, pathId, attribute, this.prefixes.records[head]!);
    this.paths.nodes[path * PATH_WORDS + WORD]! |= (hidden << HIDDEN_SHIFT) | this.#epoch(prefix, peer);
    this.paths.nodes[path * PATH_WORDS + CHANGED_AT] = this.now;
    this.prefixes.records[head] = path + 1;
    this.#announced.add(peer, prefix);
    this.#attributes.acquire(attribute);
    this.#noteReceived(path, attribute, received);
    this.#countPath(peer, 1);
    this.#countPrefix(prefix, peer, seen);
    if (hidden === 0) this.#countAccepted(peer, 1);
    this.#markDirty(prefix, 0);
    return true;
  }

  /** Removes the path (peer, pathId); false when there is none. */
  withdraw(prefix: PrefixId, peer: PeerIndex, pathId: number): boolean {
    const found = this.#search(prefix, peer, pathId);
    if (found === 0) return false;
    this.#unlink(prefix, found);
    return true;
  }

  /**
   * What the walk does to one prefix: paths of dead peers go, stale ones go or age where that was asked for, and it is decided
   * again where one competes that was the last choice.
   */
  sweepPeers(prefix: PrefixId): void {
    const { alive, discarding, aging, settled } = this.#peers;
    const nodes = this.paths.nodes;
    const family = this.#familyBit(prefix);
    const first = this.prefixes.records[prefix * RECORD_WORDS + HEAD]!;
    const competes = first !== 0 && nodes[(first - 1) * PATH_WORDS + NEXT] !== 0;
    for (let next = first; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      const following = nodes[base + NEXT]!;
      const peer = nodes[base + WORD]! & PEER_MASK;
      if (alive[peer] === 1 && settled[peer] === 1 && competes) this.#markDirty(prefix, 0);
      if (alive[peer] === 0) this.#unlink(prefix, next);
      else if ((discarding[peer]! | aging[peer]!) & family && this.isStale(prefix, base)) {
        if (discarding[peer]! & family) this.#unlink(prefix, next);
        else this.#age(prefix, next);
      }
      next = following;
    }
  }

  /** Whether the path at `base` was not heard again since its peer's paths became stale. */
  isStale(prefix: PrefixId, base: number): boolean {
    const word = this.paths.nodes[base + WORD]!;
    return (word & EPOCH) !== this.#epoch(prefix, word & PEER_MASK);
  }

  /** Makes the paths of one peer stale that are not. */
  markStale(prefix: PrefixId, peer: PeerIndex): void {
    const nodes = this.paths.nodes;
    for (let next = this.prefixes.records[prefix * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      if ((nodes[base + WORD]! & PEER_MASK) === peer && !this.isStale(prefix, base)) nodes[base + WORD]! ^= EPOCH;
      next = nodes[base + NEXT]!;
    }
  }

  /**
   * Asks again, for the paths of some peers, what becomes of what was received. A stale path stays as it is: its peer sends it
   * again, or it goes.
   */
  judgeAgain(prefix: PrefixId, peers: ReadonlySet<PeerIndex>, verdict: Verdict): void {
    const nodes = this.paths.nodes;
    for (let next = this.prefixes.records[prefix * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      const peer = nodes[base + WORD]! & PEER_MASK;
      const path = next - 1;
      next = nodes[base + NEXT]!;
      if (!peers.has(peer) || this.#peers.alive[peer] === 0 || this.isStale(prefix, base)) continue;
      const received = this.#originals.get(path) ?? nodes[base + ATTRIBUTE]!;
      if (!verdict.judge(prefix, peer, received)) continue;
      this.#attributes.acquire(received);
      this.#noteReceived(path, verdict.id, received);
      this.#replace(prefix, base, verdict.id, verdict.hidden);
      this.#attributes.release(received);
      this.#attributes.release(verdict.id);
    }
  }

  /**
   * Whether paths may be used whose next hop is reached otherwise now; `judge` says why not, or nothing where that is not so. What is
   * selected is decided again in any case, as the way to it is another; stale paths as well.
   */
  judgeNextHops(prefix: PrefixId, judge: (peer: PeerIndex, attribute: AttributeId) => number | undefined): void {
    const nodes = this.paths.nodes;
    for (let next = this.prefixes.records[prefix * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      next = nodes[base + NEXT]!;
      const word = nodes[base + WORD]!;
      const peer = word & PEER_MASK;
      const before = (word & HIDDEN_MASK) >>> HIDDEN_SHIFT;
      if (this.#peers.alive[peer] === 0 || !dependsOnNextHop(before)) continue;
      const hidden = judge(peer, nodes[base + ATTRIBUTE]!);
      if (hidden === undefined) continue;
      nodes[base + WORD] = (word & ~HIDDEN_MASK) | (hidden << HIDDEN_SHIFT);
      const change = (hidden === 0 ? 1 : 0) - (before === 0 ? 1 : 0);
      if (change !== 0) this.#countAccepted(peer, change);
      this.#markDirty(prefix, (word & SELECTED) !== 0 ? TOUCHED : 0);
    }
  }

  /** The code of the reason why the prefix is hidden whoever announces it, or 0. */
  unroutable(prefix: PrefixId): number {
    this.#place.bits = this.prefixes.copyAddress(prefix, this.#address);
    return unroutable(this.#family(prefix), this.#address, this.#place);
  }

  #noteReceived(path: PathIndex, attribute: AttributeId, received: AttributeId): void {
    if (received !== attribute) this.#originals.set(path, received);
    else if (this.#originals.inUse) this.#originals.set(path, undefined);
  }

  #age(prefix: PrefixId, link: number): void {
    const base = (link - 1) * PATH_WORDS;
    const attributes = longLivedStale(this.#attributes.attributes(this.paths.nodes[base + ATTRIBUTE]!));
    if (!attributes) return this.#unlink(prefix, link);
    const id = this.#attributes.internValue(attributes);
    const hidden = (this.paths.nodes[base + WORD]! & HIDDEN_MASK) >>> HIDDEN_SHIFT;
    this.#noteReceived(link - 1, id, id);
    this.#replace(prefix, base, id, hidden);
    this.#attributes.release(id);
    this.paths.nodes[base + WORD]! ^= EPOCH;
  }

  #epoch(prefix: PrefixId, peer: PeerIndex): number {
    return (this.#peers.epoch[peer]! & this.#familyBit(prefix)) === 0 ? 0 : EPOCH;
  }

  #familyBit(prefix: PrefixId): number {
    return familyBit(this.#family(prefix));
  }

  /** A stale path gives way: a peer that restarted may use identifiers other than before (RFC 7911 section 3). */
  #hasRoom(prefix: PrefixId, peer: PeerIndex): boolean {
    const nodes = this.paths.nodes;
    let count = 0;
    let stale = 0;
    for (let next = this.prefixes.records[prefix * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      if ((nodes[base + WORD]! & PEER_MASK) === peer) {
        count++;
        if (this.isStale(prefix, base)) stale = next;
      }
      next = nodes[base + NEXT]!;
    }
    if (count < MOST_PATHS) return true;
    if (stale !== 0) this.#unlink(prefix, stale);
    return stale !== 0;
  }

  /** The node, plus one, of a path; 0 when there is none. */
  #search(prefix: PrefixId, peer: PeerIndex, pathId: number): number {
    this.#seen = 0;
    if (!this.#announced.has(peer, prefix)) return 0;
    const nodes = this.paths.nodes;
    let next = this.prefixes.records[prefix * RECORD_WORDS + HEAD]!;
    while (next !== 0) {
      const base = (next - 1) * PATH_WORDS;
      if ((nodes[base + WORD]! & PEER_MASK) === peer) {
        if (this.paths.pathId(next - 1) === pathId) break;
        this.#seen |= seenBit(nodes[base + WORD]!);
      }
      next = nodes[base + NEXT]!;
    }
    return next;
  }

  #replace(prefix: PrefixId, base: number, attribute: AttributeId, hidden: number): void {
    const nodes = this.paths.nodes;
    const old = nodes[base + ATTRIBUTE]!;
    const word = (nodes[base + WORD]! & ~EPOCH) | this.#epoch(prefix, nodes[base + WORD]! & PEER_MASK);
    nodes[base + WORD] = word;
    if (old === attribute && (word & HIDDEN_MASK) === hidden << HIDDEN_SHIFT) return;
    this.#attributes.acquire(attribute);
    this.#attributes.release(old);
    nodes[base + ATTRIBUTE] = attribute;
    nodes[base + CHANGED_AT] = this.now;
    nodes[base + WORD] = (word & ~HIDDEN_MASK) | (hidden << HIDDEN_SHIFT);
    const change = (hidden === 0 ? 1 : 0) - ((word & HIDDEN_MASK) === 0 ? 1 : 0);
    if (change !== 0) this.#countAccepted(word & PEER_MASK, change);
    this.#markDirty(prefix, (word & SELECTED) !== 0 ? TOUCHED : 0);
  }

  /** Takes the node `link` (plus one, as in chains) out of the prefix's chain and frees it. */
  #unlink(prefix: PrefixId, link: number): void {
    const nodes = this.paths.nodes;
    const base = (link - 1) * PATH_WORDS;
    const head = prefix * RECORD_WORDS + HEAD;
    const records = this.prefixes.records;
    if (records[head] === link) records[head] = nodes[base + NEXT]!;
    else {
      let before = (records[head]! - 1) * PATH_WORDS;
      while (nodes[before + NEXT] !== link) before = (nodes[before + NEXT]! - 1) * PATH_WORDS;
      nodes[before + NEXT] = nodes[base + NEXT]!;
    }
    const word = nodes[base + WORD]!;
    this.#attributes.release(nodes[base + ATTRIBUTE]!);
    this.#discount(prefix, word);
    if ((word & HIDDEN_MASK) === 0) this.#countAccepted(word & PEER_MASK, -1);
    if (this.#originals.inUse) this.#originals.set(link - 1, undefined);
    this.paths.remove(link - 1);
    this.#markDirty(prefix, (word & SELECTED) !== 0 ? TOUCHED : 0);
  }

  #countPath(peer: PeerIndex, change: number): void {
    this.#peers.counters(peer).paths += change;
  }

  /** The peer has one path more of the prefix, fresh; `seen` tells of the others. */
  #countPrefix(prefix: PrefixId, peer: PeerIndex, seen: number): void {
    const { prefixes, freshPrefixes } = this.#peers.counters(peer);
    const isIpv6 = this.prefixes.isIpv6(prefix);
    if (seen === 0) count(prefixes, isIpv6, 1);
    if ((seen & seenBit(this.#epoch(prefix, peer))) === 0) count(freshPrefixes, isIpv6, 1);
  }

  /** A path that may be stale is announced again. */
  #noteFresh(prefix: PrefixId, link: number): void {
    const base = (link - 1) * PATH_WORDS;
    if (!this.isStale(prefix, base)) return;
    const peer = this.paths.nodes[base + WORD]! & PEER_MASK;
    if ((this.#seenPaths(prefix, peer) & seenBit(this.#epoch(prefix, peer))) === 0)
      count(this.#peers.counters(peer).freshPrefixes, this.prefixes.isIpv6(prefix), 1);
  }

  /** A path with this WORD is out of the prefix's chain. */
  #discount(prefix: PrefixId, word: number): void {
    const peer = word & PEER_MASK;
    const { paths, prefixes, freshPrefixes } = this.#peers.counters(peer);
    // A peer with as many paths as prefixes has one of each.
    const isOnly = paths === prefixes['ipv4-unicast'] + prefixes['ipv6-unicast'];
    const seen = isOnly ? 0 : this.#seenPaths(prefix, peer);
    this.#countPath(peer, -1);
    const isIpv6 = this.prefixes.isIpv6(prefix);
    if (seen === 0) {
      count(prefixes, isIpv6, -1);
      this.#announced.remove(peer, prefix);
    }
    const fresh = seenBit(this.#epoch(prefix, peer));
    if (seenBit(word) === fresh && (seen & fresh) === 0) count(freshPrefixes, isIpv6, -1);
  }

  /** Epochs of the paths of a peer. */
  #seenPaths(prefix: PrefixId, peer: PeerIndex): number {
    const nodes = this.paths.nodes;
    let seen = 0;
    for (let next = this.prefixes.records[prefix * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      if ((nodes[base + WORD]! & PEER_MASK) === peer) seen |= seenBit(nodes[base + WORD]!);
      next = nodes[base + NEXT]!;
    }
    return seen;
  }

  #family(prefix: PrefixId): Family {
    return this.prefixes.isIpv6(prefix) ? 'ipv6-unicast' : 'ipv4-unicast';
  }

  #countAccepted(peer: PeerIndex, change: number): void {
    this.#peers.counters(peer).accepted += change;
    this.accepted += change;
  }

  #markDirty(prefix: PrefixId, touched: number): void {
    const at = prefix * RECORD_WORDS + STATE;
    const state = this.prefixes.records[at]!;
    this.prefixes.records[at] = state | DIRTY | touched;
    if ((state & DIRTY) === 0) this.dirty.push(prefix);
  }
}

/** One bit for each epoch, so that those of several paths fit in a number. */
function seenBit(word: number): number {
  return (word & EPOCH) === 0 ? 1 : 2;
}

/** By names that are written out: a key that is computed costs more than all the rest of a count. */
function count(prefixes: Record<Family, number>, isIpv6: boolean, change: 1 | -1): void {
  if (isIpv6) prefixes['ipv6-unicast'] += change;
  else prefixes['ipv4-unicast'] += change;
}
