/**
 * Import policies that changed, on the paths that are there: a walk over all prefixes in steps, so that input and KEEPALIVEs
 * get their turn between them. It starts from what the peers sent; nobody is asked to send it again.
 */
import type { AttributeId } from '../route/attribute-table.js';
import type { ImportJudge } from './import-judge.js';
import type { PeerTable } from './peer-table.js';
import type { RouteStore, Verdict } from './route-store.js';
import type { PeerIndex, PrefixId } from './types.js';

const PREFIXES_PER_STEP = 512;

export class Reevaluation implements Verdict {
  id: AttributeId = 0;
  hidden = 0;
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
      if (this.#store.prefixes.isUsed(this.#at)) this.#store.judgeAgain(this.#at, this.#current, this);
    }
    if (this.#at >= this.#end) this.#start();
  }

  #start(): void {
    this.#current = this.#waiting;
    this.#waiting = new Set();
    this.#at = 0;
    this.#end = this.#store.prefixes.end;
  }

  judge(prefix: PrefixId, peer: PeerIndex, received: AttributeId): boolean {
    const info = this.#peers.info(peer);
    if (!info) return false;
    const { importPolicy } = info;
    const hits = importPolicy?.looksAtPrefix ? importPolicy.hits(this.#store.prefixes.prefixOf(prefix)) : '';
    this.#judge.judge(info, received, hits);
    this.id = this.#judge.id;
    this.hidden = this.#judge.hidden || this.#store.unroutable(prefix);
    return true;
  }
}
