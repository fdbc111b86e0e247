/** A term's `set` in words for people. */

import { formatAddress } from '../net/address.js';
import { counted } from '../net/counted.js';
import { type Community, communityText } from './community-text.js';
import type { Changes, CommunityChanges } from './policy.js';

export function describeChanges(changes: Changes): string[] {
  const { colour, communities, aigp, localPref, med, prepend, nextHop } = changes;
  return [
    ...(colour === undefined ? [] : [`colour ${colour}`]),
    ...(communities ? describeCommunities(communities) : []),
    ...(aigp === undefined ? [] : [`AIGP ${aigp}`]),
    ...(localPref === undefined ? [] : [`local-pref ${localPref}`]),
    ...(med === undefined ? [] : [`MED ${med}`]),
    ...(prepend
      ? [`prepend ${'own' in prepend ? `our AS ${counted(prepend.own, 'time')}` : prepend.asns.join(' ')}`]
      : []),
    ...(nextHop === undefined ? [] : [`next hop ${nextHop === 'self' ? nextHop : formatAddress(nextHop)}`]),
  ];
}

function describeCommunities({ replace, remove, add }: CommunityChanges): string[] {
  const texts = (communities: readonly Community[]) => communities.map(communityText).join(' ') || 'none';
  return [
    ...(replace ? [`communities ${texts(replace)}`] : []),
    ...(remove ? [`without communities ${remove.map(({ name }) => name).join(' ')}`] : []),
    ...(add ? [`add communities ${texts(add)}`] : []),
  ];
}
