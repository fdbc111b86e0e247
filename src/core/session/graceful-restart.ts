/** What two OPENs agree about restarts (RFC 4724 section 3, RFC 8538 section 2, RFC 9494 section 4.1). */
import { type Family, familyOf } from '../net/family.js';
import type { Capability, OpenMessage } from '../wire/bgp/message.js';
import type { DownReason, GracefulRestart } from './types.js';

/** Cease/Hard Reset (RFC 8538 section 3). */
export const HARD_RESET = 9;
const CEASE = 6;

type CapabilityOf<Kind extends Capability['kind']> = Extract<Capability, { kind: Kind }>;

/** `undefined` unless both sent the capability. A later instance of it replaces an earlier one (RFC 4724 section 3). */
export function agreedRestart(
  local: OpenMessage,
  remote: OpenMessage,
  families: readonly Family[],
): GracefulRestart | undefined {
  const ours = last(local, 'graceful-restart');
  const theirs = last(remote, 'graceful-restart');
  if (!ours || !theirs) return undefined;
  const listed = theirs.families.filter(({ afi, safi }) => isAgreed(families, afi, safi));
  const familiesOf = (entries: typeof listed) => entries.map(({ afi, safi }) => familyOf(afi, safi)!);
  return {
    restartTime: theirs.restartTime,
    notification: ours.notification && theirs.notification,
    restarted: theirs.restarted,
    families: familiesOf(listed),
    preserved: familiesOf(listed.filter(({ forwardingPreserved }) => forwardingPreserved)),
    longLived: longLivedTimes(local, remote, families),
  };
}

function longLivedTimes(local: OpenMessage, remote: OpenMessage, families: readonly Family[]): Map<Family, number> {
  const theirs = last(local, 'long-lived-graceful-restart') && last(remote, 'long-lived-graceful-restart');
  const listed = theirs?.families.filter(({ afi, safi }) => isAgreed(families, afi, safi)) ?? [];
  return new Map(listed.map(({ afi, safi, staleTime }) => [familyOf(afi, safi)!, staleTime]));
}

function isAgreed(families: readonly Family[], afi: number, safi: number): boolean {
  const family = familyOf(afi, safi);
  return family !== undefined && families.includes(family);
}

/** Whether the loss of a session for this reason is a restart of the neighbour, which goes on forwarding. */
export function isRestart(reason: DownReason, { notification }: GracefulRestart): boolean {
  switch (reason.kind) {
    case 'connection-lost':
      return true;
    case 'notification-sent':
    case 'notification-received':
      return notification && !(reason.code === CEASE && reason.subcode === HARD_RESET);
    default:
      return false;
  }
}

function last<Kind extends Capability['kind']>(open: OpenMessage, kind: Kind): CapabilityOf<Kind> | undefined {
  return open.capabilities.findLast((capability): capability is CapabilityOf<Kind> => capability.kind === kind);
}
