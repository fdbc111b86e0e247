/**
 * Route reflection (RFC 4456 section 6): what one internal neighbour said is told to another when one of them is our client.
 * CLUSTER_LIST grows by our cluster; ORIGINATOR_ID depends on who said it and is added in the RIB (rib/reflections.ts).
 */
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { ExportContext, ExportRoute } from './export-context.js';

/** From inside the AS to inside the AS. */
export function isReflected({ source }: ExportRoute, { external }: ExportContext): boolean {
  return !external && (source === 'internal' || source === 'client');
}

/** RFC 4456 section 6; without clients, RFC 4271 section 9.2: what an internal peer said is not told to another. */
export function mayBeReflected({ source }: ExportRoute, { clusterId, options }: ExportContext): boolean {
  return clusterId !== undefined && (source === 'client' || options?.reflectorClient === true);
}

/** RFC 4456 section 8. */
export function reflectedAttributes(attributes: PathAttributes, { clusterId }: ExportContext): PathAttributes {
  if (clusterId === undefined) return attributes;
  return { ...attributes, clusterList: [clusterId, ...(attributes.clusterList ?? [])] };
}
