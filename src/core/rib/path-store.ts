/**
 * The paths of all prefixes (Adj-RIB-In) as four-word nodes in one typed array, chained per prefix. A node keeps the
 * decision's verdict on it, so that showing a decision recomputes nothing. Path identifiers (RFC 7911) are a column beside them that
 * does not exist until a peer sends one.
 */
import { grown } from '../net/grown.js';
import { PLAIN_MEMORY } from '../ports/table-memory.js';
import type { PeerIndex } from './types.js';

/** Index of a node. */
export type PathIndex = number;

export const PATH_WORDS = 4;
/** Path attributes (an id of the attribute table). */
export const ATTRIBUTE = 0;
/** Next path of the same prefix plus one; 0 ends the chain. */
export const NEXT = 1;
/** Peer in the low half; verdict above it. */
export const WORD = 2;
/** When the path came, or came with other attributes: whole seconds of the clock. */
export const CHANGED_AT = 3;

export const PEER_MASK = 0xffff;

/** Verdict bits of WORD. */
export const BEST = 1 << 16;
export const PRIMARY = 1 << 17;
export const FALLBACK = 1 << 18;
export const SELECTED = BEST | PRIMARY | FALLBACK;
/** Step at which the path lost to the best one. */
export const STEP_SHIFT = 19;
export const STEP_MASK = 0x1f << STEP_SHIFT;
/** Why the path is not eligible; 0 for an eligible one. */
export const HIDDEN_SHIFT = 24;
export const HIDDEN_MASK = 0xf << HIDDEN_SHIFT;
/** Stale when it differs from the peer's bit for the family, so that one flip there makes all paths stale. */
export const EPOCH = 1 << 28;

export class PathStore {
  /** `nodes[path * PATH_WORDS + word]`; replaced when the store grows, so never keep it across `add`. */
  nodes: Int32Array;
  size = 0;
  #identifiers = new Int32Array(0);
  #end = 0;
  #free = -1;

  /** Addresses are reserved (see PrefixTable). */
  constructor(memory = PLAIN_MEMORY) {
    this.nodes = memory.words(memory.capacity * PATH_WORDS);
  }

  /** A new node in front of the chain that starts with `next` (a HEAD field). */
  add(peer: PeerIndex, pathId: number, attribute: number, next: number): PathIndex {
    let path = this.#free;
    if (path !== -1) this.#free = this.nodes[path * PATH_WORDS + NEXT]! - 1;
    else {
      path = this.#end++;
      if (this.#end * PATH_WORDS > this.nodes.length) this.nodes = grown(this.nodes, this.#end * PATH_WORDS);
    }
    const base = path * PATH_WORDS;
    this.nodes[base + ATTRIBUTE] = attribute;
    this.nodes[base + NEXT] = next;
    this.nodes[base + WORD] = peer;
    if (pathId !== 0) this.#identify(path, pathId);
    this.size++;
    return path;
  }

  /** RFC 7911 path identifier as received, as int32; 0 where there was none. */
  pathId(path: PathIndex): number {
    return path < this.#identifiers.length ? this.#identifiers[path]! : 0;
  }

  /** Frees a node that is no longer in a chain. */
  remove(path: PathIndex): void {
    this.nodes[path * PATH_WORDS + NEXT] = this.#free + 1;
    this.#free = path;
    if (path < this.#identifiers.length) this.#identifiers[path] = 0;
    this.size--;
  }

  #identify(path: PathIndex, pathId: number): void {
    if (path >= this.#identifiers.length) this.#identifiers = grown(this.#identifiers, path + 1);
    this.#identifiers[path] = pathId;
  }
}
