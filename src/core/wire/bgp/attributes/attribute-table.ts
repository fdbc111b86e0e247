/** Every path attribute that heddle looks into, in ascending order of type. A new attribute is a file here and a row below. */
import { aggregator } from './aggregator.js';
import { aigp } from './aigp.js';
import { asPath } from './as-path.js';
import { as4Aggregator } from './as4-aggregator.js';
import { as4Path } from './as4-path.js';
import { atomicAggregate } from './atomic-aggregate.js';
import type { AttributeCodec } from './attribute-codec.js';
import { clusterList } from './cluster-list.js';
import { communities } from './communities.js';
import { extendedCommunities } from './extended-communities.js';
import { ipv6ExtendedCommunities } from './ipv6-extended-communities.js';
import { largeCommunities } from './large-communities.js';
import { localPref } from './local-pref.js';
import { med } from './med.js';
import { nextHop } from './next-hop.js';
import { nextHopCharacteristics } from './next-hop-characteristics.js';
import { origin } from './origin.js';
import { originatorId } from './originator-id.js';

export const ATTRIBUTE_CODECS: readonly AttributeCodec[] = [
  origin,
  asPath,
  nextHop,
  med,
  localPref,
  atomicAggregate,
  aggregator,
  communities,
  originatorId,
  clusterList,
  extendedCommunities,
  as4Path,
  as4Aggregator,
  ipv6ExtendedCommunities,
  aigp,
  largeCommunities,
  nextHopCharacteristics,
];

const BY_TYPE: ReadonlyMap<number, AttributeCodec> = new Map(ATTRIBUTE_CODECS.map((codec) => [codec.type, codec]));

export function attributeCodec(type: number): AttributeCodec | undefined {
  return BY_TYPE.get(type);
}
