/** Where a path came from, as export policy asks (policy/export-context.ts). */
import type { RouteSource } from '../policy/export-context.js';
import type { RibPeerInfo } from './types.js';

/** `undefined` is ourselves. */
export function routeSource(peer: RibPeerInfo | undefined): RouteSource {
  if (!peer) return 'local';
  if (!peer.external) return peer.options?.reflectorClient ? 'client' : 'internal';
  return peer.byAddress ? 'border' : 'external';
}
