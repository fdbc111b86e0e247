/** What counters say of a burst, beside the way that was expected of it. Pure. */
import type { PacketCounters } from '../lab/counters.js';
import type { LabPlan } from '../lab/plan.js';
import type { Followed } from './follow.js';

/** By node, then by interface. */
export type Counters = ReadonlyMap<string, ReadonlyMap<string, PacketCounters>>;

export interface HopCount {
  /** Packets that left by the hop's interface, and that the other end of the link took in, while the burst ran. */
  readonly sent: number;
  readonly received: number;
}

export interface Burst {
  readonly datagrams: number;
  /** Hop by hop, as followed. */
  readonly hops: readonly HopCount[];
  /** Packets that the destination's interfaces took in. */
  readonly arrived: number;
  /** Every hop carried the burst, and it arrived. */
  readonly confirmed: boolean;
  /** Where counters and tables differ; one line each. */
  readonly differences: readonly string[];
}

export interface Expectation {
  readonly plan: LabPlan;
  readonly followed: Followed;
  readonly to: string;
  readonly sent: number;
}

/** Less of a burst than this did not go a way; more of it on another interface did. Daemons talk meanwhile, and queues may be full. */
const NEARLY_ALL = 0.95;
const A_SHARE = 0.2;

export function judge({ plan, followed, to, sent }: Expectation, before: Counters, after: Counters): Burst {
  const grown = (node: string, name: string, key: keyof PacketCounters) =>
    (after.get(node)?.get(name)?.[key] ?? 0) - (before.get(node)?.get(name)?.[key] ?? 0);
  const hops = followed.hops.map((hop) => ({
    sent: grown(hop.node, hop.egress, 'sent'),
    received: grown(hop.peer, hop.peerInterface, 'received'),
  }));
  const entries = plan.links.flatMap(({ a, b }) => [a, b]).filter(({ node }) => node === to);
  const arrived = entries.reduce((sum, end) => sum + grown(end.node, end.interface, 'received'), 0);
  const whole = (count: number) => count >= sent * NEARLY_ALL;
  const lost = hops.findIndex((count) => !whole(count.sent) || !whole(count.received));
  const onTheWay = new Set(followed.hops.map((hop) => `${hop.node} ${hop.egress}`));
  const strays = plan.links
    .flatMap(({ a, b }) => [a, b])
    .filter(({ node, interface: name }) => !onTheWay.has(`${node} ${name}`) && node !== to)
    .map((end) => ({ ...end, count: grown(end.node, end.interface, 'sent') }))
    .filter(({ count }) => count >= sent * A_SHARE);
  const confirmed = followed.problem === null && lost < 0 && whole(arrived);
  const differences = confirmed ? [] : [...lossLine(lost), ...strays.map((stray) => strayLine(stray))];
  if (!confirmed && followed.problem === null && lost < 0)
    differences.push(`${arrived} of ${sent} datagrams arrived at ${to}`);
  if (followed.problem !== null && whole(arrived)) differences.push(`and yet ${arrived} datagrams arrived at ${to}`);
  return { datagrams: sent, hops, arrived, confirmed, differences };

  function lossLine(index: number): string[] {
    const hop = followed.hops[index];
    const count = hops[index];
    if (!hop || !count) return [];
    const link = `${hop.node}/${hop.egress} - ${hop.peer}/${hop.peerInterface}`;
    return whole(count.sent)
      ? [`${link}: ${count.sent} left, ${count.received} of ${sent} came in: the link loses them`]
      : [`${hop.node} should send by ${hop.egress}: ${count.sent} of ${sent} left there`];
  }

  function strayLine(stray: { readonly node: string; readonly interface: string; readonly count: number }): string {
    return `${stray.node}/${stray.interface} is not on the way, and ${stray.count} packets left there meanwhile`;
  }
}
