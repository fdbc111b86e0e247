/**
 * Neighbours that are just back, and what each still has to show before its paths are preferred again: all its routes (End-of-RIB,
 * RFC 4724 section 2), that the host can send to it, and the hold-down that the operator asks for. Until then traffic stays where
 * it went when the neighbour was lost. The RIB makes its paths the last choice; who has no other uses them at once.
 */
import type { Address } from '../net/address.js';
import type { Clock } from '../ports/clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { Gateways } from '../ports/gateways.js';
import type { PeerIndex } from '../rib/types.js';

/** Milliseconds after which a neighbour is taken to have sent its routes although it never said so. */
const LONGEST_WAIT = 10_000;
/** Milliseconds between two questions for a gateway that does not answer. */
const ASK_AGAIN = 1000;

/** A neighbour, as far as this goes. */
export interface ReturningNeighbour {
  readonly name: string;
  readonly address: Address;
  readonly place: { readonly interfaceIndex: number; readonly config: { readonly holdDown?: number } };
}

export interface ReturningSession {
  readonly peer: PeerIndex;
  /** Families whose End-of-RIB has not come yet. */
  readonly awaited: ReadonlySet<unknown>;
}

export interface SettlingState {
  readonly waitsFor: 'end-of-rib' | 'gateway' | 'hold-down';
  /** Clock milliseconds at which that ends at the latest; absent where nobody knows. */
  readonly until?: number;
}

interface Settling {
  readonly session: ReturningSession;
  readonly since: number;
  isReachable: boolean;
  cancel: () => void;
}

export interface SettlingOptions {
  readonly clock: Clock;
  readonly log: EventLog;
  /** Without it a session that is up is proof enough. */
  readonly gateways: Gateways | undefined;
  /** The peer's paths are as good as any from now on. */
  readonly settled: (peer: PeerIndex) => void;
}

export class SettlingNeighbours {
  private readonly settling = new Map<ReturningNeighbour, Settling>();

  constructor(private readonly options: SettlingOptions) {}

  /** `undefined` for a neighbour that has shown all. */
  state(neighbour: ReturningNeighbour): SettlingState | undefined {
    const settling = this.settling.get(neighbour);
    return settling && this.missing(neighbour, settling);
  }

  /** A session of a neighbour that was away is up. */
  begin(neighbour: ReturningNeighbour, session: ReturningSession): void {
    this.forget(neighbour);
    const { clock, gateways } = this.options;
    const onLink = neighbour.place.interfaceIndex !== 0;
    const settling = { session, since: clock.now(), isReachable: !gateways || !onLink, cancel: () => {} };
    this.settling.set(neighbour, settling);
    if (!settling.isReachable) void this.ask(neighbour, settling);
    this.look(neighbour);
  }

  /** Something changed that it may wait for: a family is complete, or the hold-down is another. */
  look(neighbour: ReturningNeighbour): void {
    const settling = this.settling.get(neighbour);
    if (!settling) return;
    settling.cancel();
    const missing = this.missing(neighbour, settling);
    if (!missing) return this.settle(neighbour, settling);
    if (missing.until !== undefined)
      settling.cancel = this.options.clock.schedule(missing.until, () => this.look(neighbour));
  }

  /** Its session is gone. */
  forget(neighbour: ReturningNeighbour): void {
    this.settling.get(neighbour)?.cancel();
    this.settling.delete(neighbour);
  }

  private missing({ place }: ReturningNeighbour, settling: Settling): SettlingState | undefined {
    const { session, since, isReachable } = settling;
    const now = this.options.clock.now();
    if (session.awaited.size > 0 && now < since + LONGEST_WAIT)
      return { waitsFor: 'end-of-rib', until: since + LONGEST_WAIT };
    if (!isReachable) return { waitsFor: 'gateway' };
    const until = since + (place.config.holdDown ?? 0) * 1000;
    return now < until ? { waitsFor: 'hold-down', until } : undefined;
  }

  private settle(neighbour: ReturningNeighbour, { session, since }: Settling): void {
    this.settling.delete(neighbour);
    this.options.settled(session.peer);
    const message = `its paths are preferred again, ${Math.round(this.options.clock.now() - since)} ms after it came back`;
    this.options.log.write({ level: 'info', topic: 'session', message, fields: { neighbour: neighbour.name } });
  }

  private async ask(neighbour: ReturningNeighbour, settling: Settling): Promise<void> {
    const { gateways, clock } = this.options;
    const { place, address } = neighbour;
    settling.isReachable = await gateways!.resolve(place.interfaceIndex, address);
    if (this.settling.get(neighbour) !== settling) return;
    if (settling.isReachable) this.look(neighbour);
    else clock.schedule(clock.now() + ASK_AGAIN, () => void this.ask(neighbour, settling));
  }
}
