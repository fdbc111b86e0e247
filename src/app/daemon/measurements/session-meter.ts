/** Counts what sessions and the decision do, for `/metrics`, as it happens. */

import type { RibSink } from '../../../core/rib/types.js';
import type { DownReason } from '../../../core/session/types.js';
import type { SessionWatcher, WatchedSession } from '../../../core/speaker/session-watcher.js';
import { DROP_WORDS, downWord } from './down-words.js';
import { Histogram } from './histogram.js';

/** Seconds. The hold time is three times what a KEEPALIVE may take in all, and at least 3 s: what is late by a second is in danger. */
const LATENESS_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class SessionMeter implements SessionWatcher, RibSink {
  readonly keepaliveLateness = new Histogram(LATENESS_BOUNDS);
  readonly drops = new Map<string, number>(DROP_WORDS.map((word) => [word, 0]));
  selectionChanges = 0;

  keepaliveDue(_session: WatchedSession, late: number): void {
    this.keepaliveLateness.add(Math.max(0, late) / 1000);
  }

  down(_session: WatchedSession, reason: DownReason): void {
    const word = downWord(reason);
    this.drops.set(word, (this.drops.get(word) ?? 0) + 1);
  }

  prefixesChanged(_ids: Uint32Array, count: number): void {
    this.selectionChanges += count;
  }
}
