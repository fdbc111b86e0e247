/**
 * The arbiter above the machines of one peer's connections, pure: it opens and accepts connections, keeps at most one in each of two
 * slots (opened by us, opened by the neighbour), settles collisions and waits between attempts.
 *
 *   not running  started            open a connection, or arm connect-retry (connectDelay); passive: nothing
 *                incoming           refuse: after a shutdown or a prefix limit with that again (6/2, 6/1), else 6/5
 *   running      incoming           established for 5 s with graceful restart: abort that one, accept;
 *                                   damped: refuse (6/5); established, or an incoming one has its OPEN: refuse (6/7);
 *                                   else accept in place of an incoming one without OPEN; cancel connect-retry
 *                connect-retry      give up the attempt that hangs; open a connection unless an accepted one is under way
 *                connection ended   another is left: nothing; else down, arm connect-retry (back-off.ts)
 *                OPEN on one        collision.ts: close the loser (6/7), confirm the winner
 *                established        close the other connection (6/7)
 *                path-failed        close every connection (6/10): down as above
 *                path-verified      confirm the connection that waited for it (strict mode)
 *                stopped            Cease, or abort when the link is down, on every connection; down
 *
 * Its state for `show neighbors` is that of the connection further on; without one it is Active (waiting, listening), or Idle when
 * it is stopped or damped.
 */
import { AFI, SAFI_UNICAST } from '../net/family.js';
import { formatIdentifier } from '../net/identifier.js';
import { ERROR_CODE } from '../wire/bgp/message-error.js';
import { describeNotification, encodeNotification, shutdownData } from '../wire/bgp/notification.js';
import { concat, octets16, octets32 } from '../wire/bgp/octets.js';
import { afterFailure, type BackOff, connectTimeout, NO_BACK_OFF, retryWait } from './back-off.js';
import { confirmableSlot, losingSlot, type Slot } from './collision.js';
import {
  awaitsBfd,
  BFD_DOWN,
  type Connection,
  type ConnectionInput,
  type ConnectionState,
  createConnection,
  type Moment,
  stepConnection,
} from './machine.js';
import type {
  ConnectionId,
  DownReason,
  Negotiated,
  PeerConfig,
  PeerInput,
  PeerOutput,
  PeerSummary,
  SessionState,
  StopReason,
} from './types.js';

export interface PeerState {
  readonly config: PeerConfig;
  readonly running: boolean;
  /** What whoever connects is told while it does not run. */
  readonly refusal: Refusal;
  /** BFD is up, or says that it is not wanted (strict mode waits for it). */
  readonly pathVerified: boolean;
  readonly outgoing: Connection | undefined;
  readonly incoming: Connection | undefined;
  readonly lastId: ConnectionId;
  readonly attempts: number;
  readonly establishedCount: number;
  /** Clock milliseconds, of the last session. */
  readonly establishedAt: number;
  readonly backOff: BackOff;
  readonly lastDown: DownReason | undefined;
  /** What the attempts since then ran into. */
  readonly lastFailure: DownReason | undefined;
}

/** Of a Cease. */
interface Refusal {
  readonly subcode: number;
  readonly data: Uint8Array;
}

/** One step: its moment, and the outputs collected so far. */
interface Turn extends Moment {
  readonly outputs: PeerOutput[];
}

/** Cease subcodes (RFC 4486). */
const PREFIX_LIMIT = 1;
const ADMINISTRATIVE_SHUTDOWN = 2;
const PEER_DECONFIGURED = 3;
const CONNECTION_REJECTED = 5;
const COLLISION = 7;
/** Milliseconds after which a second connection is none of a simultaneous start. */
const COLLISION_MS = 5000;
/** Those with a text for the operator (RFC 9003). */
const WITH_TEXT: readonly number[] = [2, 4];
const NO_DATA = new Uint8Array(0);
const REJECTED: Refusal = { subcode: CONNECTION_REJECTED, data: NO_DATA };
const COLLIDED: Refusal = { subcode: COLLISION, data: NO_DATA };
/** What lasts: a neighbour that asks again is told again, or its operator would see only that he is rejected. */
const LASTING: readonly number[] = [PREFIX_LIMIT, ADMINISTRATIVE_SHUTDOWN];
const CONNECT_RETRY = { name: 'connect-retry' } as const;
const PROGRESS: readonly ConnectionState[] = ['connect', 'open-sent', 'open-confirm', 'established'];

export function createPeer(config: PeerConfig): PeerState {
  return {
    config,
    running: false,
    refusal: REJECTED,
    pathVerified: false,
    outgoing: undefined,
    incoming: undefined,
    lastId: 0,
    attempts: 0,
    establishedCount: 0,
    establishedAt: 0,
    backOff: NO_BACK_OFF,
    lastDown: undefined,
    lastFailure: undefined,
  };
}

/** Inputs about connections that are gone change nothing. */
export function stepPeer(
  state: PeerState,
  input: PeerInput,
  at: Moment,
): { state: PeerState; outputs: readonly PeerOutput[] } {
  const turn: Turn = { now: at.now, random: at.random, outputs: [] };
  const next = step(state, input, turn);
  const from = sessionState(state);
  const to = sessionState(next);
  const change: readonly PeerOutput[] = from === to ? [] : [{ kind: 'state-changed', from, to }];
  return { state: next, outputs: [...change, ...turn.outputs] };
}

export function summarize(state: PeerState): PeerSummary {
  const { lastDown, lastFailure } = state;
  const negotiated = establishedConnection(state)?.negotiated;
  const reason = lastDown && lastFailure ? withNews(lastDown, lastFailure) : (lastDown ?? lastFailure);
  return {
    state: sessionState(state),
    attempts: state.attempts,
    establishedCount: state.establishedCount,
    ...(reason && { lastDown: reason }),
    ...(lastFailure && { lastFailure }),
    ...(negotiated && { negotiated }),
  };
}

/** As the state of the summary, for those who ask all the time. */
export function isEstablished(state: PeerState): boolean {
  return state.running && establishedConnection(state) !== undefined;
}

/** The same end again is no news. */
function withNews(down: DownReason, failure: DownReason): DownReason {
  if (down.message.startsWith(failure.message)) return down;
  return { ...down, message: `${down.message}; since then ${failure.message}` };
}

function step(state: PeerState, input: PeerInput, turn: Turn): PeerState {
  switch (input.kind) {
    case 'configured':
      return { ...state, config: input.config };
    case 'started':
      return state.running ? state : start(state, turn);
    case 'stopped':
      return state.running ? stop(state, input.reason, turn) : { ...state, refusal: refusalOf(input.reason) };
    case 'path-verified':
      return verifyPath(state, input.verified, turn);
    case 'path-failed':
      return failPath(state, input, turn);
    case 'incoming':
      return accept(state, input.connection, turn);
    case 'timer-expired': {
      const { timer, unread } = input;
      if (timer.name === 'connect-retry') return retry(state, turn);
      return stepSlot(state, timer.connection, { kind: 'timer-expired', timer: timer.name, unread }, turn);
    }
    default:
      return stepSlot(state, input.connection, input, turn);
  }
}

function start(state: PeerState, turn: Turn): PeerState {
  const { connectDelay, passive } = state.config;
  const running: PeerState = { ...state, running: true, backOff: { ...state.backOff, attempts: 0, damped: false } };
  if (passive) return running;
  if (connectDelay === 0) return openConnection(running, turn);
  turn.outputs.push({ kind: 'arm-timer', timer: CONNECT_RETRY, at: turn.now + connectDelay });
  return running;
}

function stop(state: PeerState, why: StopReason, turn: Turn): PeerState {
  const { input, reason } = stopInput(why);
  const wasEstablished = establishedConnection(state) !== undefined;
  for (const connection of [state.outgoing, state.incoming]) {
    if (connection) turn.outputs.push(...stepConnection(connection, input, turn).outputs);
  }
  turn.outputs.push({ kind: 'cancel-timer', timer: CONNECT_RETRY }, { kind: 'down', reason, wasEstablished });
  return {
    ...state,
    running: false,
    refusal: refusalOf(why),
    outgoing: undefined,
    incoming: undefined,
    lastDown: reason,
    lastFailure: undefined,
  };
}

function refusalOf(why: StopReason): Refusal {
  const { input } = stopInput(why);
  return input.kind === 'cease' && LASTING.includes(input.subcode) ? input : REJECTED;
}

function stopInput(why: StopReason): { input: ConnectionInput; reason: DownReason } {
  switch (why.kind) {
    case 'link-down': {
      // Nothing can be sent on a dead link, and the neighbour sees the carrier go as well.
      const reason: DownReason = { kind: 'link-down', message: 'the link went down' };
      return { input: { kind: 'abort', reason }, reason };
    }
    case 'restart': {
      const reason: DownReason = { kind: 'administrative', message: 'stopped here for a restart' };
      return { input: { kind: 'abort', reason }, reason };
    }
    case 'neighbour-expired':
      // The router advertisements made it our peer, so their end removes it: RFC 4486 section 4, Peer De-configured.
      return cease('neighbour-expired', PEER_DECONFIGURED, NO_DATA, 'its router advertisements stopped');
    case 'prefix-limit': {
      const { family, limit } = why;
      const data = concat([octets16(AFI[family]), Uint8Array.of(SAFI_UNICAST), octets32(limit)]);
      return cease('prefix-limit', PREFIX_LIMIT, data, 'the neighbour announced too many prefixes');
    }
    case 'administrative': {
      const text = WITH_TEXT.includes(why.subcode) && why.message !== undefined ? shutdownData(why.message) : NO_DATA;
      return cease('administrative', why.subcode, text, 'stopped here');
    }
  }
}

function cease(kind: DownReason['kind'], subcode: number, data: Uint8Array, words: string) {
  const content = { code: ERROR_CODE.cease, subcode, data };
  const reason: DownReason = {
    kind,
    code: content.code,
    subcode,
    message: `${words}: ${describeNotification(content)}`,
  };
  return { input: { kind: 'cease', subcode, data, reason } as const, reason };
}

function verifyPath(state: PeerState, verified: boolean, turn: Turn): PeerState {
  const input = { kind: 'path-verified', verified } as const;
  return connectionsOf(state).reduce((next, { id }) => stepSlot(next, id, input, turn), {
    ...state,
    pathVerified: verified,
  });
}

/**
 * RFC 9384: the session ends with Cease/BFD Down, and is tried again. Between sessions it says nothing new of a neighbour whose BFD is
 * gone with its control plane; else the neighbour does not forward, whether or not it means to be back (RFC 5882 section 4.3).
 */
function failPath(state: PeerState, failure: Extract<PeerInput, { kind: 'path-failed' }>, turn: Turn): PeerState {
  if (!state.running || (!establishedConnection(state) && !failure.independent)) return state;
  const { input, reason } = cease('bfd-down', BFD_DOWN, NO_DATA, failure.reason);
  const connections = connectionsOf(state);
  if (connections.length > 0) return connections.reduce((next, { id }) => stepSlot(next, id, input, turn), state);
  turn.outputs.push({ kind: 'down', reason, wasEstablished: false });
  return { ...state, lastDown: reason, lastFailure: undefined };
}

function connectionsOf({ outgoing, incoming }: PeerState): readonly Connection[] {
  return [outgoing, incoming].filter((connection) => connection !== undefined);
}

function openConnection(state: PeerState, turn: Turn): PeerState {
  const id = state.lastId + 1;
  turn.outputs.push(
    { kind: 'open-connection', connection: id },
    {
      kind: 'arm-timer',
      timer: CONNECT_RETRY,
      at: turn.now + connectTimeout(state.backOff, state.config, turn.random),
    },
  );
  return {
    ...state,
    lastId: id,
    attempts: state.attempts + 1,
    outgoing: createConnection(id, state.config, state.pathVerified),
    backOff: { ...state.backOff, damped: false },
  };
}

function retry(state: PeerState, turn: Turn): PeerState {
  if (!state.running) return state;
  const { outgoing } = state;
  if (state.config.passive) return { ...state, backOff: { ...state.backOff, damped: false } };
  if (!outgoing) return state.incoming ? state : openConnection(state, turn);
  if (outgoing.state !== 'connect') return state;
  const reason: DownReason = { kind: 'connect-failed', message: 'could not connect: no answer' };
  const given = stepSlot(state, outgoing.id, { kind: 'abort', reason }, turn);
  return given.incoming ? given : openConnection(given, turn);
}

function accept(state: PeerState, id: ConnectionId, turn: Turn): PeerState {
  if (!state.running) return refuse(state, id, { ...state.refusal, words: 'this session is stopped' }, turn);
  if (state.backOff.damped)
    return refuse(state, id, { ...REJECTED, words: 'the session keeps failing, so it rests' }, turn);
  if (isRestartOf(state, turn)) return replace(state, id, turn);
  if (establishedConnection(state))
    return refuse(state, id, { ...COLLIDED, words: 'the session is established' }, turn);
  if (state.incoming?.state === 'open-confirm') {
    return refuse(state, id, { ...COLLIDED, words: 'an earlier connection of the neighbour is further on' }, turn);
  }
  if (state.incoming) {
    const { input } = cease('notification-sent', COLLISION, NO_DATA, 'the neighbour connected anew');
    turn.outputs.push(...stepConnection(state.incoming, input, turn).outputs);
  }
  if (!state.outgoing) turn.outputs.push({ kind: 'cancel-timer', timer: CONNECT_RETRY });
  const accepted = {
    ...state,
    attempts: state.attempts + 1,
    incoming: createConnection(id, state.config, state.pathVerified),
  };
  return stepSlot(accepted, id, { kind: 'connected' }, turn);
}

/**
 * RFC 4724 section 4.2: a new connection of a neighbour that restarts gracefully ends the one that it has forgotten. The loser of
 * a collision may arrive late as well, but not that late.
 */
function isRestartOf(state: PeerState, turn: Turn): boolean {
  const restart = establishedConnection(state)?.negotiated?.gracefulRestart;
  return restart !== undefined && restart.families.length > 0 && turn.now - state.establishedAt > COLLISION_MS;
}

function replace(state: PeerState, id: ConnectionId, turn: Turn): PeerState {
  const reason: DownReason = { kind: 'connection-lost', message: 'the neighbour restarted: it connected anew' };
  return accept(stepSlot(state, establishedConnection(state)!.id, { kind: 'abort', reason }, turn), id, turn);
}

function refuse(state: PeerState, id: ConnectionId, why: Refusal & { words: string }, turn: Turn): PeerState {
  const bytes = encodeNotification({ code: ERROR_CODE.cease, subcode: why.subcode, data: why.data });
  turn.outputs.push(
    { kind: 'log', level: 'debug', message: `refused a connection: ${why.words}` },
    { kind: 'send', connection: id, bytes },
    { kind: 'close-connection', connection: id },
  );
  return state;
}

/** Steps one connection, then the peer as far as it goes without new input. */
function stepSlot(state: PeerState, id: ConnectionId, input: ConnectionInput, turn: Turn): PeerState {
  const slot = state.outgoing?.id === id ? 'outgoing' : state.incoming?.id === id ? 'incoming' : undefined;
  return slot ? settle(advance(state, slot, input, turn), turn) : state;
}

function advance(state: PeerState, slot: Slot, input: ConnectionInput, turn: Turn): PeerState {
  const before = state[slot]!;
  const { connection, outputs, ended } = stepConnection(before, input, turn);
  turn.outputs.push(...outputs);
  if (connection === before) return state;
  const next = { ...state, [slot]: connection };
  if (!connection) return connectionEnded(next, before, ended!, turn);
  if (connection.state === before.state) return next;
  return stateEntered(next, slot, connection, turn);
}

function stateEntered(state: PeerState, slot: Slot, connection: Connection, turn: Turn): PeerState {
  const { negotiated } = connection;
  switch (connection.state) {
    case 'open-sent':
      if (slot === 'outgoing') turn.outputs.push({ kind: 'cancel-timer', timer: CONNECT_RETRY });
      return state;
    case 'open-confirm':
      warnOfDuplicate(state.config, negotiated!, turn);
      return state;
    case 'established':
      turn.outputs.push({ kind: 'log', level: 'info', message: `established with ${describe(negotiated!)}` });
      return {
        ...state,
        establishedCount: state.establishedCount + 1,
        establishedAt: turn.now,
        backOff: { ...state.backOff, attempts: 0, damped: false },
        lastFailure: undefined,
      };
    default:
      return state;
  }
}

function settle(state: PeerState, turn: Turn): PeerState {
  const loser = losingSlot(state);
  if (loser) {
    const { input } = cease('notification-sent', COLLISION, NO_DATA, 'two connections met');
    return settle(advance(state, loser, input, turn), turn);
  }
  const slot = confirmableSlot(state);
  return slot && !awaitsBfd(state[slot]!) ? settle(advance(state, slot, { kind: 'confirm' }, turn), turn) : state;
}

function connectionEnded(state: PeerState, connection: Connection, reason: DownReason, turn: Turn): PeerState {
  const wasEstablished = connection.state === 'established';
  const other = state.outgoing ?? state.incoming;
  turn.outputs.push({ kind: 'log', level: logLevel(reason, wasEstablished), message: reason.message });
  if (other) {
    if (other === state.incoming) turn.outputs.push({ kind: 'cancel-timer', timer: CONNECT_RETRY });
    return state;
  }
  const lifetime = wasEstablished ? turn.now - state.establishedAt : undefined;
  const backOff = afterFailure(state.backOff, reason, lifetime);
  const wait = retryWait(backOff, state.config, turn.random);
  turn.outputs.push(
    { kind: 'arm-timer', timer: CONNECT_RETRY, at: turn.now + wait },
    { kind: 'down', reason, wasEstablished },
  );
  return { ...state, backOff, ...remembered(reason, wasEstablished) };
}

/** A refusal or a failed attempt says less than what ended the session before it. */
function remembered(reason: DownReason, wasEstablished: boolean): Partial<PeerState> {
  const refused = reason.kind === 'notification-received' && reason.code === ERROR_CODE.cease;
  const plain = refused || reason.kind === 'connect-failed' || reason.kind === 'connection-lost';
  return plain && !wasEstablished ? { lastFailure: reason } : { lastDown: reason, lastFailure: undefined };
}

/** A refused OPEN is a mistake in somebody's configuration, so it is told loudly. */
function logLevel(reason: DownReason, wasEstablished: boolean): 'debug' | 'warn' | 'error' {
  if (reason.kind === 'notification-sent' && reason.code === ERROR_CODE.open) return 'error';
  const fault = reason.kind === 'notification-received' || reason.kind === 'notification-sent';
  return wasEstablished || (fault && reason.code !== ERROR_CODE.cease) ? 'warn' : 'debug';
}

/** RFC 6286 allows it between two ASs, yet it is a mistake in nearly every fabric. */
function warnOfDuplicate(config: PeerConfig, { remoteIdentifier, remoteAs }: Negotiated, turn: Turn): void {
  if (remoteIdentifier !== config.identifier) return;
  turn.outputs.push({
    kind: 'log',
    level: 'warn',
    message: `duplicate router-id: the neighbour in AS ${remoteAs} has our identifier ${formatIdentifier(remoteIdentifier)}`,
  });
}

function describe({ remoteAs, remoteIdentifier, families }: Negotiated): string {
  return `AS ${remoteAs}, identifier ${formatIdentifier(remoteIdentifier)}, ${families.join(' and ')}`;
}

function establishedConnection({ outgoing, incoming }: PeerState): Connection | undefined {
  return [outgoing, incoming].find((connection) => connection?.state === 'established');
}

function sessionState(state: PeerState): SessionState {
  if (!state.running) return 'idle';
  const progress = [state.outgoing, state.incoming].map((c) => (c ? PROGRESS.indexOf(c.state) : -1));
  return PROGRESS[Math.max(...progress)] ?? (state.backOff.damped ? 'idle' : 'active');
}
