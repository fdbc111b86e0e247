/** `show dlb`: the quality of the links, and how the groups in use are shared out over them. */
import type { Speaker } from '../../core/speaker/speaker.js';
import type { LoadBalancing } from '../../edge/control/schema.js';
import { plainGroupsReason } from './fib-view.js';
import { interfaceNames } from './interface-names.js';
import { byName } from './show-order.js';

/** `plane` is null where there is none. */
export function loadBalancing(speaker: Speaker, plane: LoadBalancing['plane'] = null): LoadBalancing {
  const nameOf = interfaceNames(speaker);
  const { balancer } = speaker;
  return {
    mode: speaker.config.balancing?.mode ?? 'off',
    plainGroups: plainGroupsReason(speaker) ?? null,
    links: linkQualities(speaker),
    groups:
      balancer?.groups().map(({ id, moves, members }) => ({
        id,
        moves,
        members: members.map(({ interfaceIndex, due, share, packetRate }) => {
          return { interface: nameOf(interfaceIndex), due, share, packetRate: packetRate ?? null };
        }),
      })) ?? [],
    plane,
  };
}

/** Of the links alone. */
export function linkQualities(speaker: Speaker): LoadBalancing['links'] {
  const nameOf = interfaceNames(speaker);
  const links = (speaker.balancer?.links() ?? []).map(({ interfaceIndex, band, capacity, ...link }) => {
    return { interface: nameOf(interfaceIndex), quality: band, capacity, ...link };
  });
  return byName(links, (link) => link.interface);
}
