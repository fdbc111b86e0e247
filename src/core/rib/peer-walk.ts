/**
 * Walks over all prefixes for what concerns the paths of whole peers: those of dead sessions go, those still stale at the end of a
 * restart or a refresh go (RFC 4724 section 4.2, RFC 7313 section 4), those of a peer that stays away become long-lived stale
 * (RFC 9494), and those of a peer that is the last choice no longer are decided about again. One walk serves everything that was asked for before it began.
 */
import type { PeerTable } from './peer-table.js';
import type { RouteStore } from './route-store.js';
import type { PeerIndex } from './types.js';

export interface WalkJob {
  readonly peer: PeerIndex;
  /** `remove`: all paths, and the peer's index is free afterwards. */
  readonly kind: 'remove' | 'remove-stale' | 'age-stale' | 'settle';
  /** Bit of the family; 0 for `remove` and `settle`. */
  readonly family: number;
}

const PREFIXES_PER_STEP = 2048;

export class PeerWalk {
  readonly #store: RouteStore;
  readonly #peers: PeerTable;
  #current: WalkJob[] = [];
  #waiting: WalkJob[] = [];
  #at = 0;
  #end = 0;

  constructor(store: RouteStore, peers: PeerTable) {
    this.#store = store;
    this.#peers = peers;
  }

  request(jobs: readonly WalkJob[]): void {
    this.#waiting.push(...jobs);
    if (this.#current.length === 0) this.#start();
  }

  get hasWork(): boolean {
    return this.#current.length > 0;
  }

  /** Stale paths of this peer and family are being removed, or will be. */
  removesStale(peer: PeerIndex, family: number): boolean {
    const isThat = (job: WalkJob) => job.peer === peer && job.kind === 'remove-stale' && job.family === family;
    return this.#current.some(isThat) || this.#waiting.some(isThat);
  }

  /** Some prefixes further. */
  step(): void {
    const { prefixes } = this.#store;
    const end = Math.min(this.#at + PREFIXES_PER_STEP, this.#end);
    for (; this.#at < end; this.#at++) if (prefixes.isUsed(this.#at)) this.#store.sweepPeers(this.#at);
    if (this.#at < this.#end) return;
    for (const job of this.#current) this.#finish(job);
    this.#start();
  }

  /** Everything asked for so far, at once. */
  run(): void {
    while (this.hasWork) this.step();
  }

  #start(): void {
    this.#current = this.#waiting;
    this.#waiting = [];
    this.#at = 0;
    this.#end = this.#store.prefixes.end;
    for (const { peer, kind, family } of this.#current) {
      if (kind === 'remove-stale') this.#peers.discarding[peer]! |= family;
      else if (kind === 'age-stale') this.#peers.aging[peer]! |= family;
      else if (kind === 'settle') this.#peers.settled[peer] = 1;
    }
  }

  #finish({ peer, kind, family }: WalkJob): void {
    const { discarding, aging, stale, restarted, settled } = this.#peers;
    if (kind === 'remove') this.#peers.free(peer);
    else if (kind === 'settle') settled[peer] = 0;
    else if (kind === 'age-stale') aging[peer]! &= ~family;
    else {
      discarding[peer]! &= ~family;
      stale[peer]! &= ~family;
      restarted[peer]! &= ~family;
    }
  }
}
