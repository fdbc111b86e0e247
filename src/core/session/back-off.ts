/**
 * How long a peer waits before it tries again (RFC 4271 section 8.1.1, DampPeerOscillations and IdleHoldTime). The first retry comes
 * after about a second, so that a lost first attempt costs nothing; every further failure doubles the wait up to connect-retry.
 * Three counts: attempts that led to no session start afresh at Established; sessions that ended in a fault are forgotten only after
 * one that lasted, or else a peer that resets us right after Established would never be slowed down. So are those that the other
 * side ended early, however politely: a few are somebody restarting it, more are a peer that makes us send it the table without end.
 */
import type { Random } from '../ports/random.js';
import { ERROR_CODE } from '../wire/bgp/message-error.js';
import { jittered } from './machine.js';
import type { DownReason, PeerConfig } from './types.js';

export interface BackOff {
  /** Attempts in a row that led to no session. */
  readonly attempts: number;
  /** Faults since the last session that lasted. */
  readonly oscillations: number;
  /** Sessions in a row that ended early and not by us. */
  readonly brief: number;
  /** The peer is in Idle: connections from the other side are refused until the wait is over. */
  readonly damped: boolean;
}

export const NO_BACK_OFF: BackOff = { attempts: 0, oscillations: 0, brief: 0, damped: false };

const FIRST_RETRY_MS = 1000;
/** Long enough for one retransmission of a lost SYN by the kernel. */
const CONNECT_TIMEOUT_MS = 2000;
/** A session that lived this long ends the oscillation. */
const STABLE_MS = 120_000;
/** Restarts of a neighbour within that time that cost it nothing. */
const BRIEF_ALLOWED = 3;
/** Ends that come from the other side. */
const ITS_ENDS: readonly DownReason['kind'][] = [
  'connection-lost',
  'notification-received',
  'notification-sent',
  'send-hold-expired',
];

export function afterFailure(
  backOff: BackOff,
  reason: DownReason,
  /** Milliseconds spent in Established; absent when the session did not get there. */
  lifetime: number | undefined,
): BackOff {
  const fault =
    reason.kind === 'notification-sent' ||
    (reason.kind === 'notification-received' && reason.code !== ERROR_CODE.cease);
  const lost = lifetime !== undefined && reason.kind !== 'notification-received';
  const isStable = lifetime !== undefined && lifetime >= STABLE_MS;
  const past = isStable ? 0 : backOff.oscillations;
  const attempts = lifetime === undefined ? backOff.attempts : 0;
  const isBrief = lifetime !== undefined && ITS_ENDS.includes(reason.kind);
  const brief = isStable ? 0 : backOff.brief + (isBrief ? 1 : 0);
  const tired = isBrief && brief > BRIEF_ALLOWED;
  if (!fault && !lost) return { attempts: attempts + 1, oscillations: past, brief, damped: tired };
  return { attempts, oscillations: past + 1, brief, damped: tired || (fault && past > 0) };
}

/** Milliseconds until the next attempt. */
export function retryWait(backOff: BackOff, config: PeerConfig, random: Random): number {
  const failures = backOff.attempts + backOff.oscillations;
  const brief = backOff.brief > BRIEF_ALLOWED ? backOff.brief : 0;
  return jittered(doubled(FIRST_RETRY_MS, Math.max(failures, brief) - 1, config), random);
}

/** Milliseconds that an attempt may take. */
export function connectTimeout(backOff: BackOff, config: PeerConfig, random: Random): number {
  return jittered(doubled(CONNECT_TIMEOUT_MS, backOff.attempts + backOff.oscillations, config), random);
}

function doubled(first: number, times: number, config: PeerConfig): number {
  return Math.max(first, Math.min(first * 2 ** times, config.connectRetryTime * 1000));
}
