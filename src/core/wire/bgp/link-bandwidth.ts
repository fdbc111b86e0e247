/**
 * The link bandwidth extended community (RFC 10005): two-octet AS, and octets a second as an IEEE 754 single. The transitive
 * (00 04) and the non-transitive form (40 04) are two communities, told apart by type and sub-type together.
 */
import type { AsNumber } from '../../net/as-number.js';
import type { ExtendedCommunity, PathAttributes } from './path-attributes.js';

const TYPE = { transitive: 0x00, nonTransitive: 0x40 };
const SUBTYPE = 0x04;
const AS_TRANS = 23456;

export function isLinkBandwidth({ type, subtype }: ExtendedCommunity): boolean {
  return subtype === SUBTYPE && (type === TYPE.transitive || type === TYPE.nonTransitive);
}

/** Transitive: what it says is meant for routers beyond our neighbour too. */
export function linkBandwidthCommunity(asn: AsNumber, bytesPerSecond: number): ExtendedCommunity {
  const value = new Uint8Array(6);
  const view = new DataView(value.buffer);
  view.setUint16(0, asn > 0xffff ? AS_TRANS : asn);
  view.setFloat32(2, bytesPerSecond);
  return { type: TYPE.transitive, subtype: SUBTYPE, value };
}

/** Octets a second as sent; it may be anything that four octets can say. */
export function bandwidthValue({ value }: ExtendedCommunity): number {
  return viewOf(value).getFloat32(2);
}

/** The bandwidth of a route; of several the lowest, whichever form it has. Negative ones, infinity and NaN say nothing. */
export function linkBandwidthOf({
  extendedCommunities,
}: Pick<PathAttributes, 'extendedCommunities'>): number | undefined {
  let lowest: number | undefined;
  for (const community of extendedCommunities ?? []) {
    if (!isLinkBandwidth(community)) continue;
    const bandwidth = bandwidthValue(community);
    if (Number.isFinite(bandwidth) && bandwidth >= 0) lowest = Math.min(bandwidth, lowest ?? bandwidth);
  }
  return lowest;
}

/** `bandwidth:65001:1250000000`, `bandwidth-non-transitive:...`: AS and octets a second. */
export function formatLinkBandwidth(community: ExtendedCommunity): string {
  const name = community.type === TYPE.transitive ? 'bandwidth' : 'bandwidth-non-transitive';
  return `${name}:${viewOf(community.value).getUint16(0)}:${bandwidthValue(community)}`;
}

function viewOf(value: Uint8Array): DataView {
  return new DataView(value.buffer, value.byteOffset, value.byteLength);
}
