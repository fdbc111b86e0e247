/** The sessions that routes come from, by a small index; what the decision asks of them stands in columns. */
import { grown } from '../net/grown.js';
import { PEER_MASK } from './path-store.js';
import { LOCAL_PEER, type PeerCounters, type PeerIndex, type RibPeerInfo } from './types.js';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends object ? Mutable<T[Key]> : T[Key] };

export class PeerTable {
  /** Changes when what is known of some peer changes. */
  version = 0;
  /** 1 while the peer's paths count; 0 for a session that is gone and whose paths are still being removed. */
  alive = new Uint8Array(64);
  external = new Uint8Array(64);
  identifier = new Uint32Array(64);
  interfaceIndex = new Uint32Array(64);
  /** 1 where next hops are looked up. */
  routed = new Uint8Array(64);
  /** 1 where the peer is configured by its address. */
  byAddress = new Uint8Array(64);
  /** A bit for each family (see familyBit) in these: the epoch of paths that are not stale, ... */
  epoch = new Uint8Array(64);
  /** ... paths may be stale, ... */
  stale = new Uint8Array(64);
  /** ... the current walk removes stale paths, ... */
  discarding = new Uint8Array(64);
  /** ... or makes them long-lived stale. */
  aging = new Uint8Array(64);
  /** Stale paths are those from before a restart, not those from before a refresh. */
  restarted = new Uint8Array(64);
  /** 1 while the peer is the last choice, just back, ... */
  settling = new Uint8Array(64);
  /** How many of them there are. */
  settlingCount = 0;
  /** Any peer ever was `routed`. */
  everRouted = false;
  /** ... and while the current walk decides again about its paths, no longer that. */
  settled = new Uint8Array(64);
  readonly #infos: (RibPeerInfo | undefined)[] = [undefined];
  readonly #counters: Mutable<PeerCounters>[] = [emptyCounters()];
  readonly #free: PeerIndex[] = [];

  constructor() {
    this.alive[LOCAL_PEER] = 1;
  }

  add(info: RibPeerInfo): PeerIndex {
    const peer = this.#free.pop() ?? this.#infos.length;
    if (peer > PEER_MASK) throw new RangeError(`more than ${PEER_MASK} peers`);
    if (peer >= this.alive.length) this.#grow();
    this.#counters[peer] = emptyCounters();
    this.alive[peer] = 1;
    const { epoch, stale, discarding, aging, restarted, settled } = this;
    for (const column of [epoch, stale, discarding, aging, restarted, settled]) column[peer] = 0;
    this.update(peer, info);
    return peer;
  }

  /** The same peer in a new session. */
  update(peer: PeerIndex, info: RibPeerInfo): void {
    this.version++;
    this.#infos[peer] = info;
    this.external[peer] = info.external ? 1 : 0;
    this.identifier[peer] = info.identifier;
    this.interfaceIndex[peer] = info.interfaceIndex;
    this.routed[peer] = (info.nextHops ?? 'link') === 'link' ? 0 : 1;
    this.byAddress[peer] = info.byAddress ? 1 : 0;
    if (this.routed[peer] === 1) this.everRouted = true;
  }

  /** The peer's paths stop counting; the index stays taken until `free`. False when it is not up. */
  drain(peer: PeerIndex): boolean {
    if (peer === LOCAL_PEER || this.alive[peer] !== 1) return false;
    this.alive[peer] = 0;
    this.setSettling(peer, false);
    return true;
  }

  setSettling(peer: PeerIndex, isSettling: boolean): void {
    const value = isSettling ? 1 : 0;
    this.settlingCount += value - this.settling[peer]!;
    this.settling[peer] = value;
  }

  free(peer: PeerIndex): void {
    this.#infos[peer] = undefined;
    this.#free.push(peer);
  }

  isUp(peer: PeerIndex): boolean {
    return this.alive[peer] === 1;
  }

  /** `undefined` for the local peer and for free indexes. */
  info(peer: PeerIndex): RibPeerInfo | undefined {
    return this.#infos[peer];
  }

  /** Every peer whose paths count, but the local one. */
  *up(): Generator<PeerIndex> {
    for (let peer = LOCAL_PEER + 1; peer < this.#infos.length; peer++) if (this.isUp(peer)) yield peer;
  }

  counters(peer: PeerIndex): Mutable<PeerCounters> {
    return this.#counters[peer]!;
  }

  #grow(): void {
    const length = this.alive.length * 2;
    this.alive = grown(this.alive, length);
    this.external = grown(this.external, length);
    this.identifier = grown(this.identifier, length);
    this.interfaceIndex = grown(this.interfaceIndex, length);
    this.routed = grown(this.routed, length);
    this.byAddress = grown(this.byAddress, length);
    this.epoch = grown(this.epoch, length);
    this.stale = grown(this.stale, length);
    this.discarding = grown(this.discarding, length);
    this.aging = grown(this.aging, length);
    this.restarted = grown(this.restarted, length);
    this.settling = grown(this.settling, length);
    this.settled = grown(this.settled, length);
  }
}

function emptyCounters(): Mutable<PeerCounters> {
  const none = () => ({ 'ipv6-unicast': 0, 'ipv4-unicast': 0 });
  const messages = { updates: 0, announced: 0, withdrawn: 0, errors: 0 };
  return { ...messages, paths: 0, accepted: 0, prefixes: none(), freshPrefixes: none() };
}
