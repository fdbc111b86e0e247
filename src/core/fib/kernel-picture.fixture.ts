/** What the kernel's tables amount to, without ids: how each prefix is forwarded, and what is there for nothing. */
import { formatAddress } from '../net/address.js';
import { formatPrefix } from '../net/prefix.js';
import type { KernelSnapshot, KernelTables } from '../ports/kernel-tables.js';

export interface KernelPicture {
  /** By prefix and metric, the type of the group and its members. */
  readonly routes: Readonly<Record<string, readonly string[]>>;
  readonly unusedGroups: number;
  readonly unusedNextHops: number;
}

export async function kernelPicture(tables: Pick<KernelTables, 'dump'>): Promise<KernelPicture> {
  const snapshot = await tables.dump('everything');
  const used = new Set(snapshot.routes.map(({ nextHop }) => nextHop));
  const members = new Set(snapshot.groups.flatMap((group) => group.members.map(({ id }) => id)));
  const routes = snapshot.routes.map(
    ({ prefix, metric, nextHop }) => [`${formatPrefix(prefix)} ${metric}`, groupOf(snapshot, nextHop)] as const,
  );
  return {
    routes: Object.fromEntries(routes.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    unusedGroups: snapshot.groups.filter(({ id }) => !used.has(id)).length,
    unusedNextHops: snapshot.nextHops.filter(({ id }) => !members.has(id)).length,
  };
}

function groupOf({ groups, nextHops }: KernelSnapshot, id: number): readonly string[] {
  const group = groups.find((candidate) => candidate.id === id);
  if (!group) return ['no group'];
  const members = group.members.map((member) => {
    const nextHop = nextHops.find((candidate) => candidate.id === member.id);
    const where = nextHop ? `${formatAddress(nextHop.gateway)}%${nextHop.interfaceIndex}` : 'nothing';
    return `${where} *${member.weight}`;
  });
  return [group.resilient ? `resilient ${group.resilient.buckets}` : 'plain', ...members.toSorted()];
}
