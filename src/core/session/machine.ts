/**
 * One connection's BGP machine (RFC 4271 section 8.2.2), pure: an input gives the next connection and outputs. The states Idle and
 * Active belong to the peer (peer.ts): they are those in which there is no connection. So do connect-retry and collisions.
 *
 *   Connect      connected               send OPEN, arm hold (4 minutes)                        -> OpenSent
 *                connect-failed                                                                 -> ended
 *   OpenSent     OPEN, agreed            arm hold (negotiated), arm keepalive (1 s)             -> OpenConfirm
 *                OPEN, refused           send NOTIFICATION 2/x, close                           -> ended
 *                other message           send NOTIFICATION 5/1, close                           -> ended
 *   OpenConfirm  confirm, or keepalive   send KEEPALIVE, arm keepalive;                         -> OpenConfirm,
 *                expires unconfirmed       peer's KEEPALIVE already here: established             -> Established
 *                KEEPALIVE               confirmed: arm hold, established                       -> Established
 *                                        not confirmed: remembered                              -> OpenConfirm
 *                keepalive expires       confirmed: send KEEPALIVE, arm keepalive               -> OpenConfirm
 *                other message           send NOTIFICATION 5/2, close                           -> ended
 *   Established  KEEPALIVE, UPDATE       arm hold                                               -> Established
 *                ROUTE-REFRESH           arm hold, refresh-requested when it was negotiated     -> Established
 *                keepalive expires       send KEEPALIVE, arm keepalive                          -> Established
 *                write-blocked           arm send-hold unless it runs (RFC 9687)                -> Established
 *                write-progressed        cancel send-hold                                       -> Established
 *                send-hold expires       send NOTIFICATION 8/0, abort                           -> ended
 *                OPEN                    send NOTIFICATION 5/3, close                           -> ended
 *   any          NOTIFICATION            close                                                  -> ended
 *   but Connect  fault                   send its NOTIFICATION, close                           -> ended
 *                hold expires, unread    arm hold (1 s), no more often than one hold time long
 *                hold expires            send NOTIFICATION 4/0, close                           -> ended
 *                disconnected                                                                   -> ended
 *   strict mode  BFD not up              `confirm` waits in OpenConfirm; hold expires: 6/10 instead of 4/0
 *   any          cease                   Connect: abort; else send NOTIFICATION, close          -> ended
 *                abort                   abort                                                  -> ended
 *
 * All other pairs change nothing. Ending cancels the connection's timers.
 *
 * `confirm` comes from the arbiter once the OPEN is judged against a rival connection. Until then neither side of two heddles can
 * reach Established on a connection that the other side is about to close as the loser of a collision.
 */
import { familyOf } from '../net/family.js';
import type { Random } from '../ports/random.js';
import { encodeKeepalive } from '../wire/bgp/keepalive.js';
import type { ControlMessage, MessageError, OpenMessage, RouteRefreshMessage } from '../wire/bgp/message.js';
import { ERROR_CODE, messageError } from '../wire/bgp/message-error.js';
import { describeNotification, encodeNotification } from '../wire/bgp/notification.js';
import { concat } from '../wire/bgp/octets.js';
import { encodeOpen } from '../wire/bgp/open.js';
import { HARD_RESET } from './graceful-restart.js';
import { localOpen, negotiate } from './negotiate.js';
import type { ConnectionId, DownReason, Negotiated, PeerConfig, PeerOutput, PeerTimer, SessionState } from './types.js';

export type ConnectionState = Exclude<SessionState, 'idle' | 'active'>;

export interface Connection {
  readonly id: ConnectionId;
  readonly config: PeerConfig;
  readonly state: ConnectionState;
  /** From OpenConfirm on. */
  readonly negotiated?: Negotiated;
  /** We answered the OPEN with a KEEPALIVE. */
  readonly confirmed: boolean;
  /** BFD lets a session in strict mode come up. */
  readonly pathVerified: boolean;
  /** The peer answered ours. */
  readonly peerConfirmed: boolean;
  readonly sendHoldRuns: boolean;
  /** Expiries of the hold timer in a row that unread input excused. */
  readonly excuses: number;
}

export type ConnectionInput =
  | { readonly kind: 'connected' }
  | { readonly kind: 'connect-failed'; readonly reason: string }
  | { readonly kind: 'disconnected'; readonly reason: string }
  | { readonly kind: 'message'; readonly message: ControlMessage }
  | { readonly kind: 'update' }
  | { readonly kind: 'fault'; readonly error: MessageError }
  | { readonly kind: 'timer-expired'; readonly timer: ConnectionTimer; readonly unread: boolean }
  | { readonly kind: 'write-blocked' }
  | { readonly kind: 'write-progressed' }
  | { readonly kind: 'confirm' }
  | { readonly kind: 'path-verified'; readonly verified: boolean }
  | { readonly kind: 'cease'; readonly subcode: number; readonly data: Uint8Array; readonly reason: DownReason }
  | { readonly kind: 'abort'; readonly reason: DownReason };

export type ConnectionTimer = Exclude<PeerTimer['name'], 'connect-retry'>;

export interface ConnectionStep {
  /** Absent when the connection ended. */
  readonly connection?: Connection;
  readonly outputs: readonly PeerOutput[];
  /** Why it ended. */
  readonly ended?: DownReason;
}

/** The moment and the dice of one step. */
export interface Moment {
  /** Clock milliseconds. */
  readonly now: number;
  readonly random: Random;
}

/** RFC 4271 section 8.2.2: the large hold time before one is negotiated. */
const OPEN_HOLD_MS = 240_000;
/** How long an OPEN may wait for a rival connection to be judged. */
const CONFIRM_DELAY_MS = 1000;
const UNREAD_GRACE_MS = 1000;
/** RFC 4271 section 4.4: no more than one KEEPALIVE a second. */
const MIN_KEEPALIVE_MS = 1000;
/** draft-ietf-idr-bgp-bfd-strict-mode: how long BFD may take where no hold time is negotiated. */
const BFD_HOLD_MS = 30_000;
/** Cease subcode (RFC 9384). */
export const BFD_DOWN = 10;
const TIMERS: readonly ConnectionTimer[] = ['hold', 'keepalive', 'send-hold'];
/** RFC 6608 section 4: the subcode says in which state the message was unexpected. */
const UNEXPECTED_SUBCODE = { 'open-sent': 1, 'open-confirm': 2, established: 3 } as const;

/** RFC 4271 section 10: between 0.75 and 1 of the time. */
export function jittered(milliseconds: number, random: Random): number {
  return milliseconds * (0.75 + 0.25 * random.next());
}

/** A connection before it is connected; an accepted one gets `connected` at once. */
export function createConnection(id: ConnectionId, config: PeerConfig, pathVerified: boolean): Connection {
  return {
    id,
    config,
    state: 'connect',
    pathVerified,
    confirmed: false,
    peerConfirmed: false,
    sendHoldRuns: false,
    excuses: 0,
  };
}

export function stepConnection(connection: Connection, input: ConnectionInput, at: Moment): ConnectionStep {
  switch (input.kind) {
    case 'connected':
      return connection.state === 'connect' ? connected(connection, at) : { connection, outputs: [] };
    case 'connect-failed':
      return ended(connection, [], { kind: 'connect-failed', message: `could not connect: ${input.reason}` });
    case 'disconnected':
      return ended(connection, [], { kind: 'connection-lost', message: `connection lost: ${input.reason}` });
    case 'cease':
      return ceased(connection, input);
    case 'path-verified':
      return { connection: { ...connection, pathVerified: input.verified }, outputs: [] };
    case 'abort':
      return ended(connection, [{ kind: 'abort-connection', connection: connection.id }], input.reason);
    default:
      return connection.state === 'connect' ? { connection, outputs: [] } : stepConnected(connection, input, at);
  }
}

type ConnectedInput = Exclude<
  ConnectionInput,
  { readonly kind: 'connected' | 'connect-failed' | 'disconnected' | 'cease' | 'path-verified' | 'abort' }
>;

function stepConnected(connection: Connection, input: ConnectedInput, at: Moment): ConnectionStep {
  switch (input.kind) {
    case 'message':
      return received(connection, input.message, at);
    case 'update':
      return connection.state === 'established' ? heard(connection, at) : unexpected(connection, 'UPDATE');
    case 'fault':
      return notified(connection, input.error);
    case 'timer-expired':
      return expired(connection, input, at);
    case 'write-blocked':
      return blocked(connection, at);
    case 'write-progressed':
      return progressed(connection);
    case 'confirm':
      return confirmed(connection, at);
  }
}

function connected(connection: Connection, at: Moment): ConnectionStep {
  return {
    connection: { ...connection, state: 'open-sent' },
    outputs: [
      { kind: 'send', connection: connection.id, bytes: encodeOpen(localOpen(connection.config)) },
      arm(connection, 'hold', at.now + OPEN_HOLD_MS),
    ],
  };
}

function received(connection: Connection, message: ControlMessage, at: Moment): ConnectionStep {
  if (message.kind === 'notification') {
    const { code, subcode } = message;
    return ended(connection, [close(connection)], {
      kind: 'notification-received',
      code,
      subcode,
      message: `the neighbour sent ${describeNotification(message)}`,
    });
  }
  if (message.kind === 'open' && connection.state === 'open-sent') return opened(connection, message, at);
  if (message.kind === 'keepalive' && connection.state === 'open-confirm') {
    return establishedIfBoth({ ...connection, peerConfirmed: true }, [], at);
  }
  if (message.kind !== 'open' && connection.state === 'established') {
    const step = heard(connection, at);
    return message.kind === 'keepalive'
      ? step
      : { ...step, outputs: [...step.outputs, ...refresh(connection, message)] };
  }
  return unexpected(connection, message.kind === 'route-refresh' ? 'ROUTE-REFRESH' : message.kind.toUpperCase());
}

function opened(connection: Connection, open: OpenMessage, at: Moment): ConnectionStep {
  const { config } = connection;
  const negotiated = negotiate(localOpen(config), open, config);
  if ('kind' in negotiated) return notified(connection, negotiated);
  const next: Connection = { ...connection, state: 'open-confirm', negotiated };
  const hold =
    negotiated.holdTime === 0 && awaitsBfd(next)
      ? arm(connection, 'hold', at.now + BFD_HOLD_MS)
      : restartHold(connection, negotiated, at);
  return { connection: next, outputs: [hold, arm(connection, 'keepalive', at.now + CONFIRM_DELAY_MS)] };
}

/** draft-ietf-idr-bgp-bfd-strict-mode section 4: both sent the capability, and the KEEPALIVE waits for BFD. */
export function awaitsBfd({ state, negotiated, confirmed, pathVerified }: Connection): boolean {
  return state === 'open-confirm' && negotiated?.strictBfd === true && !confirmed && !pathVerified;
}

function confirmed(connection: Connection, at: Moment): ConnectionStep {
  if (connection.state !== 'open-confirm' || connection.confirmed) return { connection, outputs: [] };
  if (awaitsBfd(connection)) {
    return { connection, outputs: [arm(connection, 'keepalive', at.now + CONFIRM_DELAY_MS)] };
  }
  const negotiated = connection.negotiated!;
  const next = negotiated.holdTime === 0 ? cancel(connection, 'keepalive') : armKeepalive(connection, negotiated, at);
  // The wait for BFD is over: the neighbour has a whole hold time to answer.
  const hold = negotiated.strictBfd ? [restartHold(connection, negotiated, at)] : [];
  return establishedIfBoth({ ...connection, confirmed: true }, [sendKeepalive(connection), next, ...hold], at);
}

function establishedIfBoth(connection: Connection, outputs: readonly PeerOutput[], at: Moment): ConnectionStep {
  if (!connection.confirmed || !connection.peerConfirmed) return { connection, outputs };
  const established: Connection = { ...connection, state: 'established' };
  const { outputs: life } = heard(established, at);
  const report: PeerOutput = { kind: 'established', connection: connection.id, negotiated: connection.negotiated! };
  return { connection: established, outputs: [...outputs, ...life, report] };
}

/** The peer is alive. */
function heard(connection: Connection, at: Moment): ConnectionStep {
  const negotiated = connection.negotiated!;
  return {
    connection: connection.excuses === 0 ? connection : { ...connection, excuses: 0 },
    outputs: negotiated.holdTime === 0 ? [] : [armHold(connection, negotiated, at)],
  };
}

/** RFC 2918 section 4: what was not negotiated is ignored; RFC 7313 section 3.2: the subtype counts only when it was. */
function refresh(connection: Connection, message: RouteRefreshMessage): readonly PeerOutput[] {
  const negotiated = connection.negotiated!;
  const family = familyOf(message.afi, message.safi);
  if (!family || !negotiated.routeRefresh || !negotiated.families.includes(family)) {
    const text = `ignored a ROUTE-REFRESH for AFI ${message.afi} SAFI ${message.safi}, which was not negotiated`;
    return [{ kind: 'log', level: 'debug', message: text }];
  }
  const subtype = negotiated.enhancedRouteRefresh ? message.subtype : 0;
  return subtype > 2 ? [] : [{ kind: 'refresh-requested', family, subtype }];
}

function expired(
  connection: Connection,
  input: { readonly timer: ConnectionTimer; readonly unread: boolean },
  at: Moment,
): ConnectionStep {
  switch (input.timer) {
    case 'hold':
      return holdExpired(connection, input.unread, at);
    case 'keepalive':
      if (!connection.negotiated) return { connection, outputs: [] };
      if (!connection.confirmed) return confirmed(connection, at);
      return { connection, outputs: [sendKeepalive(connection), armKeepalive(connection, connection.negotiated, at)] };
    case 'send-hold':
      return sendHoldExpired(connection);
  }
}

function holdExpired(connection: Connection, unread: boolean, at: Moment): ConnectionStep {
  const hold = connection.negotiated ? connection.negotiated.holdTime * 1000 : OPEN_HOLD_MS;
  if (unread && connection.excuses * UNREAD_GRACE_MS < hold) {
    return {
      connection: { ...connection, excuses: connection.excuses + 1 },
      outputs: [arm(connection, 'hold', at.now + UNREAD_GRACE_MS)],
    };
  }
  if (awaitsBfd(connection)) {
    return notified(connection, messageError(ERROR_CODE.cease, BFD_DOWN, 'BFD did not come up (strict mode)'));
  }
  const silence = `the neighbour was silent for ${hold / 1000} s (hold time)`;
  return notified(connection, messageError(ERROR_CODE.holdTimer, 0, silence));
}

/** RFC 9687 section 3.2: a peer that does not read gets a NOTIFICATION if it still fits, and no wait for it. */
function sendHoldExpired(connection: Connection): ConnectionStep {
  const error = messageError(
    ERROR_CODE.sendHold,
    0,
    `the neighbour took nothing from us for ${connection.config.sendHoldTime} s (send hold time)`,
  );
  return ended(connection, [notification(connection, error), { kind: 'abort-connection', connection: connection.id }], {
    kind: 'send-hold-expired',
    code: error.code,
    subcode: 0,
    message: error.reason,
  });
}

function blocked(connection: Connection, at: Moment): ConnectionStep {
  const { sendHoldTime } = connection.config;
  const wanted = sendHoldTime > 0 && connection.negotiated?.holdTime !== 0;
  if (connection.state !== 'established' || connection.sendHoldRuns || !wanted) return { connection, outputs: [] };
  return {
    connection: { ...connection, sendHoldRuns: true },
    outputs: [arm(connection, 'send-hold', at.now + sendHoldTime * 1000)],
  };
}

function progressed(connection: Connection): ConnectionStep {
  if (!connection.sendHoldRuns) return { connection, outputs: [] };
  return { connection: { ...connection, sendHoldRuns: false }, outputs: [cancel(connection, 'send-hold')] };
}

function unexpected(connection: Connection, name: string): ConnectionStep {
  const subcode = connection.state === 'connect' ? 0 : UNEXPECTED_SUBCODE[connection.state];
  return notified(connection, messageError(ERROR_CODE.machine, subcode, `unexpected ${name} in ${connection.state}`));
}

function ceased(connection: Connection, input: Extract<ConnectionInput, { kind: 'cease' }>): ConnectionStep {
  if (connection.state === 'connect') {
    return ended(connection, [{ kind: 'abort-connection', connection: connection.id }], input.reason);
  }
  const cease = ceaseContent(connection, input);
  return ended(connection, [notification(connection, cease), close(connection)], input.reason);
}

/** RFC 8538 section 3.1: where a NOTIFICATION would be taken for a restart, the end is said to be one inside a Hard Reset. */
function ceaseContent(
  { state, negotiated }: Connection,
  { subcode, data }: Extract<ConnectionInput, { kind: 'cease' }>,
) {
  const code = ERROR_CODE.cease;
  if (state !== 'established' || !negotiated?.gracefulRestart?.notification) return { code, subcode, data };
  return { code, subcode: HARD_RESET, data: concat([Uint8Array.of(code, subcode), data]) };
}

/** Ends with a NOTIFICATION of ours, flushed before the close (RFC 4271 section 6). */
function notified(connection: Connection, error: MessageError): ConnectionStep {
  const { code, subcode } = error;
  return ended(connection, [notification(connection, error), close(connection)], {
    kind: 'notification-sent',
    code,
    subcode,
    message: `${error.reason}; we sent ${describeNotification(error)}`,
  });
}

function ended(connection: Connection, outputs: readonly PeerOutput[], reason: DownReason): ConnectionStep {
  const timers = connection.state === 'connect' ? [] : TIMERS.map((name) => cancel(connection, name));
  return { outputs: [...timers, ...outputs], ended: reason };
}

function close(connection: Connection): PeerOutput {
  return { kind: 'close-connection', connection: connection.id };
}

function notification(
  connection: Connection,
  content: { readonly code: number; readonly subcode: number; readonly data: Uint8Array },
): PeerOutput {
  return { kind: 'send', connection: connection.id, bytes: encodeNotification(content) };
}

function sendKeepalive(connection: Connection): PeerOutput {
  return { kind: 'send', connection: connection.id, bytes: encodeKeepalive() };
}

function armKeepalive(connection: Connection, negotiated: Negotiated, at: Moment): PeerOutput {
  const wait = Math.max(MIN_KEEPALIVE_MS, jittered(negotiated.keepaliveTime * 1000, at.random));
  return arm(connection, 'keepalive', at.now + wait);
}

function restartHold(connection: Connection, negotiated: Negotiated, at: Moment): PeerOutput {
  return negotiated.holdTime === 0 ? cancel(connection, 'hold') : armHold(connection, negotiated, at);
}

function armHold(connection: Connection, negotiated: Negotiated, at: Moment): PeerOutput {
  return arm(connection, 'hold', at.now + negotiated.holdTime * 1000);
}

function arm(connection: Connection, name: ConnectionTimer, at: number): PeerOutput {
  return { kind: 'arm-timer', timer: { name, connection: connection.id }, at };
}

function cancel(connection: Connection, name: ConnectionTimer): PeerOutput {
  return { kind: 'cancel-timer', timer: { name, connection: connection.id } };
}
