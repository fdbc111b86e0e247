/**
 * What the host reaches has changed: the next hops are resolved again, and when some of them are reached otherwise, the paths over
 * those are judged again. In steps, so that input and KEEPALIVEs get their turn; nothing is walked when no next hop changed.
 */
import type { ImportJudge } from './import-judge.js';
import type { NextHopTable } from './next-hop-table.js';
import type { PeerTable } from './peer-table.js';
import type { RouteStore } from './route-store.js';
import type { PrefixId } from './types.js';

const NEXT_HOPS_PER_STEP = 256;
const PREFIXES_PER_STEP = 2048;

export interface NextHopWalkParts {
  readonly store: RouteStore;
  readonly peers: PeerTable;
  readonly judge: ImportJudge;
  readonly nextHops: NextHopTable;
}

export class NextHopWalk {
  readonly #parts: NextHopWalkParts;
  #phase: 'idle' | 'resolving' | 'judging' = 'idle';
  #waiting = false;
  #anyChanged = false;
  #at = 0;
  #end = 0;

  constructor(parts: NextHopWalkParts) {
    this.#parts = parts;
  }

  request(): void {
    this.#waiting = true;
    if (this.#phase === 'idle') this.#start();
  }

  get hasWork(): boolean {
    return this.#phase !== 'idle';
  }

  step(): void {
    if (this.#phase === 'resolving') this.#resolveSome();
    else if (this.#phase === 'judging') this.#judgeSome();
  }

  #start(): void {
    this.#phase = this.#waiting && this.#parts.nextHops.size > 0 ? 'resolving' : 'idle';
    this.#waiting = false;
    this.#anyChanged = false;
    this.#at = 0;
    this.#end = this.#parts.nextHops.end;
  }

  #resolveSome(): void {
    const end = Math.min(this.#at + NEXT_HOPS_PER_STEP, this.#end);
    for (; this.#at < end; this.#at++) if (this.#parts.nextHops.refresh(this.#at)) this.#anyChanged = true;
    if (this.#at < this.#end) return;
    if (!this.#anyChanged) return this.#start();
    this.#phase = 'judging';
    this.#at = 0;
    this.#end = this.#parts.store.prefixes.end;
  }

  #judgeSome(): void {
    const { prefixes } = this.#parts.store;
    const end = Math.min(this.#at + PREFIXES_PER_STEP, this.#end);
    for (; this.#at < end; this.#at++) if (prefixes.isUsed(this.#at)) this.#prefix(this.#at);
    if (this.#at < this.#end) return;
    this.#parts.nextHops.allJudged();
    this.#start();
  }

  #prefix(id: PrefixId): void {
    const { store, peers, judge, nextHops } = this.#parts;
    store.judgeNextHops(id, (peer, attribute) => {
      const info = peers.routed[peer] === 1 && nextHops.isChanged(attribute) ? peers.info(peer) : undefined;
      return info && (judge.unusableReason(info, attribute) || store.unroutable(id));
    });
  }
}
