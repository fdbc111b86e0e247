/** Groups as values: which members and which kind one is to have, whether two have the same, and how a record is made or handed over. */
import type { GroupMember, KernelOperation, NextHopId } from '../ports/kernel-tables.js';
import { type Group, type GroupKind, type MemberSet, NO_MEMBERS, type Tier } from './forwarding-objects.js';

/**
 * Seconds. Linux is asked for hundredths and keeps ticks of its own, rounded down: at 250 ticks a second 0.03 comes back as 0.02. So a
 * group found at start is what was asked for when it differs by less than a hundredth and a half.
 */
const COARSEST_TIMER = 0.0151;

/** One value, as every group begins with it. */
const NOTHING: readonly GroupMember[] = [];

/** Made of one piece, with or without a kind: there is one for each class. */
export function groupWrite(
  { id, kind }: Pick<Group, 'id' | 'kind'>,
  members: readonly GroupMember[],
  replace: boolean,
): Extract<KernelOperation, { kind: 'set-group' }> {
  return kind
    ? { kind: 'set-group', id, members, resilient: kind, replace }
    : { kind: 'set-group', id, members, replace };
}

/** What is in the kernel under the name of one record is under that of the other from now on. */
export function hand(from: Group, to: Group): void {
  to.id = from.id;
  to.kind = from.kind;
  to.installed = from.installed;
  to.routes = from.routes;
  from.id = 0;
  from.installed = NOTHING;
  from.routes = 0;
}

export function emptyGroup(id: NextHopId, tier: Tier): Group {
  return {
    tier,
    id,
    kind: undefined,
    set: NO_MEMBERS,
    shares: undefined,
    installed: NOTHING,
    routes: 0,
    owner: undefined,
    adopted: false,
    error: undefined,
  };
}

/** The members that are in the kernel, as its group is to have them. */
export function wantedMembers({ members, weights }: MemberSet, shares = weights): GroupMember[] {
  const wanted: GroupMember[] = [];
  for (const [place, { id }] of members.entries()) if (id !== 0) wanted.push({ id, weight: shares?.[place] ?? 1 });
  return wanted;
}

/** Members that many groups are to have alike, as one value for all of them; while no next hop gets or loses its id. */
export class EqualMembers {
  private readonly bySet = new Map<MemberSet, GroupMember[]>();

  of({ set, shares }: Group): GroupMember[] {
    if (shares) return wantedMembers(set, shares);
    let wanted = this.bySet.get(set);
    if (!wanted) {
      wanted = wantedMembers(set);
      this.bySet.set(set, wanted);
    }
    return wanted;
  }
}

export function hasMember(group: Group, id: NextHopId): boolean {
  return group.installed.some((member) => member.id === id);
}

export function sameIds(a: readonly GroupMember[], b: readonly GroupMember[]): boolean {
  return a.length === b.length && a.every(({ id }) => b.some((member) => member.id === id));
}

export function sameMembers(a: readonly GroupMember[], b: readonly GroupMember[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  const isAt = ({ id, weight }: GroupMember, place: number) => b[place]!.id === id && b[place]!.weight === weight;
  // Nearly always in the same order; looking for each in all takes long where there are many.
  return a.every(isAt) || a.every(({ id, weight }) => b.some((member) => member.id === id && member.weight === weight));
}

export function sameKind(a: GroupKind, b: GroupKind): boolean {
  if (!a || !b) return a === b;
  return (
    a.buckets === b.buckets &&
    Math.abs(a.idleTimer - b.idleTimer) < COARSEST_TIMER &&
    a.unbalancedTimer === b.unbalancedTimer
  );
}
