/** `show dlb`: the quality of the links, and how the groups in use are shared out over them. */
import type { Speaker } from '../../core/speaker/speaker.js';
import type { LoadBalancing } from '../../edge/control/schema.js';
import { plainGroupsReason } from './fib-view.js';
import { interfaceNames } from './interface-names.js';
import { byName } from './show-order.js';

export function loadBalancing(speaker: Speaker): LoadBalancing {
  const nameOf = interfaceNames(speaker);
  const { balancer } = speaker;
  return {
    mode: speaker.config.balancing?.mode ?? 'off',
    plainGroups: plainGroupsReason(speaker) ?? null,
    links: byName(
      (balancer?.links() ?? []).map(({ interfaceIndex, band, capacity, ...link }) => {
        return { interface: nameOf(interfaceIndex), quality: band, capacity, ...link };
      }),
      (link) => link.interface,
    ),
    groups:
      balancer?.groups().map(({ id, moves, members }) => ({
        id,
        moves,
        members: members.map(({ interfaceIndex, due, share, packetRate }) => {
          return { interface: nameOf(interfaceIndex), due, share, packetRate: packetRate ?? null };
        }),
      })) ?? [],
  };
}
