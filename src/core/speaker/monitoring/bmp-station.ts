/**
 * One monitoring station (RFC 7854): tells it of every session, of the routes that came over it (Adj-RIB-In before policy), of those
 * chosen (Loc-RIB, RFC 9069), and of those that could go out and do (Adj-RIB-Out before and after policy, RFC 8671). Routes are always read from the RIB at the moment they are sent, so that a walk through
 * the whole table and changes meanwhile need no order; work runs in slices and stops while the station does not take more.
 *
 *   connected     Initiation, Peer Up of each session and of the Loc-RIB; then the tables, slice by slice; End-of-RIB of each
 *   established   Peer Up;  UPDATE taken in -> the same routes as the RIB now has them;  down -> Peer Down
 *   sent          the same UPDATE, as Adj-RIB-Out
 *   selections    noted, and sent when the station has room: a prefix that changed twice is told once
 */
import { familyOfAddress } from '../../net/family.js';
import type { AdjRibOut } from '../../rib/adj-rib-out.js';
import type { Rib } from '../../rib/rib.js';
import type { ExplainedPath, PeerIndex, PrefixId, RibSink } from '../../rib/types.js';
import type { DownReason, Negotiated } from '../../session/types.js';
import { MESSAGE_TYPE } from '../../wire/bgp/message.js';
import { encodeEndOfRib } from '../../wire/bgp/update-encoder.js';
import {
  type BmpPeer,
  encodeInitiation,
  encodePeerDown,
  encodePeerUp,
  encodeRouteMonitoring,
  encodeStatistics,
  encodeTermination,
  STATISTIC,
} from '../../wire/bmp/bmp-message.js';
import type { SpeakerConfig } from '../config.js';
import type { SessionWatcher, WatchedSession } from '../session-watcher.js';
import { BmpLink, type BmpLinkPorts } from './bmp-link.js';
import { type MonitoredPeer, monitoredLocRib, monitoredSession, peerDown } from './bmp-session.js';
import { RouteMessages } from './route-messages.js';
import { UpdateRoutes } from './update-routes.js';

/** Milliseconds of work between two looks at the input. */
const SLICE = 5;
/** Prefixes between two looks at the clock. */
const PREFIXES = 64;

/** Place of the type in a message. */
const TYPE_OFFSET = 18;

export type MonitoredTable = BmpPeer['kind'];

export interface MonitoredTables {
  readonly rib: Rib;
  readonly out: AdjRibOut;
}

export interface BmpStationConfig {
  readonly host: string;
  readonly port: number;
  readonly routes: readonly MonitoredTable[];
  /** Seconds between statistics; 0 for none. */
  readonly statistics: number;
}

export interface BmpPorts extends BmpLinkPorts {
  /** Microseconds since 1970. */
  readonly now: () => number;
  /** What runs here, for sysDescr. */
  readonly description: string;
}

interface Monitored extends MonitoredPeer {
  /** Undefined for the Loc-RIB. */
  readonly index: PeerIndex | undefined;
  readonly routes: RouteMessages;
  /** Adj-RIB-Out before policy. */
  readonly candidates: RouteMessages;
}

export class BmpStation implements SessionWatcher, RibSink {
  readonly link: BmpLink;
  private rib!: Rib;
  private out!: AdjRibOut;
  private router!: SpeakerConfig;
  private locRib: Monitored | undefined;
  private readonly sessions = new Map<WatchedSession, Monitored>();
  private readonly reader = new UpdateRoutes();
  /** Selections to tell, each held in the RIB; a Set keeps their order. */
  private readonly changed = new Set<PrefixId>();
  private walk: Iterator<void> | undefined;
  /** What is chosen already, for sessions that came up meanwhile. */
  private newcomers: Iterator<void>[] = [];
  private scheduled = false;
  private cancelStatistics: () => void = () => {};

  constructor(
    readonly config: BmpStationConfig,
    private readonly ports: BmpPorts,
  ) {
    this.link = new BmpLink(config, ports, {
      connected: () => this.connected(),
      drained: () => this.schedule(),
      lost: () => this.lost(),
    });
  }

  start(router: SpeakerConfig, { rib, out }: MonitoredTables): void {
    this.rib = rib;
    this.out = out;
    this.router = router;
    if (this.wants('loc-rib')) this.locRib = this.monitored(monitoredLocRib(router), undefined);
    if (this.locRib || this.wants('adj-rib-out-pre-policy')) rib.addSink(this);
    this.link.start();
  }

  stop(): void {
    this.cancelStatistics();
    this.lost();
    this.link.stop(encodeTermination());
  }

  established(session: WatchedSession, negotiated: Negotiated): void {
    const index = [...this.rib.peers()].find((peer) => this.rib.peer(peer)?.name === session.name);
    if (index === undefined) return;
    const monitored = this.monitored(monitoredSession(session, negotiated), index);
    this.sessions.set(session, monitored);
    this.sendUp(monitored);
    if (!this.link.up || !this.wants('adj-rib-out-pre-policy')) return;
    this.newcomers.push(this.candidatesFor(session, monitored));
    this.schedule();
  }

  down(session: WatchedSession, reason: DownReason): void {
    const monitored = this.sessions.get(session);
    this.sessions.delete(session);
    if (monitored) this.link.send(encodePeerDown(monitored.peer, this.ports.now(), peerDown(session, reason)));
  }

  updated(session: WatchedSession, body: Uint8Array): void {
    const monitored = this.sessions.get(session);
    if (!monitored || !this.link.up || !this.wants('adj-rib-in')) return;
    const info = this.rib.peer(monitored.index!);
    if (!info) return;
    const complete = this.reader.read(body, info.context, (prefix, pathId) => {
      const id = this.rib.find(prefix);
      const path = id === undefined ? undefined : this.pathsOf(id, monitored).find((of) => of.pathId === pathId);
      monitored.routes.add(prefix, pathId, path?.attributes);
    });
    monitored.routes.flush();
    // While the tables are under way the walk ends with it.
    if (complete && !this.walk) this.sendRoutes(monitored, encodeEndOfRib(complete));
  }

  sent(session: WatchedSession, message: Uint8Array): void {
    const monitored = this.sessions.get(session);
    if (!monitored || !this.link.up || !this.wants('adj-rib-out')) return;
    if (message[TYPE_OFFSET] === MESSAGE_TYPE.update) this.sendRoutes(monitored, message, 'adj-rib-out');
  }

  prefixesChanged(ids: Uint32Array, count: number): void {
    if (!this.link.up) return;
    for (let i = 0; i < count; i++) {
      const id = ids[i]!;
      if (this.changed.has(id)) continue;
      this.rib.hold(id);
      this.changed.add(id);
    }
    this.schedule();
  }

  private wants(table: MonitoredTable): boolean {
    return this.config.routes.includes(table);
  }

  private monitored(peer: MonitoredPeer, index: PeerIndex | undefined): Monitored {
    const monitored: Monitored = {
      ...peer,
      index,
      routes: new RouteMessages(peer.form, (update) => this.sendRoutes(monitored, update)),
      candidates: new RouteMessages(peer.outForm, (update) =>
        this.sendRoutes(monitored, update, 'adj-rib-out-pre-policy'),
      ),
    };
    return monitored;
  }

  private connected(): void {
    const { name } = this.router;
    this.link.send(encodeInitiation({ name, description: this.ports.description }));
    for (const monitored of this.everybody()) this.sendUp(monitored);
    this.walk = this.tables();
    this.scheduleStatistics();
    this.schedule();
  }

  private lost(): void {
    this.cancelStatistics();
    this.walk = undefined;
    this.newcomers = [];
    for (const id of this.changed) this.rib.release(id);
    this.changed.clear();
  }

  private everybody(): Monitored[] {
    return [...this.sessions.values(), ...(this.locRib ? [this.locRib] : [])];
  }

  private sendUp({ peer, up }: Monitored): void {
    this.link.send(encodePeerUp(peer, this.ports.now(), up));
  }

  private sendRoutes({ peer }: Monitored, update: Uint8Array, kind = peer.kind): void {
    this.link.send(encodeRouteMonitoring({ ...peer, kind }, this.ports.now(), update));
  }

  private schedule(): void {
    if (this.scheduled || !this.link.up) return;
    this.scheduled = true;
    this.ports.clock.yield(() => this.slice());
  }

  private slice(): void {
    this.scheduled = false;
    const end = this.ports.clock.now() + SLICE;
    do {
      if (!this.link.free) return;
      if (this.changed.size > 0) this.sendChanged();
      else if (!this.walkOn()) return;
    } while (this.ports.clock.now() < end);
    this.schedule();
  }

  /** False when all is told. */
  private walkOn(): boolean {
    const [newcomer] = this.newcomers;
    if (this.walk) {
      if (this.walk.next().done) this.walk = undefined;
    } else if (!newcomer) return false;
    else if (newcomer.next().done) this.newcomers.shift();
    return true;
  }

  private sendChanged(): void {
    const ids: PrefixId[] = [];
    for (const id of this.changed) if (ids.push(id) === PREFIXES) break;
    // First of all: sending may find the link lost, which lets go of all that is still noted.
    for (const id of ids) this.changed.delete(id);
    for (const id of ids) {
      this.addSelection(id);
      this.addCandidates(id, true);
    }
    this.flushAll();
    for (const id of ids) this.rib.release(id);
  }

  private addSelection(id: PrefixId): void {
    if (!this.locRib) return;
    const { prefix, best } = this.rib.selection(id);
    this.locRib.routes.add(prefix, 0, best?.attributes);
  }

  /** What is chosen, to every session but that which it came from; where that is nothing, a withdrawal if it is asked for. */
  private addCandidates(id: PrefixId, withdraw: boolean): void {
    if (!this.wants('adj-rib-out-pre-policy')) return;
    for (const monitored of this.sessions.values()) this.addCandidate(id, monitored, withdraw);
  }

  private addCandidate(id: PrefixId, { index, families, candidates }: Monitored, withdraw: boolean): void {
    const { prefix, best } = this.rib.selection(id);
    const attributes = best?.peer === index ? undefined : best?.attributes;
    if (!families.includes(familyOfAddress(prefix.address)) || !(attributes || withdraw)) return;
    candidates.add(prefix, 0, attributes);
  }

  private *candidatesFor(session: WatchedSession, monitored: Monitored): Generator<void> {
    let left = PREFIXES;
    for (const id of this.rib.prefixIds()) {
      this.addCandidate(id, monitored, false);
      if (--left > 0) continue;
      monitored.candidates.flush();
      yield;
      if (this.sessions.get(session) !== monitored) return;
      left = PREFIXES;
    }
    monitored.candidates.flush();
    for (const family of monitored.families) {
      this.sendRoutes(monitored, encodeEndOfRib(family), 'adj-rib-out-pre-policy');
    }
  }

  /** Everything that is in the tables; nothing is left half-said between two steps. */
  private *tables(): Generator<void> {
    let left = PREFIXES;
    for (const id of this.rib.prefixIds()) {
      this.addTables(id);
      if (--left > 0) continue;
      this.flushAll();
      yield;
      left = PREFIXES;
    }
    this.flushAll();
    for (const monitored of this.everybody()) yield* this.toldTable(monitored);
    for (const monitored of this.everybody()) this.endTables(monitored);
  }

  private *toldTable(monitored: Monitored): Generator<void> {
    if (monitored.index === undefined || !this.wants('adj-rib-out')) return;
    for (const updates of this.out.told(monitored.index)) {
      for (const update of updates) this.sendRoutes(monitored, update, 'adj-rib-out');
      yield;
    }
  }

  private endTables(monitored: Monitored): void {
    const kinds: readonly MonitoredTable[] =
      monitored.index === undefined ? ['loc-rib'] : ['adj-rib-in', 'adj-rib-out-pre-policy', 'adj-rib-out'];
    for (const kind of kinds.filter((table) => this.wants(table))) {
      for (const family of monitored.families) this.sendRoutes(monitored, encodeEndOfRib(family), kind);
    }
  }

  private addTables(id: PrefixId): void {
    const prefix = this.rib.prefixOf(id);
    if (this.wants('adj-rib-in')) {
      for (const monitored of this.sessions.values()) {
        for (const path of this.pathsOf(id, monitored)) monitored.routes.add(prefix, path.pathId, path.attributes);
      }
    }
    if (this.locRib && this.rib.selection(id).best) this.addSelection(id);
    this.addCandidates(id, false);
  }

  private flushAll(): void {
    for (const { routes, candidates } of this.everybody()) {
      routes.flush();
      candidates.flush();
    }
  }

  private pathsOf(id: PrefixId, { index }: Monitored): readonly ExplainedPath[] {
    return this.rib.explain(id).paths.filter(({ peer }) => peer === index);
  }

  private scheduleStatistics(): void {
    const { clock } = this.ports;
    const { statistics } = this.config;
    if (statistics === 0) return;
    this.cancelStatistics = clock.schedule(clock.now() + statistics * 1000, () => {
      for (const monitored of this.everybody()) this.sendStatistics(monitored);
      this.scheduleStatistics();
    });
  }

  private sendStatistics({ peer, index }: Monitored): void {
    const gauges =
      index === undefined
        ? [{ type: STATISTIC.locRib, value: this.rib.totals().prefixes }]
        : [
            { type: STATISTIC.adjRibIn, value: this.rib.counters(index).paths },
            ...(this.wants('adj-rib-out')
              ? [{ type: STATISTIC.adjRibOut, value: this.out.counters(index).advertised }]
              : []),
          ];
    this.link.send(encodeStatistics(peer, this.ports.now(), gauges));
  }
}
