/**
 * One whole router over ports: discovery and sessions on the fabric links, advertisements on the host links, the tables behind
 * them, and the order in which all that starts and stops. The daemon gives it Linux, the simulator gives it virtual time.
 */

import { LoadBalancer } from '../dlb/load-balancer.js';
import { Fib } from '../fib/fib.js';
import { equalBytes, formatAddress } from '../net/address.js';
import { counted } from '../net/counted.js';
import type { LinkEvent, LinkState } from '../ports/links.js';
import type { Listener, Stream } from '../ports/transport.js';
import type { StopReason } from '../session/types.js';
import { authenticationProblem } from './authentication.js';
import { awaited } from './awaited.js';
import type { HostPrefix, SpeakerConfig } from './config.js';
import { configDifference, describeDifference, needsRestart } from './config-difference.js';
import { ConfiguredNeighbour } from './configured-neighbour.js';
import { ConfiguredNeighbours } from './configured-neighbours.js';
import { Convergence } from './convergence.js';
import { FabricLink } from './fabric-link.js';
import { HostLink } from './host-link.js';
import { prepareSwitches } from './interface-switches.js';
import { LinkSpeeds } from './link-speeds.js';
import type { Neighbour } from './neighbour.js';
import { applyDifference, applyTimers, type LiveParts } from './reconfiguration.js';
import { RouteEngine } from './route-engine.js';
import type { SpeakerPorts } from './speaker-ports.js';

/** Milliseconds that stopping waits for NOTIFICATIONs to leave. */
const FLUSH_TIME = 1000;
/** Milliseconds between looks at the streams that are being flushed. */
const FLUSH_CHECK = 10;
/** Milliseconds after start at which leftovers of an earlier run go, converged or not. */
const SWEEP_TIMEOUT = 30_000;
/** Milliseconds after convergence at which they go: the neighbours may still be learning. */
const SETTLE_TIME = 5000;
const ADMINISTRATIVE_SHUTDOWN = 2;

export interface Reconfigured {
  readonly restart: readonly string[];
  readonly problem?: string;
  readonly changes: readonly string[];
}

export class Speaker {
  readonly fib: Fib;
  readonly engine: RouteEngine;
  readonly convergence = new Convergence();
  readonly fabricLinks: FabricLink[];
  readonly hostLinks: HostLink[];
  readonly configured: ConfiguredNeighbours;
  readonly balancer: LoadBalancer | undefined;
  startedAt = 0;
  private listener: Listener | undefined;
  private unwatch: () => void = () => {};
  private cancelSweep: () => void = () => {};
  private cancelDeferral: () => void = () => {};
  private swept = false;
  private readonly speeds: LinkSpeeds;
  /** Of links that are no fabric interfaces, by index. */
  private readonly carriers = new Map<number, boolean>();
  private stopping = false;

  constructor(
    public config: SpeakerConfig,
    private readonly ports: SpeakerPorts,
  ) {
    const { tables, clock, log } = ports;
    const plainGroups = config.balancing?.mode === 'assigned-flow';
    this.fib = new Fib({ tables, clock, log, config: { ...config.fib, plainGroups }, settled: () => this.written() });
    this.speeds = new LinkSpeeds(ports.links);
    this.balancer = this.newBalancer();
    this.engine = new RouteEngine(config, ports, this.fib, () => this.observe());
    this.fabricLinks = config.fabric.map((fabric) => new FabricLink(config, fabric, ports, this.engine));
    this.hostLinks = config.hosts.map((host) => new HostLink(config, host, ports));
    this.configured = new ConfiguredNeighbours(
      config.neighbours ?? [],
      (neighbour) => new ConfiguredNeighbour(this.config, neighbour, ports, this.engine),
    );
  }

  private written(): void {
    this.engine.announcements.tell();
    this.observe();
  }

  /** Rejects with one plain error, and leaves nothing behind, when something essential cannot be had. */
  async start(): Promise<void> {
    const { transport, links, reachability } = this.ports;
    const problem = authenticationProblem(this.config, transport);
    if (problem !== undefined) throw new Error(problem);
    this.startedAt = this.ports.clock.now();
    this.listener = await transport.listen(this.config.port, (stream) => this.accept(stream));
    try {
      await this.fib.start();
      this.beginRestart();
      const unwatchLinks = links.watch((event) => this.linkEvent(event));
      const unwatchRoutes = reachability.watch(() => {
        this.engine.reachabilityChanged();
        this.configured.look();
      });
      this.unwatch = () => {
        unwatchLinks();
        unwatchRoutes();
      };
      for (const link of await links.list()) {
        await this.releaseLeftovers(link);
        this.linkChanged(link);
      }
    } catch (error) {
      await this.stop({ kind: 'administrative', subcode: ADMINISTRATIVE_SHUTDOWN });
      throw error;
    }
    for (const advertised of this.config.advertise) this.engine.originate(advertised);
    this.balancer?.start();
    this.sweepAfter(this.engine.restarting ? this.deferral + SWEEP_TIMEOUT : SWEEP_TIMEOUT);
    this.warnOfMissingInterfaces();
  }

  /** Cease to every neighbour, final RAs, then routes, next hops and addresses go. Before a restart nothing is said, and all stays. */
  async stop(reason: StopReason = { kind: 'administrative', subcode: ADMINISTRATIVE_SHUTDOWN }): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    const keep = reason.kind === 'restart';
    // The sessions go, and what they brought must not leave the kernel with them.
    if (keep) this.engine.restarting = 'preserved';
    this.unwatch();
    this.balancer?.stop();
    this.cancelSweep();
    this.cancelDeferral();
    this.listener?.close();
    const sessions = this.sessions();
    for (const owner of this.sessionOwners) owner.stop(reason);
    if (!keep) for (const link of this.hostLinks) link.stop();
    await this.flushed(() => sessions.every((session) => session.openConnections === 0));
    await this.fib.stop({ keep });
    if (!keep) for (const link of this.hostLinks) await link.release();
    for (const link of [...this.fabricLinks, ...this.hostLinks, ...this.configured.all]) link.close();
  }

  /**
   * Makes another configuration the running one and touches only what differs; the result says what, a line each. Nothing is
   * applied, and the keys that need a restart or what cannot be had here are the result, when there are any.
   */
  async reconfigure(next: SpeakerConfig): Promise<Reconfigured> {
    const restart = needsRestart(this.config, next);
    if (restart.length > 0) return { restart, changes: [] };
    const problem = authenticationProblem(next, this.ports.transport);
    if (problem !== undefined) return { restart: [], problem, changes: [] };
    const present = await this.ports.links.list();
    const difference = configDifference(this.config, next);
    this.config = next;
    const parts = this.liveParts();
    if (difference.timers) applyTimers(parts, next);
    await applyDifference(parts, difference, present);
    this.observe();
    return { restart: [], changes: describeDifference(difference) };
  }

  private liveParts(): LiveParts {
    const { engine, fabricLinks, hostLinks, configured } = this;
    return {
      fabricLinks,
      hostLinks,
      configured,
      newFabricLink: (fabric) => new FabricLink(this.config, fabric, this.ports, engine),
      newHostLink: (host) => new HostLink(this.config, host, this.ports),
      linkChanged: (link) => this.linkChanged(link),
      policiesChanged: (neighbours) => {
        for (const neighbour of neighbours) neighbour.configChanged();
        engine.policiesChanged(neighbours);
      },
      originate: (prefix) => engine.originate(prefix),
      withdraw: ({ prefix }) => engine.withdraw(prefix),
    };
  }

  get sessionOwners(): readonly (FabricLink | ConfiguredNeighbour)[] {
    return [...this.fabricLinks, ...this.configured.all];
  }

  /** Of neighbours found and configured, up or not. */
  sessions(): readonly Neighbour[] {
    return this.sessionOwners.flatMap((owner) => owner.sessions());
  }

  /** Sessions that are up, and those that should be: one for each neighbour, or one for each fabric link without any. */
  sessionCount(): { up: number; total: number } {
    const up = this.sessions().filter(isEstablished).length;
    const found = this.fabricLinks.reduce((sum, link) => sum + Math.max(1, link.sessions().length), 0);
    return { up, total: found + this.configured.all.length };
  }

  /** Gateway addresses that an earlier run assigned and could not take away, unless they are wanted again. */
  private async releaseLeftovers({ name, index, addresses }: LinkState): Promise<void> {
    const wanted = this.config.hosts.find((host) => host.name === name)?.prefixes ?? [];
    for (const { address, prefixLength, ours } of addresses) {
      if (!ours || wanted.some(({ gateway }) => equalBytes(gateway, address))) continue;
      await this.ports.links.deleteAddress(index, address, prefixLength);
    }
  }

  private accept(stream: Stream): void {
    const { interfaceName, remote } = stream;
    const neighbour =
      this.configured.find(stream) ?? this.fabricLinks.find(({ config }) => config.name === interfaceName);
    if (neighbour && !this.stopping) return neighbour.accept(stream);
    const why = interfaceName === '' ? 'no neighbour has that address' : `${interfaceName} is no fabric interface`;
    const message = `connection from ${formatAddress(remote)} refused: ${why}`;
    this.ports.log.write({ level: 'warn', topic: 'session', message });
    stream.destroy();
  }

  private newBalancer(): LoadBalancer | undefined {
    const {
      balancing,
      fib: { buckets },
    } = this.config;
    const { meters, clock, log } = this.ports;
    const speedOf = (index: number) => this.speeds.of(index);
    return (
      balancing &&
      meters &&
      new LoadBalancer({ config: balancing, buckets, fib: this.fib, meters, speedOf, clock, log })
    );
  }

  private linkEvent(event: LinkEvent): void {
    if (event.kind === 'link') return this.linkChanged(event.link);
    this.speeds.gone(event.index);
    this.fib.linkDown(event.index);
    this.fabricLinks.find(({ config }) => config.name === event.name)?.linkGone();
    const host = this.hostLinks.find(({ config }) => config.name === event.name);
    if (host) this.hostGone(host);
    this.configured.linkGone(event.index);
  }

  private linkChanged(link: LinkState): void {
    const fabric = this.fabricLinks.find(({ config }) => config.name === link.name);
    const host = this.hostLinks.find(({ config }) => config.name === link.name);
    if (!host) this.speeds.changed(link);
    if (fabric) this.fabricChanged(fabric, link);
    else this.otherChanged(link);
    if (host) this.hostChanged(host, link);
    if (this.configured.linkChanged(link)) this.convergence.linkUp(this.ports.clock.now());
    this.observe();
  }

  /** Next hops may be on any link. */
  private otherChanged({ index, carrier }: LinkState): void {
    const had = this.carriers.get(index) ?? false;
    this.carriers.set(index, carrier);
    if (carrier && !had) this.fib.linkUp(index);
    if (!carrier && had) this.fib.linkDown(index);
  }

  private fabricChanged(fabric: FabricLink, link: LinkState): void {
    const known = fabric.state?.index === link.index;
    if (!known) prepareSwitches(this.ports, this.config, { name: link.name, kind: 'fabric' });
    const hadCarrier = known && fabric.state?.carrier === true;
    if (link.carrier && !hadCarrier) {
      this.convergence.linkUp(this.ports.clock.now());
      this.fib.linkUp(link.index);
    }
    if (!link.carrier && (hadCarrier || !known)) this.fib.linkDown(link.index);
    fabric.linkChanged(link);
  }

  /** A host link's prefixes are reachable while it has carrier. */
  private hostChanged(host: HostLink, link: LinkState): void {
    if (host.state?.index !== link.index) prepareSwitches(this.ports, this.config, { name: link.name, kind: 'host' });
    const had = host.state?.carrier === true;
    host.linkChanged(link);
    if (link.carrier === had) return;
    for (const prefix of host.config.prefixes) this.reachable(prefix, link.carrier);
  }

  /** A renamed interface goes with its carrier still up. */
  private hostGone(host: HostLink): void {
    const had = host.state?.carrier === true;
    host.linkGone();
    if (had) for (const prefix of host.config.prefixes) this.reachable(prefix, false);
  }

  private reachable(prefix: HostPrefix, carrier: boolean): void {
    if (carrier) this.engine.originate(prefix);
    else this.engine.withdraw(prefix.prefix);
  }

  /** What the start still waits for, in words; empty once all sessions are up and all routes in the kernel. */
  get awaited(): readonly string[] {
    if (this.convergence.completedAt !== undefined) return [];
    return awaited({
      owners: [...this.expected()].map((owner) => ({
        name: owner.names[0]!,
        isUp: owner.sessions().some(isEstablished),
      })),
      withoutEndOfRib: this.engine.withoutEndOfRib().map(({ name }) => name),
      tablesIdle: this.engine.idle,
      kernelIdle: this.fib.idle,
    });
  }

  /** Those that a session is to be up with. */
  private *expected(): Generator<FabricLink | ConfiguredNeighbour> {
    for (const link of this.fabricLinks) if (link.state?.carrier) yield link;
    for (const neighbour of this.configured.all) if (neighbour.isExpected) yield neighbour;
  }

  /** Whether all that are expected have a session, and any is. The first that has none ends the look: a start with 512 links asks at every link event. */
  private sessionsUp(): boolean {
    let isAny = false;
    for (const owner of this.expected()) {
      if (!owner.sessions().some(isEstablished)) return false;
      isAny = true;
    }
    return isAny;
  }

  /** After every slice and every write: a look at all sessions each time would cost an UPDATE more than the tables do. */
  private observe(): void {
    const now = this.ports.clock.now();
    if (!this.engine.restarting && this.convergence.isOver(now)) return;
    const view = {
      sessionsUp: this.sessionsUp(),
      allEndOfRib: this.engine.withoutEndOfRib().length === 0,
      idle: this.engine.idle && this.fib.idle,
      kernelWrites: this.fib.counters.writes,
    };
    if (this.engine.restarting) {
      if (!this.stopping && view.sessionsUp && view.allEndOfRib)
        this.endRestart('all neighbours have sent their routes');
      return;
    }
    if (!this.convergence.observe(view, now)) return;
    this.engine.hasConverged = true;
    this.ports.log.write({
      level: 'info',
      topic: 'speaker',
      message: `converged ${Math.round(this.convergence.duration ?? 0)} ms after link-up: all sessions up, all routes in the kernel`,
    });
    this.sweepAfter(SETTLE_TIME);
  }

  /**
   * Milliseconds for which no route is selected: over what the kernel forwards, Selection_Deferral_Timer (RFC 4724 section 4.1);
   * otherwise as long as the operator wants to wait.
   */
  private get deferral(): number {
    const { restarter, waitForConvergence = 0 } = this.config;
    if (this.engine.restarting === 'preserved') return (restarter?.selectionDeferral ?? 0) * 1000;
    return waitForConvergence * 1000;
  }

  /** What the kernel forwards stays as it is, or neighbours are told nothing, until they have said what they know. */
  private beginRestart(): void {
    const { restarter, waitForConvergence } = this.config;
    const entries = this.fib.counters.prefixes;
    if (restarter && entries > 0) this.engine.restarting = 'preserved';
    else if (waitForConvergence) this.engine.restarting = 'empty';
    else return;
    const { clock } = this.ports;
    this.cancelDeferral = clock.schedule(clock.now() + this.deferral, () =>
      this.endRestart('the time for that is over'),
    );
    const message =
      this.engine.restarting === 'preserved'
        ? `restarted over ${counted(entries, 'forwarding entry', 'forwarding entries')}, kept until the neighbours have sent their routes`
        : `no route is selected or told until the neighbours have sent theirs, or ${waitForConvergence} s have passed`;
    this.ports.log.write({ level: 'info', topic: 'speaker', message });
  }

  private endRestart(why: string): void {
    this.cancelDeferral();
    this.engine.restartEnded();
    for (const session of this.sessions()) session.restartEnded();
    this.ports.log.write({ level: 'info', topic: 'speaker', message: `routes are selected: ${why}` });
  }

  private sweepAfter(delay: number): void {
    const { clock } = this.ports;
    this.cancelSweep();
    if (!this.swept) this.cancelSweep = clock.schedule(clock.now() + delay, () => this.sweep());
  }

  private sweep(): void {
    if (this.swept || this.stopping) return;
    this.swept = true;
    this.engine.hasConverged = true;
    this.cancelSweep();
    this.fib.sweep().catch((error: unknown) => {
      this.ports.log.write({ level: 'error', topic: 'fib', message: `sweep failed: ${String(error)}` });
    });
  }

  private warnOfMissingInterfaces(): void {
    for (const link of [...this.fabricLinks, ...this.hostLinks]) {
      if (link.state) continue;
      this.ports.log.write({
        level: 'warn',
        topic: 'discovery',
        message: `interface ${link.config.name} does not exist yet; it is used when it appears`,
      });
    }
  }

  private flushed(done: () => boolean): Promise<void> {
    const { clock } = this.ports;
    const deadline = clock.now() + FLUSH_TIME;
    return new Promise((resolve) => {
      const look = (): void => {
        if (done() || clock.now() >= deadline) resolve();
        else clock.schedule(clock.now() + FLUSH_CHECK, look);
      };
      look();
    });
  }
}

function isEstablished(session: Neighbour): boolean {
  return session.isEstablished;
}
