/**
 * The hash buckets of a node's next-hop groups, as Linux keeps them (net/ipv4/nexthop.c): flows are bound to a bucket by their hash,
 * buckets to a member; a bucket of a member that has more than its weight asks for moves when it was idle for long enough. Buckets
 * move when a packet or a look comes by, which is as good as the kernel's timer here.
 */
import type { GroupMember, KernelGroup, NextHopId } from '../core/ports/kernel-tables.js';

interface Buckets {
  /** By bucket: its member, and when a packet last came, in milliseconds. */
  readonly members: NextHopId[];
  readonly used: number[];
  weights: readonly GroupMember[];
  packets: Map<NextHopId, number>;
  /** When it was last looked at. */
  at: number;
}

export class ResilientBuckets {
  private readonly groups = new Map<NextHopId, Buckets>();

  /** The member that a packet of a flow takes now. */
  choose(group: KernelGroup, hash: number, now: number): NextHopId {
    const buckets = this.bucketsOf(group);
    if (buckets.at < now) this.migrate(buckets, group, now);
    const bucket = hash % buckets.members.length;
    const member = buckets.members[bucket]!;
    buckets.used[bucket] = now;
    buckets.packets.set(member, (buckets.packets.get(member) ?? 0) + 1);
    return member;
  }

  /** Packets by member since the group was made or replaced; groups that carried none are left out. */
  counts(): { readonly id: NextHopId; readonly packets: ReadonlyMap<NextHopId, number> }[] {
    return [...this.groups].map(([id, { packets }]) => ({ id, packets: new Map(packets) }));
  }

  private bucketsOf(group: KernelGroup): Buckets {
    const known = this.groups.get(group.id);
    if (known) {
      // The kernel counts anew for a group that was replaced.
      if (known.weights !== group.members) known.packets = new Map();
      known.weights = group.members;
      return known;
    }
    const total = totalWeight(group.members);
    const count = group.resilient?.buckets ?? total;
    const members = group.members.flatMap(({ id }, place) => {
      const [from, to] = [place, place + 1].map((end) =>
        Math.round((totalWeight(group.members.slice(0, end)) / total) * count),
      );
      return new Array<NextHopId>(to! - from!).fill(id);
    });
    const used = members.map(() => Number.NEGATIVE_INFINITY);
    const fresh = {
      members,
      used,
      weights: group.members,
      packets: new Map<NextHopId, number>(),
      at: Number.NEGATIVE_INFINITY,
    };
    this.groups.set(group.id, fresh);
    return fresh;
  }

  private migrate(buckets: Buckets, { members: wanted, resilient }: KernelGroup, now: number): void {
    const { members, used } = buckets;
    buckets.at = now;
    const total = totalWeight(wanted);
    const lacking = new Map(wanted.map(({ id, weight }) => [id, Math.round((weight / total) * members.length)]));
    for (const member of members) lacking.set(member, (lacking.get(member) ?? 0) - 1);
    const idleTime = resilient ? resilient.idleTimer * 1000 : 0;
    for (const [bucket, member] of members.entries()) {
      const gone = !wanted.some(({ id }) => id === member);
      const spare = (lacking.get(member) ?? 0) < 0 && now - used[bucket]! >= idleTime;
      if (!gone && !spare) continue;
      const [to] = [...lacking].find(([id, count]) => count > 0 && id !== member) ?? [];
      if (to === undefined) return;
      members[bucket] = to;
      lacking.set(member, (lacking.get(member) ?? 0) + 1);
      lacking.set(to, lacking.get(to)! - 1);
    }
  }
}

function totalWeight(members: readonly GroupMember[]): number {
  return members.reduce((sum, { weight }) => sum + weight, 0);
}
