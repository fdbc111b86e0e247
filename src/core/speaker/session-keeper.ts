/**
 * The neighbours of one place, a fabric interface or an address in the configuration, by name, with what is kept of them whether they
 * have a session or not: holds, prefix limits, what became of earlier sessions. Who is a neighbour, and when, its owner decides.
 */

import type { Address } from '../net/address.js';
import { countedPrefixes } from '../net/counted.js';
import type { Family } from '../net/family.js';
import type { Protection } from '../ports/transport.js';
import type { StopReason } from '../session/types.js';
import type { SessionConfig, SpeakerConfig } from './config.js';
import { Neighbour, type NeighbourPlace, type SessionRoutes } from './neighbour.js';
import { NeighbourHistories, type NeighbourHistory } from './neighbour-history.js';
import { PrefixWatch } from './prefix-limit.js';
import { type Hold, SessionHolds } from './session-holds.js';
import type { SpeakerPorts } from './speaker-ports.js';

/** Milliseconds that a neighbour which is not wanted is remembered without a session, and with it how often it failed. */
const MEMORY = 60_000;

/** Cease subcodes (RFC 4486). */
const ADMINISTRATIVE_SHUTDOWN = 2;
const ADMINISTRATIVE_RESET = 4;

export interface KeptRoutes extends SessionRoutes {
  /** Paths held now that the neighbour announced. */
  prefixCount(neighbour: Neighbour, family: Family): number;
}

export interface KeeperOwner {
  log(level: 'info' | 'warn' | 'error', message: string): void;
  /** Known by this name though it may have no session. */
  readonly permanent?: string;
  /** It stays a neighbour without a session. */
  isWanted(neighbour: Neighbour): boolean;
  established?(neighbour: Neighbour): void;
}

export class SessionKeeper {
  readonly holds: SessionHolds;
  private readonly neighbours = new Map<string, Neighbour>();
  /** Those that lost a session of late. */
  private readonly fading = new Set<Neighbour>();
  private readonly watches = new Map<Neighbour, PrefixWatch>();
  private readonly histories = new NeighbourHistories();

  constructor(
    private readonly ports: SpeakerPorts,
    private readonly routes: KeptRoutes,
    private readonly owner: KeeperOwner,
  ) {
    this.holds = new SessionHolds(ports.clock, (name) => this.neighbours.get(name)?.start());
  }

  get(name: string): Neighbour | undefined {
    return this.neighbours.get(name);
  }

  /** Sessions, up or not, in the order they were found. */
  sessions(): readonly Neighbour[] {
    return [...this.neighbours.values()];
  }

  /** Names of all that there is something to say of. */
  names(): readonly string[] {
    const { permanent } = this.owner;
    return [
      ...new Set([...(permanent === undefined ? [] : [permanent]), ...this.neighbours.keys(), ...this.holds.keys()]),
    ];
  }

  /** The neighbour that went last. */
  get lastLost(): { readonly key: string; readonly history: NeighbourHistory } | undefined {
    return this.histories.latest;
  }

  holdOf(name: string): Hold | undefined {
    return this.holds.get(name);
  }

  /** A neighbour by its name, which none has; it starts unless something holds it. */
  add(speaker: SpeakerConfig, address: Address, place: Omit<NeighbourPlace, 'history'>): Neighbour {
    const { name } = place;
    const history = this.histories.of(name);
    const neighbour = new Neighbour(
      speaker,
      this.ports,
      this.watchedRoutes(),
      { ...place, ...(history && { history }) },
      address,
    );
    this.neighbours.set(name, neighbour);
    this.protect(neighbour, protectionOf(place.config, place.hops));
    const hold = this.holds.get(name);
    if (hold) neighbour.stop(hold.told);
    else neighbour.start();
    return neighbour;
  }

  /** The neighbour is none any more. */
  drop(neighbour: Neighbour, reason: StopReason): void {
    neighbour.stop(reason);
    this.neighbours.delete(neighbour.name);
    this.histories.remember(neighbour.name, neighbour.summary(), neighbour.lastDownAt ?? this.ports.clock.now());
    this.protect(neighbour, undefined);
  }

  /** All at once, as the speaker stops. */
  stop(reason: StopReason): void {
    for (const neighbour of this.neighbours.values()) neighbour.stop(reason);
  }

  close(): void {
    for (const neighbour of this.neighbours.values()) this.protect(neighbour, undefined);
  }

  /** Sessions go on. */
  placeChanged(change: Partial<NeighbourPlace>): void {
    for (const neighbour of this.neighbours.values()) neighbour.place = { ...neighbour.place, ...change };
  }

  /** These return what stands in the way. */
  shutdown(name: string, message?: string): string | undefined {
    const told = administrative(ADMINISTRATIVE_SHUTDOWN, message);
    const reason = `shut down here${message === undefined ? '' : `: ${message}`}`;
    this.holds.set(name, { kind: 'shutdown', reason, told });
    this.neighbours.get(name)?.stop(told);
    return undefined;
  }

  /** From the start on, until an operator enables it. */
  shutdownByConfiguration(name: string): void {
    const told = administrative(ADMINISTRATIVE_SHUTDOWN);
    this.holds.set(name, { kind: 'shutdown', reason: 'shut down in the configuration', told });
  }

  enable(name: string): string | undefined {
    if (!this.holds.lift(name)) return 'it is not shut down';
    this.neighbours.get(name)?.start();
    return undefined;
  }

  reset(name: string, message?: string): string | undefined {
    if (this.holds.get(name)?.kind === 'shutdown') return 'it is shut down: enable it first';
    this.holds.lift(name);
    const neighbour = this.neighbours.get(name);
    neighbour?.stop(administrative(ADMINISTRATIVE_RESET, message));
    neighbour?.start();
    return undefined;
  }

  requestRefresh(name: string): string | undefined {
    const neighbour = this.neighbours.get(name);
    if (!neighbour?.isEstablished) return 'it is not established';
    return neighbour.requestRefresh() ? undefined : 'route refresh was not agreed with it';
  }

  /** A neighbour that is not wanted any more, or never was, lives not much longer than its session. */
  private watchedRoutes(): SessionRoutes {
    const { routes } = this;
    return {
      get restarting() {
        return routes.restarting;
      },
      established: (neighbour, negotiated) => {
        const { prefixLimits } = neighbour.place.config;
        if (prefixLimits) this.watches.set(neighbour, new PrefixWatch(prefixLimits));
        this.owner.established?.(neighbour);
        routes.established(neighbour, negotiated);
      },
      update: (neighbour, body) => {
        const error = routes.update(neighbour, body);
        if (!error) this.checkLimits(neighbour);
        return error;
      },
      refresh: (neighbour, family, subtype) => routes.refresh(neighbour, family, subtype),
      alive: (neighbour) => routes.alive(neighbour),
      hasRead: (neighbour) => routes.hasRead(neighbour),
      writable: (neighbour) => routes.writable(neighbour),
      down: (neighbour, wasEstablished, reason) => {
        routes.down(neighbour, wasEstablished, reason);
        this.watches.delete(neighbour);
        this.forgetLater(neighbour);
      },
    };
  }

  private checkLimits(neighbour: Neighbour): void {
    const verdict = this.watches.get(neighbour)?.look((family) => this.routes.prefixCount(neighbour, family));
    if (verdict?.kind === 'warning') this.owner.log('warn', `${neighbour.name}: ${verdict.message}`);
    if (verdict?.kind !== 'exceeded') return;
    const { family, limit } = verdict;
    const until = limit.action === 'restart' ? { until: this.ports.clock.now() + limit.restartAfter * 1000 } : {};
    const reason = `it announced more than ${countedPrefixes(limit.limit, family)}`;
    const told: StopReason = { kind: 'prefix-limit', family, limit: limit.limit };
    this.holds.set(neighbour.name, { kind: 'prefix-limit', reason, told, ...until });
    this.owner.log('error', `${neighbour.name}: ${reason}; the session ends`);
    neighbour.stop(told);
  }

  /** Not at once: forgotten, it could come back at once and fail without end, and would never be slowed down. */
  private forgetLater(neighbour: Neighbour): void {
    if (this.fading.has(neighbour)) return;
    this.fading.add(neighbour);
    const { clock } = this.ports;
    clock.schedule(clock.now() + MEMORY, () => {
      this.fading.delete(neighbour);
      if (this.neighbours.get(neighbour.name) !== neighbour || neighbour.openConnections > 0) return;
      if (!this.owner.isWanted(neighbour)) this.drop(neighbour, { kind: 'neighbour-expired' });
    });
  }

  private protect({ address, place }: Neighbour, protection: Protection | undefined): void {
    try {
      this.ports.transport.protect({ interfaceName: place.interfaceName, remote: address }, protection);
    } catch (error) {
      this.owner.log('error', error instanceof Error ? error.message : String(error));
    }
  }
}

function protectionOf(
  { password, authenticationKey, gtsm = 'auto' }: SessionConfig,
  hops: number | undefined,
): Protection {
  return {
    gtsm,
    ...(password !== undefined && { password }),
    ...(authenticationKey && { authenticationKey }),
    ...(hops !== undefined && { hops }),
  };
}

function administrative(subcode: number, message?: string): StopReason {
  return { kind: 'administrative', subcode, ...(message !== undefined && { message }) };
}
