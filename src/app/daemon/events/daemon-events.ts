/** What a daemon's events come from: its sessions, its routes and their forwarding, the load of its links, its eBPF plane. */
import type { SessionWatcher } from '../../../core/speaker/session-watcher.js';
import type { Speaker } from '../../../core/speaker/speaker.js';
import { fibSummary } from '../control-handlers.js';
import { linkQualities } from '../dlb-view.js';
import type { ForwardingPlane } from '../forwarding-plane.js';
import { BestPathEvents } from './best-path-events.js';
import { EventHub } from './event-hub.js';
import { MoveEvents } from './move-events.js';
import { FibEvents, LinkQualityEvents } from './sampled-events.js';
import { SessionEvents } from './session-events.js';

export class DaemonEvents {
  readonly #sessions = new SessionEvents(now);

  /** Built before the speaker whose sessions it watches. */
  get watcher(): SessionWatcher {
    return this.#sessions;
  }

  hub(speaker: Speaker, plane: Pick<ForwardingPlane, 'moving'>): EventHub {
    const { rib } = speaker.engine;
    const bestPaths = new BestPathEvents(rib, now);
    rib.addSink(bestPaths);
    return new EventHub([
      this.#sessions,
      bestPaths,
      new FibEvents(() => fibSummary(speaker), now),
      new LinkQualityEvents(() => linkQualities(speaker), now),
      new MoveEvents(() => plane.moving(speaker), { now, at: timeOf }),
    ]);
  }
}

function now(): string {
  return new Date().toISOString();
}

function timeOf(nanoseconds: bigint): string {
  const ago = Number(process.hrtime.bigint() - nanoseconds) / 1e6;
  return new Date(Date.now() - ago).toISOString();
}
