/**
 * Paths that outlive their session or wait for a refresh to end: what a helper does for a neighbour that restarts (RFC 4724 section
 * 4.2, RFC 9494 section 4.3), and both ends of an enhanced route refresh (RFC 7313 section 4). It keeps the times; the RIB keeps the
 * paths. Whoever knows that a neighbour does not forward any more (link, BFD, discovery, operator) calls `drop`.
 */
import { FAMILIES, type Family } from '../net/family.js';
import type { Clock } from '../ports/clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { Rib } from '../rib/rib.js';
import type { PeerIndex, RibPeerInfo } from '../rib/types.js';
import { isRestart } from '../session/graceful-restart.js';
import type { DownReason, GracefulRestart, Negotiated } from '../session/types.js';
import type { RestartHelperConfig } from './restart-config.js';

/** Milliseconds after which a refresh that does not end is taken to have ended (RFC 7313 section 4). */
const LONGEST_REFRESH = 360_000;

/** A neighbour, as far as its restarts go. */
export interface HelpedNeighbour {
  readonly name: string;
  readonly place: { readonly config: { readonly restartHelper?: RestartHelperConfig } };
}

type AgreedRestart = Pick<Negotiated, 'remoteAs' | 'remoteIdentifier' | 'families' | 'gracefulRestart'>;

export interface StaleState {
  readonly peer: PeerIndex;
  /** Clock milliseconds at which the paths go, or become long-lived stale. */
  readonly until: number;
  readonly longLived: boolean;
}

interface Retained extends StaleState {
  readonly negotiated: AgreedRestart;
  readonly cancel: () => void;
}

export interface StalePathsOptions {
  readonly rib: Rib;
  readonly clock: Clock;
  readonly log: EventLog;
  /** The RIB has work. */
  readonly changed: () => void;
  /** All paths of a peer go. */
  readonly dead: (peer: PeerIndex) => void;
}

export class StalePaths {
  private readonly retained = new Map<HelpedNeighbour, Retained>();
  /** Ends of waiting for an End-of-RIB or End-of-RR, by peer and family. */
  private readonly waits = new Map<string, () => void>();

  constructor(private readonly options: StalePathsOptions) {}

  state(neighbour: HelpedNeighbour): StaleState | undefined {
    return this.retained.get(neighbour);
  }

  /** Takes over the paths of a session that was lost for a restart; false when they are to go. */
  retain(
    neighbour: HelpedNeighbour,
    session: { peer: PeerIndex; negotiated: AgreedRestart },
    reason: DownReason,
  ): boolean {
    const { peer, negotiated } = session;
    for (const family of FAMILIES) this.endWait(peer, family);
    const restart = negotiated.gracefulRestart;
    const helper = neighbour.place.config.restartHelper;
    if (!restart || !helper || restart.families.length === 0 || !isRestart(reason, restart)) return false;
    const seconds = Math.min(restart.restartTime, helper.longest);
    const longLived = longLivedTime(restart, helper.longLived);
    if (seconds === 0 && longLived === 0) return false;
    this.options.rib.retainPeer(peer, restart.families);
    this.say(neighbour, `restarts: its paths are kept, stale, for ${seconds} s`);
    this.hold(neighbour, { peer, negotiated, longLived: false }, seconds);
    return true;
  }

  /** The index of a peer whose paths were kept, for its new session; `undefined` when there are none, or no longer. */
  resume(neighbour: HelpedNeighbour, negotiated: AgreedRestart, info: RibPeerInfo): PeerIndex | undefined {
    const retained = this.retained.get(neighbour);
    if (!retained) return undefined;
    const { peer, negotiated: before } = retained;
    const restart = negotiated.gracefulRestart;
    const isSame = before.remoteAs === negotiated.remoteAs && before.remoteIdentifier === negotiated.remoteIdentifier;
    if (!restart || !isSame) {
      this.drop(neighbour);
      return undefined;
    }
    retained.cancel();
    this.retained.delete(neighbour);
    this.options.rib.returnPeer(peer, info);
    for (const family of FAMILIES) {
      // RFC 4724 section 4.2: a family that is missing, or was not forwarded on, goes at once.
      const isKept = negotiated.families.includes(family) && restart.preserved.includes(family);
      if (isKept) this.wait(peer, family, neighbour.place.config.restartHelper!.longest * 1000);
      else this.options.rib.removeStale(peer, family);
    }
    this.options.changed();
    return peer;
  }

  /** End-of-RIB (RFC 4724 section 4.2), or the end of a refresh (RFC 7313 section 4). */
  end(peer: PeerIndex, family: Family): void {
    this.endWait(peer, family);
    this.options.rib.removeStale(peer, family);
    this.options.changed();
  }

  /** The beginning of a refresh (RFC 7313 section 4). */
  beginRefresh(peer: PeerIndex, family: Family): void {
    this.options.rib.markStale(peer, family);
    this.wait(peer, family, LONGEST_REFRESH);
  }

  /** The neighbour does not forward: what was kept of it goes at once. False when nothing was. */
  drop(neighbour: HelpedNeighbour): boolean {
    const retained = this.retained.get(neighbour);
    if (!retained) return false;
    retained.cancel();
    this.retained.delete(neighbour);
    this.options.dead(retained.peer);
    return true;
  }

  private hold(neighbour: HelpedNeighbour, what: Omit<Retained, 'until' | 'cancel'>, seconds: number): void {
    const { clock } = this.options;
    const until = clock.now() + seconds * 1000;
    const cancel = clock.schedule(until, () => this.expired(neighbour));
    this.retained.set(neighbour, { ...what, until, cancel });
  }

  private expired(neighbour: HelpedNeighbour): void {
    const retained = this.retained.get(neighbour)!;
    const restart = retained.negotiated.gracefulRestart!;
    const seconds = longLivedTime(restart, neighbour.place.config.restartHelper?.longLived ?? 0);
    if (retained.longLived || seconds === 0) {
      this.say(neighbour, 'did not come back in time: its paths go');
      this.drop(neighbour);
      return;
    }
    this.say(neighbour, `did not come back in time: its paths stay as the last choice for ${seconds} s`);
    const { rib, changed } = this.options;
    for (const family of restart.families) {
      if ((restart.longLived.get(family) ?? 0) > 0) rib.ageStale(retained.peer, family);
      else rib.removeStale(retained.peer, family);
    }
    this.hold(neighbour, { ...retained, longLived: true }, seconds);
    changed();
  }

  private wait(peer: PeerIndex, family: Family, duration: number): void {
    const { clock } = this.options;
    this.endWait(peer, family);
    const cancel = clock.schedule(clock.now() + duration, () => this.end(peer, family));
    this.waits.set(`${peer}/${family}`, cancel);
  }

  private endWait(peer: PeerIndex, family: Family): void {
    this.waits.get(`${peer}/${family}`)?.();
    this.waits.delete(`${peer}/${family}`);
  }

  private say({ name }: HelpedNeighbour, message: string): void {
    this.options.log.write({ level: 'info', topic: 'session', message, fields: { neighbour: name } });
  }
}

/** The longest time of any family, within ours (RFC 9494 section 4.2). */
function longLivedTime({ longLived, families }: GracefulRestart, limit: number): number {
  return Math.min(limit, Math.max(0, ...families.map((family) => longLived.get(family) ?? 0)));
}
