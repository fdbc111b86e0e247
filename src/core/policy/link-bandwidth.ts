/** Link bandwidth on export (RFC 10005): with our own next hop in the route, what we say of our link replaces what others said. */
import { isLinkBandwidth, linkBandwidthCommunity } from '../wire/bgp/link-bandwidth.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { ExportContext } from './export-context.js';

/** One community when the session has a bandwidth, never a second one of either form beside it; otherwise as it came. */
export function exportBandwidth(attributes: PathAttributes, { localAs, linkBandwidth }: ExportContext): PathAttributes {
  if (linkBandwidth === undefined) return attributes;
  const others = (attributes.extendedCommunities ?? []).filter((community) => !isLinkBandwidth(community));
  return { ...attributes, extendedCommunities: [...others, linkBandwidthCommunity(localAs, linkBandwidth)] };
}
