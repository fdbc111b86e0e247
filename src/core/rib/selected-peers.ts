/**
 * Which peers the selected paths of a prefix come from, and in which set they are: where that alone says where packets go, as it does
 * in a fabric, where a leaf has thousands of prefixes with other attributes each and only a few such sets.
 */
import { grown } from '../net/grown.js';
import type { AttributeTable } from '../route/attribute-table.js';
import { HAS_BANDWIDTH, UNKNOWN_GATEWAY } from '../route/preference.js';
import { ATTRIBUTE, BEST, FALLBACK, NEXT, PATH_WORDS, PEER_MASK, SELECTED, WORD } from './path-store.js';
import type { PeerTable } from './peer-table.js';
import { HEAD, RECORD_WORDS } from './prefix-table.js';
import type { RouteStore } from './route-store.js';
import { LOCAL_PEER, type PrefixId } from './types.js';

/** A copy to compare with later. */
export interface KnownPeers {
  readonly peers: Uint32Array;
  readonly places: Uint32Array;
}

export class SelectedPeers {
  count = 0;
  /** Of the best path. */
  attribute = 0;
  /** The same for the same peers in any order. */
  hash = 0;
  #peers = new Uint32Array(64);
  /** Next hop on the peer's link, and in the lowest bit whether that is a fallback. */
  #places = new Uint32Array(64);
  /** By peer, its place in the columns plus one; what is there of other prefixes is seen from the peer in that place. */
  #at = new Uint32Array(64);
  readonly #store: RouteStore;
  readonly #table: PeerTable;
  readonly #attributes: AttributeTable;

  constructor({ store, peers, attributes }: { store: RouteStore; peers: PeerTable; attributes: AttributeTable }) {
    this.#store = store;
    this.#table = peers;
    this.#attributes = attributes;
  }

  /** False when more has to be looked at: next hops that are looked up, bandwidths, several paths of a peer, ours, or no path at all. */
  read(id: PrefixId): boolean {
    const { nodes } = this.#store.paths;
    const { alive } = this.#table;
    this.count = 0;
    this.hash = 0;
    for (let next = this.#store.prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      next = nodes[base + NEXT]!;
      const word = nodes[base + WORD]!;
      const peer = word & PEER_MASK;
      if ((word & SELECTED) === 0 || alive[peer] === 0) continue;
      const attribute = nodes[base + ATTRIBUTE]!;
      if (word & BEST) this.attribute = attribute;
      if (!this.#isPlain(peer, attribute)) return false;
      this.#add(peer, this.#attributes.preference.gateway[attribute]! * 2 + (word & FALLBACK ? 1 : 0));
    }
    return this.count > 0;
  }

  isSame({ peers, places }: KnownPeers): boolean {
    if (peers.length !== this.count) return false;
    for (let i = 0; i < peers.length; i++) {
      const at = this.#placeOf(peers[i]!);
      if (at === -1 || this.#places[at] !== places[i]) return false;
    }
    return true;
  }

  copy(): KnownPeers {
    return { peers: this.#peers.slice(0, this.count), places: this.#places.slice(0, this.count) };
  }

  #isPlain(peer: number, attribute: number): boolean {
    const { flags, gateway } = this.#attributes.preference;
    if (peer === LOCAL_PEER || this.#table.routed[peer] === 1 || this.#placeOf(peer) !== -1) return false;
    return (flags[attribute]! & HAS_BANDWIDTH) === 0 && gateway[attribute] !== UNKNOWN_GATEWAY;
  }

  #add(peer: number, place: number): void {
    const at = this.count++;
    if (at === this.#peers.length) {
      this.#peers = grown(this.#peers, at + 1);
      this.#places = grown(this.#places, at + 1);
    }
    if (peer >= this.#at.length) this.#at = grown(this.#at, peer + 1);
    this.#peers[at] = peer;
    this.#places[at] = place;
    this.#at[peer] = at + 1;
    const mixed = Math.imul((peer << 12) ^ place, 0x9e3779b1);
    this.hash = (this.hash + Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77)) | 0;
  }

  /** In the columns; -1 when it is not there. */
  #placeOf(peer: number): number {
    if (peer >= this.#at.length) return -1;
    const at = this.#at[peer]! - 1;
    return at !== -1 && at < this.count && this.#peers[at] === peer ? at : -1;
  }
}
