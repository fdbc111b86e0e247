/**
 * One interface declared `fabric`: runs the discovery machine over its ND socket, and keeps the neighbours heard there. The
 * interface may appear, vanish and come back; the neighbours follow it.
 */

import {
  createFabricInterface,
  type FabricInterfaceState,
  neighboursOf,
  stepFabricInterface,
} from '../discovery/fabric-interface.js';
import type { DiscoveredNeighbour, FabricInput, LossReason } from '../discovery/types.js';
import { usability } from '../discovery/usable.js';
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import type { Family } from '../net/family.js';
import type { LinkState } from '../ports/links.js';
import type { Protection, Stream } from '../ports/transport.js';
import type { StopReason } from '../session/types.js';
import type { FabricInterfaceConfig, SpeakerConfig } from './config.js';
import { DiscoveryRunner } from './discovery-runner.js';
import { Neighbour, type SessionRoutes } from './neighbour.js';
import { NeighbourHistories, type NeighbourHistory } from './neighbour-history.js';
import { PrefixWatch } from './prefix-limit.js';
import { type Hold, SessionHolds } from './session-holds.js';
import type { SpeakerPorts } from './speaker-ports.js';

/** RAs in a burst after a link became usable, and the milliseconds between them. */
const INITIAL_ADVERTISEMENTS = 4;
const INITIAL_INTERVAL = 1000;
/** Neighbours that connect to us and are not heard; more are somebody inventing addresses. Those that are heard discovery limits. */
const MAX_UNHEARD = 64;
/** Milliseconds that a neighbour which is not heard is remembered without a session, and with it how often it failed. */
const MEMORY = 60_000;

/** Cease subcodes (RFC 4486). */
const ADMINISTRATIVE_SHUTDOWN = 2;
const ADMINISTRATIVE_RESET = 4;

export interface FabricRoutes extends SessionRoutes {
  /** Paths held now that the neighbour announced. */
  pathCount(neighbour: Neighbour, family: Family): number;
}

export class FabricLink {
  private readonly discovery: DiscoveryRunner<FabricInterfaceState, FabricInput>;
  private link: LinkState | undefined;
  private local: Address | undefined;
  private readonly neighbours = new Map<string, Neighbour>();
  /** Those that lost a session of late. */
  private readonly fading = new Set<Neighbour>();
  private readonly watches = new Map<Neighbour, PrefixWatch>();
  readonly holds: SessionHolds;
  private readonly histories = new NeighbourHistories();
  /** One is what a fabric link has. */
  private mostNeighbours = 1;
  private stopping = false;

  constructor(
    private speaker: SpeakerConfig,
    public config: FabricInterfaceConfig,
    private readonly ports: SpeakerPorts,
    private readonly routes: FabricRoutes,
  ) {
    this.holds = new SessionHolds(ports.clock, (key) => this.neighbours.get(key)?.start());
    const initial = createFabricInterface({
      advertiseInterval: speaker.timers.routerAdvertisement,
      initialAdvertisements: INITIAL_ADVERTISEMENTS,
      initialInterval: INITIAL_INTERVAL,
      neighbourLifetime: speaker.timers.neighbourLifetime,
    });
    this.discovery = new DiscoveryRunner(
      ports,
      { initial, step: stepFabricInterface },
      {
        interfaceName: config.name,
        topic: 'discovery',
        found: (address) => void this.neighbour(address, false),
        lost: (address, reason) => this.lose(address, reason),
      },
    );
  }

  get state(): LinkState | undefined {
    return this.link;
  }

  /** Why no session can run here; `undefined` when the link is usable. */
  get reason(): string | undefined {
    if (!this.link) return 'no such interface';
    if (this.discovery.problem) return this.discovery.problem;
    const usable = usability(this.link);
    return usable.usable ? undefined : usable.reason;
  }

  get linkLocal(): Address | undefined {
    return this.local;
  }

  /** Sessions, up or not, in the order they were found. */
  sessions(): readonly Neighbour[] {
    return [...this.neighbours.values()];
  }

  heard(): readonly DiscoveredNeighbour[] {
    return neighboursOf(this.discovery.state);
  }

  linkChanged(link: LinkState): void {
    if (this.stopping) return;
    if (this.link && this.link.index !== link.index) this.linkGone();
    this.link = link;
    if (link.adminUp) this.discovery.open(link);
    const usable = usability(link);
    if (usable.usable) {
      if (this.local && !equalBytes(this.local, usable.linkLocal)) this.unusable('the link-local address changed');
      this.local = usable.linkLocal;
      this.discovery.input({ kind: 'link-usable', linkLocal: usable.linkLocal, mac: link.mac, mtu: link.mtu });
    } else this.unusable(usable.reason);
  }

  linkGone(): void {
    this.unusable('no such interface');
    this.discovery.closeSocket();
    this.link = undefined;
  }

  /** A router connected to us before, or after, its advertisement was heard: on the link is what counts. */
  accept(stream: Stream): void {
    // The kernel checked no signature while it had no key for that address: the neighbour connects again once it is heard.
    const signed = this.config.password !== undefined || this.config.authenticationKey !== undefined;
    if (signed && !this.neighbours.has(formatAddress(stream.remote))) {
      this.discovery.log('debug', `${formatAddress(stream.remote)} connected before it was heard: refused`);
      return stream.destroy();
    }
    const neighbour = this.neighbour(stream.remote, true);
    if (!neighbour) return stream.destroy();
    this.discovery.input({ kind: 'answered', address: stream.remote });
    neighbour.accept(stream);
  }

  /** Final RAs, and Cease to every neighbour; a restart is told to nobody. */
  stop(reason: StopReason): void {
    this.stopping = true;
    if (reason.kind !== 'restart') this.discovery.input({ kind: 'stopped' });
    for (const neighbour of this.neighbours.values()) neighbour.stop(reason);
  }

  close(): void {
    this.discovery.close();
    for (const { address } of this.neighbours.values()) this.protect(address, undefined);
  }

  /** New timers: for what starts from now on. */
  speakerChanged(speaker: SpeakerConfig): void {
    const { routerAdvertisement, neighbourLifetime } = speaker.timers;
    this.speaker = speaker;
    const { state } = this.discovery;
    const config = { ...state.config, advertiseInterval: routerAdvertisement, neighbourLifetime };
    this.discovery.state = { ...state, config };
    for (const neighbour of this.neighbours.values()) neighbour.timersChanged(speaker.timers);
  }

  /** Its sessions go on. */
  policiesChanged(config: FabricInterfaceConfig): void {
    this.config = config;
    for (const neighbour of this.neighbours.values()) neighbour.place = { ...neighbour.place, config };
  }

  /** The neighbour that went last, by its address. */
  get lastLost(): { readonly key: string; readonly history: NeighbourHistory } | undefined {
    return this.histories.latest;
  }

  holdOf({ address }: Neighbour): Hold | undefined {
    return this.holds.get(formatAddress(address));
  }

  /** These return what stands in the way. */
  shutdown(key: string, message?: string): string | undefined {
    this.holds.set(key, { kind: 'shutdown', reason: `shut down here${message === undefined ? '' : `: ${message}`}` });
    this.neighbours.get(key)?.stop(administrative(ADMINISTRATIVE_SHUTDOWN, message));
    return undefined;
  }

  enable(key: string): string | undefined {
    if (!this.holds.lift(key)) return 'it is not shut down';
    this.neighbours.get(key)?.start();
    return undefined;
  }

  reset(key: string, message?: string): string | undefined {
    if (this.holds.get(key)?.kind === 'shutdown') return 'it is shut down: enable it first';
    this.holds.lift(key);
    const neighbour = this.neighbours.get(key);
    neighbour?.stop(administrative(ADMINISTRATIVE_RESET, message));
    neighbour?.start();
    return undefined;
  }

  requestRefresh(key: string): string | undefined {
    const neighbour = this.neighbours.get(key);
    if (neighbour?.summary().state !== 'established') return 'it is not established';
    return neighbour.requestRefresh() ? undefined : 'route refresh was not agreed with it';
  }

  /** `connecting`: it connects to us at this moment, so our own attempt can wait. */
  private neighbour(address: Address, connecting: boolean): Neighbour | undefined {
    if (this.stopping || !this.link || !this.local) return undefined;
    const key = formatAddress(address);
    const known = this.neighbours.get(key);
    if (known || !this.hasRoom()) return known;
    const history = this.histories.of(key);
    const place = {
      interfaceIndex: this.link.index,
      config: this.config,
      local: this.local,
      connecting,
      ...(history && { history }),
    };
    const neighbour = new Neighbour(this.speaker, this.ports, this.routesOf(key), place, address);
    this.neighbours.set(key, neighbour);
    this.protect(address, protectionOf(this.config));
    this.discovery.log('info', `neighbour ${neighbour.name} found`);
    if (this.neighbours.size > this.mostNeighbours) {
      this.mostNeighbours = this.neighbours.size;
      this.discovery.log('warn', `${this.mostNeighbours} routers on ${this.config.name}; each gets a session`);
    }
    if (!this.holds.get(key)) neighbour.start();
    return neighbour;
  }

  /** Among too many that are not heard, one without a connection gives way. */
  private hasRoom(): boolean {
    const unheard = [...this.neighbours].filter(([, { address }]) => !this.isHeard(address));
    if (unheard.length < MAX_UNHEARD) return true;
    const [key, neighbour] = unheard.find(([, { openConnections }]) => openConnections === 0) ?? [];
    if (key === undefined || !neighbour) return false;
    neighbour.stop({ kind: 'neighbour-expired' });
    this.drop(key, neighbour);
    return true;
  }

  /** A neighbour that is not heard any more, or never was, lives not much longer than its session. */
  private routesOf(key: string): SessionRoutes {
    const { routes } = this;
    return {
      get restarting() {
        return routes.restarting;
      },
      established: (neighbour, negotiated) => {
        this.discovery.input({ kind: 'answered', address: neighbour.address });
        if (this.config.prefixLimits) this.watches.set(neighbour, new PrefixWatch(this.config.prefixLimits));
        routes.established(neighbour, negotiated);
      },
      update: (neighbour, body) => {
        const error = routes.update(neighbour, body);
        if (!error) this.checkLimits(key, neighbour);
        return error;
      },
      refresh: (neighbour, family, subtype) => routes.refresh(neighbour, family, subtype),
      alive: (neighbour) => routes.alive(neighbour),
      writable: (neighbour) => routes.writable(neighbour),
      down: (neighbour, wasEstablished, reason) => {
        routes.down(neighbour, wasEstablished, reason);
        this.watches.delete(neighbour);
        this.forgetLater(key, neighbour);
      },
    };
  }

  private checkLimits(key: string, neighbour: Neighbour): void {
    const verdict = this.watches.get(neighbour)?.look((family) => this.routes.pathCount(neighbour, family));
    if (verdict?.kind === 'warning') this.discovery.log('warn', `${neighbour.name}: ${verdict.message}`);
    if (verdict?.kind !== 'exceeded') return;
    const { family, limit } = verdict;
    const until = limit.action === 'restart' ? { until: this.ports.clock.now() + limit.restartAfter * 1000 } : {};
    const reason = `it announced more than ${limit.limit} ${family} prefixes`;
    this.holds.set(key, { kind: 'prefix-limit', reason, ...until });
    this.discovery.log('error', `${neighbour.name}: ${reason}; the session ends`);
    neighbour.stop({ kind: 'prefix-limit', family, limit: limit.limit });
  }

  /** Not at once: forgotten, it could come back at once and fail without end, and would never be slowed down. */
  private forgetLater(key: string, neighbour: Neighbour): void {
    if (this.fading.has(neighbour)) return;
    this.fading.add(neighbour);
    const { clock } = this.ports;
    clock.schedule(clock.now() + MEMORY, () => {
      this.fading.delete(neighbour);
      if (this.neighbours.get(key) !== neighbour || this.isWanted(neighbour)) return;
      neighbour.stop({ kind: 'neighbour-expired' });
      this.drop(key, neighbour);
    });
  }

  private isWanted({ address, openConnections }: Neighbour): boolean {
    return openConnections > 0 || this.isHeard(address);
  }

  private isHeard(address: Address): boolean {
    return this.heard().some((heard) => equalBytes(heard.address, address));
  }

  private lose(address: Address, reason: LossReason): void {
    const key = formatAddress(address);
    const neighbour = this.neighbours.get(key);
    if (!neighbour) return;
    // A live session is better proof of life than an advertisement: it has its own timers.
    if (reason !== 'link-down' && neighbour.summary().state === 'established') return;
    neighbour.stop({ kind: reason === 'link-down' ? reason : 'neighbour-expired' });
    this.drop(key, neighbour);
    this.discovery.log('info', `neighbour ${neighbour.name} lost: ${reason}`);
  }

  private unusable(reason: string): void {
    this.discovery.input({ kind: 'link-unusable', reason });
    this.local = undefined;
    for (const [key, neighbour] of this.neighbours) {
      neighbour.stop({ kind: 'link-down' });
      this.drop(key, neighbour);
    }
  }

  private drop(key: string, neighbour: Neighbour): void {
    this.neighbours.delete(key);
    this.histories.remember(key, neighbour.summary(), neighbour.lastDownAt ?? this.ports.clock.now());
    this.protect(neighbour.address, undefined);
  }

  private protect(remote: Address, protection: Protection | undefined): void {
    try {
      this.ports.transport.protect({ interfaceName: this.config.name, remote }, protection);
    } catch (error) {
      this.discovery.log('error', error instanceof Error ? error.message : String(error));
    }
  }
}

function protectionOf({ password, authenticationKey, gtsm = 'auto' }: FabricInterfaceConfig): Protection {
  return { gtsm, ...(password !== undefined && { password }), ...(authenticationKey && { authenticationKey }) };
}

function administrative(subcode: number, message: string | undefined): StopReason {
  return { kind: 'administrative', subcode, ...(message !== undefined && { message }) };
}
