/**
 * Import policies that changed, on the paths that are there: a walk over all prefixes in steps, so that input and KEEPALIVEs
 * get their turn between them. It starts from what the peers sent; nobody is asked to send it again.
 */
import type { ImportJudge } from './import-judge.js';
import type { PeerTable } from './peer-table.js';
import type { RouteStore } from './route-store.js';
import type { PeerIndex, PrefixId } from './types.js';

const PREFIXES_PER_STEP = 512;

export class Reevaluation {
  readonly #store: RouteStore;
  readonly #peers: PeerTable;
  readonly #judge: ImportJudge;
  #current = new Set<PeerIndex>();
  #waiting = new Set<PeerIndex>();
  #at: PrefixId = 0;
  #end: PrefixId = 0;

  constructor(parts: { store: RouteStore; peers: PeerTable; judge: ImportJudge }) {
    this.#store = parts.store;
    this.#peers = parts.peers;
    this.#judge = parts.judge;
  }

  request(peer: PeerIndex): void {
    this.#waiting.add(peer);
    if (this.#current.size === 0) this.#start();
  }

  get hasWork(): boolean {
    return this.#current.size > 0;
  }

  /** Some prefixes further. */
  step(): void {
    const end = Math.min(this.#at + PREFIXES_PER_STEP, this.#end);
    for (; this.#at < end; this.#at++) {
      if (this.#store.prefixes.isUsed(this.#at)) this.#prefix(this.#at);
    }
    if (this.#at >= this.#end) this.#start();
  }

  #start(): void {
    this.#current = this.#waiting;
    this.#waiting = new Set();
    this.#at = 0;
    this.#end = this.#store.prefixes.end;
  }

  #prefix(id: PrefixId): void {
    const { prefixes } = this.#store;
    this.#store.judgeAgain(id, this.#current, (peer, received) => {
      const info = this.#peers.info(peer);
      if (!info) return undefined;
      const { importPolicy } = info;
      this.#judge.judge(info, received, importPolicy?.looksAtPrefix ? importPolicy.hits(prefixes.prefixOf(id)) : '');
      return { id: this.#judge.id, hidden: this.#judge.hidden || this.#store.unroutable(id) };
    });
  }
}
