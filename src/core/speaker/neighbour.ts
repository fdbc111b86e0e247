/**
 * One neighbour, found on a fabric interface or configured by its address: runs the peer arbiter (core/session) over real streams and
 * timers, and hands UPDATEs to the routes. It decides nothing that the machines or the RIB decide.
 */
import { type Address, compareBytes } from '../net/address.js';
import { AFI, type Family, SAFI_UNICAST } from '../net/family.js';
import type { Stream } from '../ports/transport.js';
import { createPeer, isEstablished, type PeerState, stepPeer, summarize } from '../session/peer.js';
import type {
  ConnectionId,
  DownReason,
  Negotiated,
  PeerConfig,
  PeerInput,
  PeerOutput,
  PeerSummary,
  PeerTimer,
  StopReason,
} from '../session/types.js';
import { type ControlMessage, MESSAGE_TYPE, type MessageError } from '../wire/bgp/message.js';
import { decodeNotification } from '../wire/bgp/notification.js';
import { decodeOpen } from '../wire/bgp/open.js';
import { decodeRouteRefresh, encodeRouteRefresh } from '../wire/bgp/route-refresh.js';
import { offeredCapabilities } from './capabilities.js';
import type { NeighbourConfig, SessionConfig, SpeakerConfig, TimerConfig } from './config.js';
import { Connection, type MessageCounters } from './connection.js';
import { Deadline } from './deadline.js';
import type { OwnNextHops } from './local-end.js';
import { NeighbourBfd } from './neighbour-bfd.js';
import { type NeighbourHistory, withHistory } from './neighbour-history.js';
import type { Restarting } from './restart-capabilities.js';
import type { SessionWatcher } from './session-watcher.js';
import type { SpeakerPorts } from './speaker-ports.js';

/** Milliseconds by which the end with the lower address lets the other one connect first, so that collisions are rare. */
const LOWER_ADDRESS_DELAY = 300;
/** Two are a collision, a few more are old ones being closed; more are somebody using up our descriptors. */
const MAX_CONNECTIONS = 8;

/** Where a session's routes go; the speaker implements it. */
export interface SessionRoutes {
  established(neighbour: Neighbour, negotiated: Negotiated): void;
  /** The RIB's verdict on one UPDATE: an error ends the session (RFC 7606 section 2, session reset). */
  update(neighbour: Neighbour, body: Uint8Array): MessageError | undefined;
  /** A ROUTE-REFRESH: 0 asks, 1 begins and 2 ends what the neighbour sends again (RFC 7313). */
  refresh(neighbour: Neighbour, family: Family, subtype: number): void;
  /** A KEEPALIVE on the established session. */
  alive(neighbour: Neighbour): void;
  writable(neighbour: Neighbour): void;
  /** All messages of one read of the established session have been handed over. */
  hasRead(neighbour: Neighbour): void;
  /** No connection is left; there was a session if `wasEstablished`. */
  down(neighbour: Neighbour, wasEstablished: boolean, reason: DownReason): void;
  /** What OPENs are to say of ourselves. */
  readonly restarting: Restarting;
}

export interface NeighbourPlace {
  /** As in `show neighbors`: its address, and its interface where that tells it from others. */
  readonly name: string;
  readonly config: SessionConfig;
  /** Its entry in the configuration; absent when it was found on a fabric interface, whose role in DPF says what it is told. */
  readonly configured?: NeighbourConfig;
  /** 0 and empty when it is some hops away. */
  readonly interfaceIndex: number;
  readonly interfaceName: string;
  readonly local: Address;
  /** What routes told to it have as next hop. */
  readonly nextHops: OwnNextHops;
  readonly families: readonly Family[];
  readonly timers: TimerConfig;
  /** Of its TCP. */
  readonly port: number;
  /** Hops that it may be away; absent on a link of ours. */
  readonly hops?: number;
  /** We wait for it to connect. */
  readonly passive: boolean;
  /** The neighbour became known by connecting to us. */
  readonly connecting: boolean;
  /** Of earlier sessions, before the link went away. */
  readonly history?: NeighbourHistory;
}

export class Neighbour {
  readonly counters = { sent: noMessages(), received: noMessages() };
  /** Clock milliseconds of the last change to and from Established. */
  changedAt: number;
  private downAt: number | undefined;
  readonly createdAt: number;
  readonly bfd: NeighbourBfd | undefined;
  private peer: PeerState;
  private readonly connections = new Map<ConnectionId, Connection>();
  private readonly attempts = new Map<ConnectionId, AbortController>();
  private readonly timers = new Map<string, Deadline>();
  private nextIncoming = 1;
  private established: ConnectionId | undefined;
  private current: Connection | undefined;
  private updateSeen = false;

  constructor(
    private readonly speaker: SpeakerConfig,
    private readonly ports: SpeakerPorts,
    private readonly routes: SessionRoutes,
    public place: NeighbourPlace,
    readonly address: Address,
  ) {
    this.createdAt = ports.clock.now();
    this.changedAt = this.createdAt;
    this.peer = createPeer(peerConfig(speaker, { place, remote: address, restarting: routes.restarting }));
    this.bfd = this.bfdBeside();
  }

  get name(): string {
    return this.place.name;
  }

  summary(): PeerSummary {
    return withHistory(summarize(this.peer), this.place.history);
  }

  get isEstablished(): boolean {
    return isEstablished(this.peer);
  }

  /** Clock milliseconds of the last down in the summary; `undefined` when there was none. */
  get lastDownAt(): number | undefined {
    return this.downAt ?? this.place.history?.lastDownAt;
  }

  start(): void {
    this.bfd?.start();
    this.input({ kind: 'started' });
  }

  stop(reason: StopReason): void {
    this.input({ kind: 'stopped', reason });
    this.bfd?.stop();
  }

  /** Its place has another configuration that leaves the session as it is. */
  configChanged(): void {
    const { bfd } = this.place.config;
    if (bfd) this.bfd?.change(bfd);
  }

  /** For the sessions after this one. */
  timersChanged({ hold, connectRetry, sendHold }: TimerConfig): void {
    const times = { holdTime: hold, connectRetryTime: connectRetry, sendHoldTime: sendHold };
    this.peer = { ...this.peer, config: { ...this.peer.config, ...times } };
  }

  /** For the sessions after this one. */
  familiesChanged(families: readonly Family[]): void {
    const capabilities = offeredCapabilities(this.speaker, this.place, this.routes.restarting);
    this.peer = { ...this.peer, config: { ...this.peer.config, families, capabilities } };
  }

  /** Our own restart is over: OPENs from now on do not speak of it. */
  restartEnded(): void {
    const capabilities = offeredCapabilities(this.speaker, this.place, false);
    this.input({ kind: 'configured', config: { ...this.peer.config, capabilities } });
  }

  /** RFC 2918: asks for the routes of every family again; false when the neighbour cannot be asked. */
  requestRefresh(): boolean {
    const { negotiated } = this.summary();
    if (!negotiated?.routeRefresh) return false;
    for (const family of negotiated.families)
      this.send(encodeRouteRefresh({ afi: AFI[family], safi: SAFI_UNICAST, subtype: 0 }));
    return true;
  }

  /** A connection that this neighbour opened to us. Even one that is refused with a NOTIFICATION lives until that is flushed. */
  accept(stream: Stream): void {
    if (this.connections.size >= MAX_CONNECTIONS) return stream.destroy();
    this.adopt(stream, { kind: 'incoming', connection: -this.nextIncoming++ });
  }

  /** Sends a message on the established connection; false when the caller should wait for `writable`. */
  send(message: Uint8Array): boolean {
    const connection = this.established === undefined ? undefined : this.connections.get(this.established);
    if (!connection) return false;
    for (const watcher of this.watchers) watcher.sent?.(this, message);
    const free = connection.send(message);
    if (!free) this.input({ kind: 'write-blocked', connection: this.established! });
    return free;
  }

  /** The connection of the session that is up, or was last. */
  get sessionConnection(): Connection | undefined {
    return this.current;
  }

  private get watchers(): readonly SessionWatcher[] {
    return this.ports.watchers ?? [];
  }

  /** With which the neighbour's first octets came; `undefined` without a session, and where nobody can tell. */
  get hopLimit(): number | undefined {
    return this.established === undefined ? undefined : this.connections.get(this.established)?.hopLimit;
  }

  /** Clock milliseconds of the next attempt to connect; `undefined` when none is due. */
  get retryAt(): number | undefined {
    return this.timers.get('connect-retry')?.deadline;
  }

  /** Streams that are not closed yet. */
  get openConnections(): number {
    return this.connections.size;
  }

  private bfdBeside(): NeighbourBfd | undefined {
    const { config, interfaceName, interfaceIndex, local } = this.place;
    if (!config.bfd) return undefined;
    const target = { interfaceName, interfaceIndex, local, remote: this.address };
    return new NeighbourBfd(config.bfd, this.ports, { name: this.name, target, input: (input) => this.input(input) });
  }

  private input(input: PeerInput): void {
    const { clock, random } = this.ports;
    const { state, outputs } = stepPeer(this.peer, input, { now: clock.now(), random });
    this.peer = state;
    for (const output of outputs) this.perform(output);
  }

  private perform(output: PeerOutput): void {
    switch (output.kind) {
      case 'open-connection':
        return this.connect(output.connection);
      case 'close-connection':
        return this.closeConnection(output.connection, (connection) => connection.close());
      case 'abort-connection':
        return this.closeConnection(output.connection, (connection) => connection.abort());
      case 'send':
        return this.sendOn(output.connection, output.bytes);
      case 'arm-timer':
        return this.timer(output.timer).arm(output.at);
      case 'cancel-timer':
        return this.timers.get(timerKey(output.timer))?.cancel();
      case 'established':
        return this.up(output.connection, output.negotiated);
      case 'down':
        return this.down(output.wasEstablished, output.reason);
      case 'refresh-requested':
        return this.routes.refresh(this, output.family, output.subtype);
      case 'log':
        return this.ports.log.write({
          level: output.level,
          topic: 'session',
          message: output.message,
          fields: { neighbour: this.name },
        });
      case 'state-changed':
        for (const watcher of this.watchers) watcher.stateChanged?.(this, output.from, output.to);
        return this.ports.log.write({
          level: 'debug',
          topic: 'session',
          message: `${output.from} -> ${output.to}`,
          fields: { neighbour: this.name },
        });
    }
  }

  private connect(id: ConnectionId): void {
    const attempt = new AbortController();
    this.attempts.set(id, attempt);
    const { interfaceName, local, port } = this.place;
    const target = { interfaceName, local, remote: this.address, port };
    this.ports.transport.connect(target, attempt.signal).then(
      (stream) => {
        if (!this.attempts.delete(id)) return stream.destroy();
        this.adopt(stream, { kind: 'connected', connection: id });
      },
      (error: unknown) => {
        if (!this.attempts.delete(id)) return;
        const reason = error instanceof Error ? error.message : String(error);
        this.input({ kind: 'connect-failed', connection: id, reason });
      },
    );
  }

  /** The machine hears of the connection before of what came over it. */
  private adopt(stream: Stream, input: Extract<PeerInput, { kind: 'incoming' | 'connected' }>): void {
    const id = input.connection;
    const connection = new Connection(stream, this.counters, {
      message: (type, body) => this.receive(id, type, body),
      fault: (error) => this.input({ kind: 'fault', connection: id, error }),
      readCompleted: () => this.readCompleted(id),
      drained: () => this.drained(id),
      closed: (reason) => {
        this.connections.delete(id);
        this.input({ kind: 'disconnected', connection: id, reason });
        this.forgetTimers(id);
      },
    });
    this.connections.set(id, connection);
    this.input(input);
    connection.start();
  }

  private closeConnection(id: ConnectionId, close: (connection: Connection) => void): void {
    const attempt = this.attempts.get(id);
    this.attempts.delete(id);
    attempt?.abort();
    const connection = this.connections.get(id);
    if (connection) close(connection);
  }

  private sendOn(id: ConnectionId, bytes: Uint8Array): void {
    const connection = this.connections.get(id);
    if (connection && !connection.send(bytes)) this.input({ kind: 'write-blocked', connection: id });
  }

  private receive(id: ConnectionId, type: number, body: Uint8Array): void {
    for (const watcher of this.watchers) watcher.received?.(this, type, body);
    if (type === MESSAGE_TYPE.update) return this.receiveUpdate(id, body);
    const message = decodeControl(type, body, type === MESSAGE_TYPE.routeRefresh && this.isEnhanced(id));
    if (!message) return;
    if (message.kind === 'error') this.input({ kind: 'fault', connection: id, error: message });
    else this.input({ kind: 'message', connection: id, message });
    if (type === MESSAGE_TYPE.keepalive && this.established === id) this.routes.alive(this);
  }

  /** Route refresh is, on a connection (RFC 7313). */
  private isEnhanced(id: ConnectionId): boolean {
    return this.established === id && this.summary().negotiated?.enhancedRouteRefresh === true;
  }

  /** One `update` input per read, not per message: the hold timer needs no more. */
  private receiveUpdate(id: ConnectionId, body: Uint8Array): void {
    if (this.established !== id) return this.input({ kind: 'update', connection: id });
    this.updateSeen = true;
    const error = this.routes.update(this, body);
    if (error) this.input({ kind: 'fault', connection: id, error });
    else for (const watcher of this.watchers) watcher.updated?.(this, body);
  }

  private readCompleted(id: ConnectionId): void {
    if (!this.updateSeen) return;
    this.updateSeen = false;
    this.input({ kind: 'update', connection: id });
    if (this.established === id) this.routes.hasRead(this);
  }

  pauseReading(): void {
    this.current?.stream.pause();
  }

  resumeReading(): void {
    this.current?.stream.resume();
  }

  private drained(id: ConnectionId): void {
    this.input({ kind: 'write-progressed', connection: id });
    if (this.established === id) this.routes.writable(this);
  }

  private up(id: ConnectionId, negotiated: Negotiated): void {
    this.established = id;
    this.changedAt = this.ports.clock.now();
    if (negotiated.extendedMessage) this.connections.get(id)?.extendMessages();
    this.current = this.connections.get(id);
    this.routes.established(this, negotiated);
    for (const watcher of this.watchers) watcher.established?.(this, negotiated);
  }

  private down(wasEstablished: boolean, reason: DownReason): void {
    this.established = undefined;
    this.downAt = this.ports.clock.now();
    if (wasEstablished) {
      this.changedAt = this.ports.clock.now();
      for (const watcher of this.watchers) watcher.down?.(this, reason);
    }
    this.routes.down(this, wasEstablished, reason);
  }

  private timer(timer: PeerTimer): Deadline {
    const key = timerKey(timer);
    let deadline = this.timers.get(key);
    if (!deadline) {
      deadline = new Deadline(this.ports.clock, (at) => this.expired(timer, at));
      this.timers.set(key, deadline);
    }
    return deadline;
  }

  private keepaliveDue(at: number): void {
    const late = this.ports.clock.now() - at;
    for (const watcher of this.watchers) watcher.keepaliveDue?.(this, late);
  }

  private forgetTimers(id: ConnectionId): void {
    for (const name of ['hold', 'keepalive', 'send-hold'] as const) {
      const key = timerKey({ name, connection: id });
      this.timers.get(key)?.cancel();
      this.timers.delete(key);
    }
  }

  /** Input that waits in the socket counts as life: it is read first, and moves a hold timer before that is believed. */
  private expired(timer: PeerTimer, at: number): void {
    const connection = 'connection' in timer ? this.connections.get(timer.connection) : undefined;
    const reads = connection?.reads;
    this.ports.clock.yield(() => {
      if (this.timer(timer).armed) return;
      const unread = connection?.reads !== reads || connection?.stream.hasUndelivered === true;
      if (timer.name === 'keepalive') this.keepaliveDue(at);
      this.input({ kind: 'timer-expired', timer, unread });
    });
  }
}

interface PeerSetting {
  readonly place: NeighbourPlace;
  readonly remote: Address;
  readonly restarting: Restarting;
}

function peerConfig(speaker: SpeakerConfig, { place, remote, restarting }: PeerSetting): PeerConfig {
  const { timers, families, local, passive } = place;
  return {
    localAs: place.config.options?.localAs?.asn ?? speaker.asn,
    fourOctetAs: !place.config.capabilitiesOff?.includes('four-octet-as'),
    identifier: speaker.identifier,
    acceptRemoteAs: place.config.acceptRemoteAs,
    holdTime: timers.hold,
    connectRetryTime: timers.connectRetry,
    sendHoldTime: timers.sendHold,
    connectDelay: place.connecting || compareBytes(local, remote) < 0 ? LOWER_ADDRESS_DELAY : 0,
    passive,
    families,
    capabilities: offeredCapabilities(speaker, place, restarting),
  };
}

/** `undefined` for a message that is to be ignored. */
function decodeControl(type: number, body: Uint8Array, enhanced: boolean): ControlMessage | MessageError | undefined {
  switch (type) {
    case MESSAGE_TYPE.open:
      return decodeOpen(body);
    case MESSAGE_TYPE.notification:
      return decodeNotification(body);
    case MESSAGE_TYPE.routeRefresh:
      return decodeRouteRefresh(body, enhanced);
    default:
      return { kind: 'keepalive' };
  }
}

function timerKey(timer: PeerTimer): string {
  return 'connection' in timer ? `${timer.name}/${timer.connection}` : timer.name;
}

function noMessages(): MessageCounters {
  return { open: 0, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 };
}
