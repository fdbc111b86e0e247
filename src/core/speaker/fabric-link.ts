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
import type { LinkState } from '../ports/links.js';
import type { Stream } from '../ports/transport.js';
import type { StopReason } from '../session/types.js';
import type { FabricInterfaceConfig, SpeakerConfig } from './config.js';
import { DiscoveryRunner } from './discovery-runner.js';
import type { Neighbour } from './neighbour.js';
import { type KeptRoutes, SessionKeeper } from './session-keeper.js';
import type { SpeakerPorts } from './speaker-ports.js';

/** RAs in a burst after a link became usable, and the milliseconds between them. */
const INITIAL_ADVERTISEMENTS = 4;
const INITIAL_INTERVAL = 1000;
/** Neighbours that connect to us and are not heard; more are somebody inventing addresses. Those that are heard discovery limits. */
const MAX_UNHEARD = 64;

export class FabricLink {
  private readonly discovery: DiscoveryRunner<FabricInterfaceState, FabricInput>;
  private link: LinkState | undefined;
  private local: Address | undefined;
  readonly keeper: SessionKeeper;
  /** One is what a fabric link has. */
  private mostNeighbours = 1;
  private stopping = false;

  constructor(
    private speaker: SpeakerConfig,
    public config: FabricInterfaceConfig,
    ports: SpeakerPorts,
    routes: KeptRoutes,
  ) {
    this.keeper = new SessionKeeper(ports, routes, {
      log: (level, message) => this.discovery.log(level, message),
      isWanted: ({ address }) => this.isHeard(address),
      established: ({ address }) => this.discovery.input({ kind: 'answered', address }),
    });
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
    return this.keeper.sessions();
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
    if (signed && !this.keeper.get(this.nameOf(stream.remote))) {
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
    this.keeper.stop(reason);
  }

  close(): void {
    this.discovery.close();
    this.keeper.close();
  }

  /** New timers: for what starts from now on. */
  speakerChanged(speaker: SpeakerConfig): void {
    const { routerAdvertisement, neighbourLifetime } = speaker.timers;
    this.speaker = speaker;
    const { state } = this.discovery;
    const config = { ...state.config, advertiseInterval: routerAdvertisement, neighbourLifetime };
    this.discovery.state = { ...state, config };
    for (const neighbour of this.sessions()) neighbour.timersChanged(speaker.timers);
  }

  /** Its sessions go on. */
  policiesChanged(config: FabricInterfaceConfig): void {
    this.config = config;
    this.keeper.placeChanged({ config });
  }

  /** Names for commands: that of the interface stands for all who are there. */
  get names(): readonly string[] {
    return [this.config.name];
  }

  /** `connecting`: it connects to us at this moment, so our own attempt can wait. */
  private neighbour(address: Address, connecting: boolean): Neighbour | undefined {
    if (this.stopping || !this.link || !this.local) return undefined;
    const name = this.nameOf(address);
    const known = this.keeper.get(name);
    if (known || !this.hasRoom()) return known;
    const { speaker, config, link, local } = this;
    const neighbour = this.keeper.add(speaker, address, {
      name,
      config,
      interfaceIndex: link.index,
      interfaceName: config.name,
      local,
      nextHops: { ipv6: { linkLocal: local } },
      families: speaker.families,
      timers: speaker.timers,
      port: speaker.port,
      passive: false,
      connecting,
    });
    this.discovery.log('info', `neighbour ${neighbour.name} found`);
    const { length } = this.sessions();
    if (length > this.mostNeighbours) {
      this.mostNeighbours = length;
      this.discovery.log('warn', `${this.mostNeighbours} routers on ${this.config.name}; each gets a session`);
    }
    return neighbour;
  }

  /** Among too many that are not heard, one without a connection gives way. */
  private hasRoom(): boolean {
    const unheard = this.sessions().filter(({ address }) => !this.isHeard(address));
    if (unheard.length < MAX_UNHEARD) return true;
    const idle = unheard.find(({ openConnections }) => openConnections === 0);
    if (!idle) return false;
    this.keeper.drop(idle, { kind: 'neighbour-expired' });
    return true;
  }

  private nameOf(address: Address): string {
    return `${formatAddress(address)}%${this.config.name}`;
  }

  private isHeard(address: Address): boolean {
    return this.heard().some((heard) => equalBytes(heard.address, address));
  }

  private lose(address: Address, reason: LossReason): void {
    const neighbour = this.keeper.get(this.nameOf(address));
    if (!neighbour) return;
    // A live session is better proof of life than an advertisement: it has its own timers.
    if (reason !== 'link-down' && neighbour.isEstablished) return;
    this.keeper.drop(neighbour, { kind: reason === 'link-down' ? reason : 'neighbour-expired' });
    this.discovery.log('info', `neighbour ${neighbour.name} lost: ${reason}`);
  }

  private unusable(reason: string): void {
    this.discovery.input({ kind: 'link-unusable', reason });
    this.local = undefined;
    for (const neighbour of this.sessions()) this.keeper.drop(neighbour, { kind: 'link-down' });
  }
}
