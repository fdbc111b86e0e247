/** Why a session or a link is down, as one word of a short list, so that an alert can be routed by it. */
import type { DownReason } from '../../../core/session/types.js';
import type { Hold } from '../../../core/speaker/session-holds.js';

const HOLD_TIMER_EXPIRED = 4;

/** All that can end a session that is up. */
export const DROP_WORDS = [
  'administrative',
  'bfd-down',
  'connection-lost',
  'hold-timer-expired',
  'link-down',
  'neighbour-expired',
  'notification-received',
  'notification-sent',
  'prefix-limit',
  'send-hold-expired',
] as const;

export type DropWord = (typeof DROP_WORDS)[number];

/** `connect-failed` besides those that end sessions: what an attempt ran into. */
export function downWord({ kind, code }: Pick<DownReason, 'kind' | 'code'>): DropWord | 'connect-failed' {
  return kind === 'notification-sent' && code === HOLD_TIMER_EXPIRED ? 'hold-timer-expired' : kind;
}

/** Of a session that is not up: what an operator said, or what ended the last, or why there was none. */
export function sessionWord(hold: Pick<Hold, 'kind'> | undefined, lastDown: DownReason | undefined): string {
  if (hold) return hold.kind;
  return lastDown ? downWord(lastDown) : 'never-up';
}

/** Beginnings of what discovery says of a link. */
const LINK_WORDS = [
  ['no such interface', 'no-such-interface'],
  ['administratively down', 'administratively-down'],
  ['no carrier', 'no-carrier'],
  ['duplicate address', 'duplicate-address'],
  ['no link-local address', 'no-link-local-address'],
  ['link-local address', 'no-link-local-address'],
] as const;

/** @param reason why a link cannot be used, in words */
export function linkWord(reason: string): string {
  return LINK_WORDS.find(([words]) => reason.startsWith(words))?.[1] ?? 'unusable';
}
