/** What a policy term does to path attributes: a changed copy, one `set` after the other in the order of policy.ts. */
import type { AsNumber } from '../net/as-number.js';
import { colourCommunity, isColour } from '../wire/bgp/colour.js';
import type { ExtendedCommunity, PathAttributes } from '../wire/bgp/path-attributes.js';
import { type Community, communityTexts, matchesCommunity } from './community-text.js';
import type { Changes, CommunityChanges, CommunityList } from './policy.js';
import { prepended } from './prepend.js';
import { withExtendedCommunities } from './with-extended-communities.js';

/** The next hop is not in it: that depends on the session (see Verdict in compile-policy.ts). */
export function applyChanges(attributes: PathAttributes, changes: Changes, localAs: AsNumber): PathAttributes {
  let result = attributes;
  if (changes.colour !== undefined) result = coloured(result, changes.colour);
  if (changes.communities) result = withCommunities(result, changes.communities);
  if (changes.aigp !== undefined) result = withAigp(result, changes.aigp);
  if (changes.localPref !== undefined) result = { ...result, localPref: changes.localPref };
  if (changes.med !== undefined) result = withMed(result, changes.med);
  if (changes.prepend) result = { ...result, asPath: longer(result, changes.prepend, localAs) };
  return result;
}

function coloured(attributes: PathAttributes, colour: number | 'none'): PathAttributes {
  const others = (attributes.extendedCommunities ?? []).filter((community) => !isColour(community));
  return withExtendedCommunities(attributes, colour === 'none' ? others : [...others, colourCommunity(colour)]);
}

function withAigp(attributes: PathAttributes, metric: bigint | 'none'): PathAttributes {
  const { aigp, ...rest } = attributes;
  return metric === 'none' ? rest : { ...rest, aigp: { metric, otherTlvs: aigp?.otherTlvs ?? [] } };
}

function withMed(attributes: PathAttributes, med: number | 'none'): PathAttributes {
  const { med: _, ...rest } = attributes;
  return med === 'none' ? rest : { ...rest, med };
}

function longer({ asPath }: PathAttributes, prepend: NonNullable<Changes['prepend']>, localAs: AsNumber) {
  const asns = 'own' in prepend ? new Array<AsNumber>(prepend.own).fill(localAs) : prepend.asns;
  return asns.reduceRight(prepended, asPath);
}

/** Colours stay, whatever is replaced or removed: a route gets another one by `colour` alone. */
function withCommunities(attributes: PathAttributes, changes: CommunityChanges): PathAttributes {
  const kept = changes.replace ? onlyColours(attributes) : without(attributes, changes.remove ?? []);
  return withAdded(kept, [...(changes.replace ?? []), ...(changes.add ?? [])]);
}

function onlyColours(attributes: PathAttributes): PathAttributes {
  const { communities: _, largeCommunities: __, ...rest } = attributes;
  return withExtendedCommunities(rest, (attributes.extendedCommunities ?? []).filter(isColour));
}

function without(attributes: PathAttributes, lists: readonly CommunityList[]): PathAttributes {
  const patterns = lists.flatMap((list) => list.patterns);
  const keeps = (kind: Community['kind']) => {
    const texts = communityTexts(attributes, kind);
    const ofKind = patterns.filter((pattern) => pattern.kind === kind);
    return (_: unknown, index: number) => !ofKind.some((pattern) => matchesCommunity(pattern, texts[index]!));
  };
  const { communities = [], extendedCommunities = [], largeCommunities = [] } = attributes;
  const keepsExtended = keeps('extended');
  return withLists(attributes, {
    communities: communities.filter(keeps('standard')),
    extendedCommunities: extendedCommunities.filter((one, index) => isColour(one) || keepsExtended(one, index)),
    largeCommunities: largeCommunities.filter(keeps('large')),
  });
}

function withAdded(attributes: PathAttributes, added: readonly Community[]): PathAttributes {
  const communities = [...(attributes.communities ?? [])];
  const extendedCommunities = [...(attributes.extendedCommunities ?? [])];
  const largeCommunities = [...(attributes.largeCommunities ?? [])];
  for (const { kind, value } of added) {
    if (kind === 'standard') pushNew(communities, value, (a, b) => a === b);
    else if (kind === 'extended') pushNew(extendedCommunities, value, isSameExtended);
    else pushNew(largeCommunities, value, (a, b) => a.every((part, index) => part === b[index]));
  }
  return withLists(attributes, { communities, extendedCommunities, largeCommunities });
}

function pushNew<T>(list: T[], value: T, isSame: (a: T, b: T) => boolean): void {
  if (!list.some((other) => isSame(other, value))) list.push(value);
}

function isSameExtended(a: ExtendedCommunity, b: ExtendedCommunity): boolean {
  return a.type === b.type && a.subtype === b.subtype && a.value.every((octet, index) => octet === b.value[index]);
}

type CommunityLists = Required<Pick<PathAttributes, 'communities' | 'extendedCommunities' | 'largeCommunities'>>;

/** An attribute without any value is left out. */
function withLists(attributes: PathAttributes, lists: CommunityLists): PathAttributes {
  const { communities: _, extendedCommunities: __, largeCommunities: ___, ...rest } = attributes;
  const { communities, extendedCommunities, largeCommunities } = lists;
  return {
    ...rest,
    ...(communities.length > 0 && { communities }),
    ...(extendedCommunities.length > 0 && { extendedCommunities }),
    ...(largeCommunities.length > 0 && { largeCommunities }),
  };
}
