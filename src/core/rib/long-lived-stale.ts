/** Long-lived graceful restart (RFC 9494 section 4.3): what becomes of a path whose peer stays away longer than its restart time. */
import { LLGR_STALE, NO_LLGR } from '../route/preference.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';

/** The attributes with LLGR_STALE; `undefined` for a path that must not be kept so long. */
export function longLivedStale(attributes: PathAttributes): PathAttributes | undefined {
  const communities = attributes.communities ?? [];
  if (communities.includes(NO_LLGR)) return undefined;
  return communities.includes(LLGR_STALE) ? attributes : { ...attributes, communities: [...communities, LLGR_STALE] };
}
