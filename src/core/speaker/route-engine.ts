/**
 * From UPDATEs to forwarding and to the neighbours: adj-rib-in and Loc-RIB, then the FIB and the adj-rib-out groups, in slices
 * that let input and keepalives through. It joins the tables and decides nothing.
 */
import type { Fib } from '../fib/fib.js';
import type { FibNextHop } from '../fib/types.js';
import type { Family } from '../net/family.js';
import type { Prefix } from '../net/prefix.js';
import { originatedAttributes } from '../policy/dpf-policy.js';
import { SessionPolicies } from '../policy/session-policy.js';
import type { Clock } from '../ports/clock.js';
import { AdjRibOut } from '../rib/adj-rib-out.js';
import type { ExportSettings } from '../rib/adj-rib-out-types.js';
import { Rib } from '../rib/rib.js';
import { trafficShares } from '../rib/traffic-shares.js';
import type { PathView, PeerIndex, RibSink } from '../rib/types.js';
import type { DownReason, Negotiated } from '../session/types.js';
import type { MessageError } from '../wire/bgp/message.js';
import { identifiedPaths } from './add-path.js';
import { Announcements } from './announcements.js';
import { BackPressure } from './back-pressure.js';
import type { AdvertisedPrefix, SpeakerConfig } from './config.js';
import { fibNextHops } from './fib-next-hops.js';
import { ForwardingTiers } from './forwarding-tiers.js';
import { ForwardingWays } from './forwarding-ways.js';
import type { Neighbour, NeighbourPlace, SessionRoutes } from './neighbour.js';
import { neighbourPolicies } from './neighbour-policies.js';
import { receivedOptions } from './received-options.js';
import { BEGIN_OF_REFRESH, END_OF_REFRESH, RefreshAnswers } from './refresh-answers.js';
import type { Restarting } from './restart-capabilities.js';
import { SettlingNeighbours } from './settling-neighbours.js';
import type { SpeakerPorts } from './speaker-ports.js';
import { StalePaths } from './stale-paths.js';

/** Milliseconds of table work between two looks at the input. */
const SLICE = 5;

/** What says that a neighbour does not forward for us any more, in a session or between two. */
const ENDS: readonly DownReason['kind'][] = [
  'administrative',
  'prefix-limit',
  'link-down',
  'neighbour-expired',
  'bfd-down',
];

interface Session {
  readonly peer: PeerIndex;
  readonly negotiated: Negotiated;
  /** Families whose End-of-RIB has not come yet. */
  readonly awaited: Set<Family>;
  keepalives: number;
  /** Routes that it said and withdrew, as of the last read. */
  taken: number;
}

export class RouteEngine implements RibSink, SessionRoutes {
  readonly rib: Rib;
  readonly out: AdjRibOut;
  readonly announcements: Announcements;
  readonly stale: StalePaths;
  readonly settling: SettlingNeighbours;
  /** Routes are not selected: not yet, after a start that waits for its neighbours' (RFC 4724 section 4.1), or not any more, before one. */
  restarting: Restarting = false;
  /** What neighbours told at first is in use: one that comes up from here on was away. */
  hasConverged = false;
  private readonly clock: Clock;
  private readonly sessions = new Map<Neighbour, Session>();
  private readonly policies = new SessionPolicies();
  private readonly refreshes: RefreshAnswers;
  private readonly pressure: BackPressure;
  private readonly tiers: ForwardingTiers;
  private dead: PeerIndex[] = [];
  private scheduled = false;

  constructor(
    private readonly config: SpeakerConfig,
    private readonly ports: SpeakerPorts,
    private readonly fib: Fib,
    /** Called whenever all table work that was pending is done. */
    private readonly quiet: () => void,
  ) {
    this.clock = ports.clock;
    const { identifier, clusterId = identifier } = config;
    const identity = { identifier, clusterId };
    this.rib = new Rib({
      localAs: config.asn,
      ...identity,
      log: ports.log,
      reachability: ports.reachability,
      attributes: ports.attributes,
      // Not by `ports`, which are of other shapes in a rehearsal: what takes an UPDATE would be optimised twice.
      now: () => this.clock.now(),
      memory: ports.tableMemory,
    });
    this.pressure = new BackPressure(this.clock, () => fib.waiting);
    this.stale = new StalePaths({
      rib: this.rib,
      clock: this.clock,
      log: ports.log,
      changed: () => this.schedule(),
      dead: (peer) => {
        this.dead.push(peer);
        this.schedule();
      },
    });
    this.settling = new SettlingNeighbours({
      clock: this.clock,
      log: ports.log,
      gateways: ports.gateways,
      settled: (peer) => {
        this.rib.settled(peer);
        this.schedule();
      },
    });
    this.tiers = new ForwardingTiers(this.rib, fib, ({ primary, fallback }) => ({
      primary: this.nextHops(primary),
      fallback: this.nextHops(fallback),
    }));
    if (config.fib.install !== false) this.rib.addSink(this);
    this.out = new AdjRibOut(this.rib, {
      localAs: config.asn,
      clusterId,
      role: config.role,
      aigpOrigin: config.dpf.aigpOrigin,
      aigpStep: config.dpf.aigpStep,
      sessionColours: this.sessionColours,
      ...(config.nextNextHop && { nextNextHopIdentifier: config.identifier }),
      log: ports.log,
    });
    this.announcements = new Announcements({
      rib: this.rib,
      clock: this.clock,
      out: this.out,
      changed: () => this.schedule(),
    });
    this.rib.addSink(this.announcements);
    this.refreshes = new RefreshAnswers(this.out, this.clock, () => this.schedule());
  }

  private get sessionColours(): boolean {
    return this.config.dpf.mode === 'session';
  }

  /** No table work is pending. */
  get idle(): boolean {
    return !this.scheduled;
  }

  session(neighbour: Neighbour): Session | undefined {
    return this.sessions.get(neighbour);
  }

  /** Neighbours whose session is up and that have not sent all they had to send at first. */
  withoutEndOfRib(): Neighbour[] {
    // RFC 4724 section 4.1: neighbours that restart as well would wait for us.
    const isFirst = ({ negotiated }: Session) => this.restarting && negotiated.gracefulRestart?.restarted === true;
    const owes = (session: Session) => session.awaited.size > 0 && !isFirst(session);
    return [...this.sessions].flatMap(([neighbour, session]) => (owes(session) ? [neighbour] : []));
  }

  originate({ prefix, colour, backupColours }: AdvertisedPrefix): void {
    this.rib.originate(prefix, originatedAttributes(colour, this.sessionColours ? backupColours : []));
    this.schedule();
  }

  withdraw(prefix: Prefix): void {
    this.rib.withdrawLocal(prefix);
    this.schedule();
  }

  established(neighbour: Neighbour, negotiated: Negotiated): void {
    const { interfaceIndex, interfaceName, config, local, nextHops, configured } = neighbour.place;
    this.fib.neighbourBack(interfaceIndex, neighbour.address);
    const localAs = negotiated.localOpen.asn;
    const external = negotiated.remoteAs !== localAs;
    const aigp = config.aigp === 'internal' ? !external : config.aigp;
    const colour = config.colour === undefined ? {} : { colour: config.colour };
    const { importPolicy, exportPolicy, defaultRoute } = neighbourPolicies(this.policies, neighbour, localAs);
    // An IPv4 session has an IPv4 next hop at hand; one over IPv6 needs it where RFC 8950 was not agreed.
    const plain = local.length === 4 || !negotiated.extendedNextHop.includes('ipv4-unicast');
    const info = {
      name: neighbour.name,
      address: neighbour.address,
      localAddress: local,
      interfaceIndex,
      interfaceName,
      byAddress: configured !== undefined,
      nextHops: whereNextHopsAre(neighbour.place, external),
      asn: negotiated.remoteAs,
      identifier: negotiated.remoteIdentifier,
      external,
      families: negotiated.families,
      sessionColours: this.sessionColours,
      context: {
        fourOctetAs: negotiated.fourOctetAs,
        addPath: negotiated.addPathReceive,
        externalPeer: external,
        aigp,
        asSets: this.config.acceptAsSets === true,
      },
      ...colour,
      importPolicy,
      options: receivedOptions(config),
    };
    const kept = this.stale.resume(neighbour, negotiated, info);
    const peer = kept ?? this.rib.addPeer(info);
    const awaited = new Set(negotiated.families);
    const session = { peer, negotiated, awaited, keepalives: 0, taken: this.routesSaid(peer) };
    this.sessions.set(neighbour, session);
    if (this.wasAway(session, kept !== undefined)) {
      this.rib.settling(peer);
      this.settling.begin(neighbour, session);
    }
    this.out.join({
      peer,
      external,
      byAddress: configured !== undefined,
      remoteAs: negotiated.remoteAs,
      options: config.options,
      defaultRoute,
      nextHop: nextHops.ipv6 ?? {},
      ...(plain && nextHops.ipv4 && { ipv4NextHop: nextHops.ipv4 }),
      capabilities: negotiated,
      sendColour: config.sendColour,
      aigp,
      ...this.bandwidthOf(neighbour.place),
      takesLongLivedStale: takesLongLivedStale(negotiated),
      exportPolicy,
      addPath: identifiedPaths(negotiated, config.addPath),
      send: (bytes) => neighbour.send(bytes),
      ...colour,
    });
    this.schedule();
  }

  /** It may not forward yet: no paths of it were kept, or it did not keep its own forwarding meanwhile (RFC 4724 section 4.2). */
  private wasAway({ peer, negotiated }: Session, kept: boolean): boolean {
    if (this.rib.isSettling(peer)) return true;
    const { families, gracefulRestart } = negotiated;
    const forwarded = kept && families.every((family) => gracefulRestart?.preserved.includes(family));
    return this.hasConverged && !forwarded;
  }

  /** Neighbours have other policies from now on: what they sent is judged again, and they are told the difference, in slices. */
  policiesChanged(neighbours: readonly Neighbour[]): void {
    const exported = new Map<PeerIndex, ExportSettings>();
    for (const neighbour of neighbours) {
      const session = this.sessions.get(neighbour);
      if (!session) continue;
      const { config } = neighbour.place;
      const localAs = session.negotiated.localOpen.asn;
      const { importPolicy, exportPolicy, defaultRoute } = neighbourPolicies(this.policies, neighbour, localAs);
      this.rib.reevaluate(session.peer, { importPolicy, options: receivedOptions(config) });
      exported.set(session.peer, { exportPolicy, options: config.options, defaultRoute });
      this.settling.look(neighbour);
    }
    this.out.changeSessions(exported);
    this.schedule();
  }

  /** The host may reach next hops otherwise than before. */
  reachabilityChanged(): void {
    this.rib.reachabilityChanged();
    this.schedule();
  }

  update(neighbour: Neighbour, body: Uint8Array): MessageError | undefined {
    const session = this.sessions.get(neighbour);
    if (!session) return undefined;
    const result = this.rib.receiveUpdate(session.peer, body);
    this.schedule();
    if (result?.kind === 'end-of-rib') {
      session.awaited.delete(result.family);
      this.stale.end(session.peer, result.family);
      this.settling.look(neighbour);
    }
    return result?.kind === 'error' ? result : undefined;
  }

  hasRead(neighbour: Neighbour): void {
    const session = this.sessions.get(neighbour);
    if (!session) return;
    const routes = this.routesSaid(session.peer) - session.taken;
    session.taken += routes;
    this.pressure.hasRead(neighbour, routes);
  }

  /** Announced and withdrawn, ever. */
  private routesSaid(peer: PeerIndex): number {
    const { announced, withdrawn } = this.rib.counters(peer);
    return announced + withdrawn;
  }

  prefixCount(neighbour: Neighbour, family: Family): number {
    const session = this.sessions.get(neighbour);
    return session ? this.rib.prefixCount(session.peer, family) : 0;
  }

  /**
   * A peer without graceful restart owes us no End-of-RIB (RFC 4724 section 3). RFC 4271 lets a KEEPALIVE out only when there
   * was nothing else to send for a while, so the one after that which confirmed the session says that the first table is through.
   */
  alive(neighbour: Neighbour): void {
    const session = this.sessions.get(neighbour);
    if (!session || session.negotiated.gracefulRestart || session.awaited.size === 0 || ++session.keepalives < 2)
      return;
    session.awaited.clear();
    this.settling.look(neighbour);
    this.schedule();
  }

  refresh(neighbour: Neighbour, family: Family, subtype: number): void {
    const session = this.sessions.get(neighbour);
    if (!session) return;
    if (subtype === BEGIN_OF_REFRESH) this.stale.beginRefresh(session.peer, family);
    else if (subtype === END_OF_REFRESH) this.stale.end(session.peer, family);
    else this.sendAgain(neighbour, session, family);
    this.schedule();
  }

  /** RFC 2918 asks for one family; a table sent whole answers it as well. */
  private sendAgain(neighbour: Neighbour, session: Session, family: Family): void {
    const { peer, negotiated } = session;
    const answered = {
      peer,
      enhanced: negotiated.enhancedRouteRefresh,
      send: (message: Uint8Array) => void neighbour.send(message),
      isUp: () => this.sessions.get(neighbour) === session,
    };
    this.refreshes.answer(session, answered, family);
  }

  writable(neighbour: Neighbour): void {
    const session = this.sessions.get(neighbour);
    if (!session) return;
    this.out.resume(session.peer);
    this.schedule();
  }

  /** Peers that die in one go are walked out of the RIB together, in the next slice. */
  down(neighbour: Neighbour, _wasEstablished: boolean, reason: DownReason): void {
    if (ENDS.includes(reason.kind) && this.stale.drop(neighbour)) this.forwardElsewhere(neighbour, reason);
    const session = this.sessions.get(neighbour);
    if (!session) return;
    this.sessions.delete(neighbour);
    this.pressure.forget(neighbour);
    this.settling.forget(neighbour);
    this.refreshes.forget(session);
    this.out.leave(session.peer);
    if (!this.stale.retain(neighbour, session, reason)) {
      this.dead.push(session.peer);
      this.forwardElsewhere(neighbour, reason);
    }
    this.schedule();
  }

  /** Before the tables are asked: behind a link that is up nothing else stops the kernel from sending into the void. */
  private forwardElsewhere({ place, address }: Neighbour, { kind }: DownReason): void {
    if (kind !== 'link-down' && !this.restarting) this.fib.neighbourFailed(place.interfaceIndex, address);
  }

  prefixesChanged(ids: Uint32Array, count: number): void {
    const ways = new ForwardingWays(this.rib, (id) => this.tiers.wayOf(id));
    for (let i = 0; i < count; i++) {
      const id = ids[i]!;
      if (!this.fib.wantSame(this.rib.prefixes, id, ways.of(id))) this.announcements.wait(id);
    }
  }

  /** Routes are selected, told and forwarded from here on. */
  restartEnded(): void {
    this.restarting = false;
    this.schedule();
  }

  /** What the session tells of its link; with `auto`, nothing while the kernel does not know the speed. */
  private bandwidthOf({ interfaceName, config }: NeighbourPlace): { readonly linkBandwidth?: number } {
    const { linkBandwidth } = config;
    const bandwidth = linkBandwidth === 'auto' ? this.ports.links.readSpeed(interfaceName) : linkBandwidth;
    return bandwidth === undefined ? {} : { linkBandwidth: bandwidth };
  }

  private nextHops(paths: readonly PathView[]): FibNextHop[] {
    return fibNextHops(paths, this.config.useLinkBandwidth === false ? undefined : trafficShares(paths));
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.clock.yield(() => this.slice());
  }

  private slice(): void {
    this.scheduled = false;
    if (this.dead.length > 0) {
      this.rib.removePeers(this.dead);
      this.dead = [];
    }
    if (this.restarting) return this.quiet();
    const end = this.clock.now() + SLICE;
    const spent = (): boolean => this.clock.now() >= end;
    const undecided = this.rib.decide(spent);
    // What the kernel is to do comes before what neighbours are told of it: packets are lost meanwhile.
    const isHeld = this.fib.moreToCome(undecided);
    this.announcements.limit();
    if (!undecided) this.fib.tablesFollowed();
    const unsent = isHeld || this.out.pump(spent);
    if (undecided || unsent) this.schedule();
    else this.quiet();
  }
}

/** RFC 4271 section 5.1.3: an internal neighbour passes on next hops as they are, one that is some hops away has its own elsewhere. */
function whereNextHopsAre({ configured, hops }: NeighbourPlace, external: boolean): 'link' | 'subnet' | 'anywhere' {
  if (!configured) return 'link';
  return external && hops === undefined ? 'subnet' : 'anywhere';
}

/** RFC 9494 section 4.3: only to those that know what the community means. */
function takesLongLivedStale({ gracefulRestart, families }: Negotiated): boolean {
  return families.every((family) => gracefulRestart?.longLived.has(family));
}
