/**
 * Answers to ROUTE-REFRESH (RFC 2918, RFC 7313): the table again, for one session one at a time. What is asked for meanwhile is
 * answered once, afterwards: a neighbour that asks without end, or does not read, gets no more than it takes.
 */
import { AFI, type Family, SAFI_UNICAST } from '../net/family.js';
import type { Clock } from '../ports/clock.js';
import type { AdjRibOut } from '../rib/adj-rib-out.js';
import type { PeerIndex } from '../rib/types.js';
import { encodeRouteRefresh } from '../wire/bgp/route-refresh.js';

/** Subtypes of ROUTE-REFRESH (RFC 7313 section 3.2). */
export const BEGIN_OF_REFRESH = 1;
export const END_OF_REFRESH = 2;

export interface RefreshSession {
  readonly peer: PeerIndex;
  /** Enhanced route refresh was agreed: beginning and end are marked. */
  readonly enhanced: boolean;
  send(message: Uint8Array): void;
  isUp(): boolean;
}

export class RefreshAnswers {
  /** By the session that is being answered: the families that it has asked for since. */
  private readonly waiting = new Map<object, Set<Family>>();

  constructor(
    private readonly out: AdjRibOut,
    private readonly clock: Clock,
    /** There is something to send. */
    private readonly begun: () => void,
  ) {}

  /** `key` stands for the session, and is forgotten with it. */
  answer(key: object, session: RefreshSession, family: Family): void {
    const waiting = this.waiting.get(key);
    if (waiting) {
      waiting.add(family);
      return;
    }
    this.waiting.set(key, new Set());
    // Behind what is being sent: the end of one answer is no place to begin another.
    const done = () => this.clock.yield(() => this.next(key, session));
    if (!session.enhanced) this.out.refresh(session.peer, done);
    else this.sendMarked(session, family, done);
    this.begun();
  }

  forget(key: object): void {
    this.waiting.delete(key);
  }

  /** RFC 7313 section 4: never before the End-of-RIB of the first table. */
  private sendMarked({ peer, send }: RefreshSession, family: Family, done: () => void): void {
    const mark = (subtype: number) => send(encodeRouteRefresh({ afi: AFI[family], safi: SAFI_UNICAST, subtype }));
    this.out.afterEndOfRib(peer, () => {
      mark(BEGIN_OF_REFRESH);
      this.out.refresh(peer, () => {
        mark(END_OF_REFRESH);
        done();
      });
    });
  }

  private next(key: object, session: RefreshSession): void {
    const waiting = this.waiting.get(key);
    this.waiting.delete(key);
    if (!waiting || !session.isUp()) return;
    for (const family of waiting) this.answer(key, session, family);
  }
}
