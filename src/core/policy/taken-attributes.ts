/** What a session's options make of received attributes: before the import policy, which sees the result, and behind it. */
import { GSHUT } from '../route/preference.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { acceptedCommunities } from './kept-communities.js';
import { prepended } from './prepend.js';
import type { SessionOptions } from './session-options.js';

/** Whether `takenAttributes` may change anything. */
export function changesReceived(options: SessionOptions | undefined): boolean {
  return options !== undefined && (options.acceptCommunities !== undefined || options.localAs !== undefined);
}

/** The same attributes when there is nothing to change. */
export function takenAttributes(attributes: PathAttributes, options: SessionOptions = {}): PathAttributes {
  const { acceptCommunities, localAs } = options;
  const kept = acceptCommunities ? acceptedCommunities(attributes, acceptCommunities) : attributes;
  // RFC 7705 section 3.1.
  if (!localAs?.prependReceived) return kept;
  return { ...kept, asPath: prepended(kept.asPath, localAs.asn) };
}

/** RFC 8326 section 4.1: what another AS is about to take away is the last choice; a policy may remove the community. */
export function underGracefulShutdown(attributes: PathAttributes): PathAttributes {
  if (!attributes.communities?.includes(GSHUT) || attributes.localPref === 0) return attributes;
  return { ...attributes, localPref: 0 };
}
