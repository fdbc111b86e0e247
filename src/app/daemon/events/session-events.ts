/** Sessions that change their state. */

import type { SessionState } from '../../../core/session/types.js';
import type { SessionWatcher, WatchedSession } from '../../../core/speaker/session-watcher.js';
import type { ControlEvent } from '../../../edge/control/events.js';
import type { EventSource } from './event-hub.js';

/** Between two looks. */
const MOST = 1000;

export class SessionEvents implements EventSource, SessionWatcher {
  #events: ControlEvent[] | undefined;
  #lost = 0;

  constructor(private readonly now: () => string) {}

  stateChanged(session: WatchedSession, from: SessionState, to: SessionState): void {
    const events = this.#events;
    if (!events) return;
    if (events.length >= MOST) {
      this.#lost++;
      return;
    }
    const reason = to === 'established' ? null : (session.summary().lastDown?.message ?? null);
    events.push({ kind: 'session', at: this.now(), neighbor: session.name, from, to, reason });
  }

  begin(): void {
    this.#events = [];
  }

  look(): readonly ControlEvent[] {
    const [events, lost] = [this.#events ?? [], this.#lost];
    this.#events = [];
    this.#lost = 0;
    return lost === 0 ? events : [...events, { kind: 'lost', at: this.now(), of: 'session', events: lost }];
  }

  end(): void {
    this.#events = undefined;
    this.#lost = 0;
  }
}
