/**
 * One neighbour that the configuration gives by its address. Its session exists while our end of it does: an address of ours, on a link
 * that is up where the neighbour is on a subnet of ours. A link that goes down takes the session with it at once; one that leads
 * over other routers lives by its timers.
 */
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import type { LinkState } from '../ports/links.js';
import type { Resolution } from '../ports/reachability.js';
import type { Stream } from '../ports/transport.js';
import type { StopReason } from '../session/types.js';
import type { NeighbourConfig, SpeakerConfig, TimerConfig } from './config.js';
import { familiesWithoutNextHop, type LocalEnd, type LocalEndResult, localEnd } from './local-end.js';
import type { Neighbour } from './neighbour.js';
import { type KeptRoutes, SessionKeeper } from './session-keeper.js';
import type { SpeakerPorts } from './speaker-ports.js';

export class ConfiguredNeighbour {
  readonly keeper: SessionKeeper;
  private end: LocalEnd | undefined;
  private problem: string | undefined;
  private stopping = false;

  constructor(
    private speaker: SpeakerConfig,
    public config: NeighbourConfig,
    private readonly ports: SpeakerPorts,
    routes: KeptRoutes,
  ) {
    this.keeper = new SessionKeeper(ports, routes, {
      log: (level, message) =>
        ports.log.write({ level, topic: 'session', message, fields: { neighbour: this.config.name } }),
      permanent: config.name,
      isWanted: () => true,
    });
    if (config.shutdown) this.keeper.shutdownByConfiguration(config.name);
  }

  /** `undefined` while our end of it does not exist. */
  get session(): Neighbour | undefined {
    return this.keeper.get(this.config.name);
  }

  sessions(): readonly Neighbour[] {
    return this.keeper.sessions();
  }

  /** Names for commands: its own, and that of its group. */
  get names(): readonly string[] {
    const { name, group } = this.config;
    return group === undefined ? [name] : [name, group];
  }

  /** Why it cannot have a session now, as far as that is not the neighbour's doing. */
  get reason(): string | undefined {
    const { address, multihop } = this.config;
    if (!this.session) return this.problem;
    return multihop !== undefined && !this.isReachable(address) ? `no route to ${formatAddress(address)}` : undefined;
  }

  /** Takes over how the one before it, with other settings, was held; a shutdown that the configuration lifts or asks for counts. */
  succeed({ config, keeper }: ConfiguredNeighbour): void {
    if (config.shutdown !== this.config.shutdown) return;
    this.keeper.holds.lift(config.name);
    this.keeper.holds.adopt(keeper.holds);
  }

  /** True when a session can be tried that could not before. */
  linksChanged(links: readonly LinkState[]): boolean {
    if (this.stopping) return false;
    const end = this.endAmong(links);
    if ('problem' in end) {
      this.endLost(end.problem);
      return false;
    }
    const { session } = this;
    if (session && this.end && isSameEnd(this.end, end)) {
      this.endSeen(session, end);
      return false;
    }
    this.endLost('our address changed');
    this.open(end);
    return true;
  }

  /** A session is to be expected now. */
  get isExpected(): boolean {
    return this.session !== undefined && !this.keeper.holds.get(this.config.name);
  }

  /** The stream comes from its address. */
  accept(stream: Stream): void {
    const { session } = this;
    if (session && equalBytes(session.place.local, stream.local)) return session.accept(stream);
    stream.destroy();
  }

  stop(reason: StopReason): void {
    this.stopping = true;
    this.keeper.stop(reason);
  }

  close(): void {
    this.keeper.close();
  }

  /** New timers: for the sessions after this one. */
  speakerChanged(speaker: SpeakerConfig): void {
    this.speaker = speaker;
    this.session?.timersChanged(timersOf(speaker, this.config));
  }

  /** Nothing that a session would have to end for. */
  policiesChanged(config: NeighbourConfig): void {
    this.config = config;
    this.keeper.placeChanged({ config, configured: config });
  }

  /** An address once chosen stays while it can be used: others of its subnet, and routes, may come and go. */
  private endAmong(links: readonly LinkState[]): LocalEndResult {
    const { config, end } = this;
    const find = (source: Address | undefined) =>
      localEnd({ ...config, ...(source && { source }) }, links, (address) => this.resolve(address));
    const same = find(config.source ?? end?.local);
    return 'problem' in same && config.multihop === undefined ? find(config.source) : same;
  }

  private endSeen(session: Neighbour, end: LocalEnd): void {
    this.end = end;
    // What is agreed is agreed: the session after this one offers what is possible by then.
    const families = this.familiesAt(end);
    const { nextHops } = end;
    session.place = { ...session.place, families, nextHops };
    session.familiesChanged(families);
  }

  private endLost(problem: string): void {
    const { session } = this;
    if (session) this.keeper.drop(session, { kind: 'link-down' });
    this.end = undefined;
    this.problem = problem;
  }

  private open(end: LocalEnd): void {
    const { config, speaker } = this;
    this.end = end;
    this.keeper.add(speaker, config.address, {
      name: config.name,
      config,
      connecting: false,
      passive: config.passive ?? false,
      configured: config,
      port: config.port ?? speaker.port,
      timers: timersOf(speaker, config),
      ...end,
      families: this.familiesAt(end),
      ...(config.multihop !== undefined && { hops: config.multihop }),
    });
  }

  private familiesAt(end: LocalEnd) {
    const without = familiesWithoutNextHop(end);
    return (this.config.families ?? this.speaker.families).filter((family) => !without.includes(family));
  }

  private resolve(address: Address): Resolution | undefined {
    return this.ports.reachability.resolve(address);
  }

  private isReachable(address: Address): boolean {
    return this.resolve(address) !== undefined || (this.ports.reachability.onlyByDefault(address) ?? false);
  }
}

function timersOf({ timers }: SpeakerConfig, { timers: own }: NeighbourConfig): TimerConfig {
  return { ...timers, ...own };
}

function isSameEnd(a: LocalEnd, b: LocalEnd): boolean {
  return a.interfaceIndex === b.interfaceIndex && a.interfaceName === b.interfaceName && equalBytes(a.local, b.local);
}
