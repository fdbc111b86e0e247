/** Shared by the tests of policies: terms with defaults, and sessions bound to them. */
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { parseCommunity, parseCommunityPattern } from './community-text.js';
import type { CommunityList, Policy, PrefixList, PrefixRange, Term } from './policy.js';
import { type Direction, SessionPolicies, type SessionPolicy } from './session-policy.js';

export function policy(name: string, ...terms: readonly Partial<Term>[]): Policy {
  return {
    name,
    terms: terms.map((term, index) => ({ name: String(index + 1), match: {}, set: {}, action: 'next', ...term })),
  };
}

/** `PREFIX`, `PREFIX least-most`, `!PREFIX least-most`. */
export function prefixes(...entries: readonly string[]): PrefixList {
  return { name: 'list', entries: entries.map(range) };
}

function range(text: string): PrefixRange {
  const [written, limits] = text.replace('!', '').split(' ');
  const prefix = parsePrefix(written!)!;
  const [least, most] = limits?.split('-').map(Number) ?? [prefix.length, prefix.length];
  return { prefix, least: least!, most: most!, deny: text.startsWith('!') };
}

export function communities(...texts: readonly string[]): CommunityList {
  return { name: texts.join(','), patterns: texts.map((text) => parseCommunityPattern(text)!) };
}

export const community = (text: string) => parseCommunity(text)!;

export interface Bound {
  readonly direction?: Direction;
  readonly strict?: boolean;
  readonly interfaceName?: string;
}

export const LOCAL_AS = 64512;

export function bound(chain: readonly Policy[], options: Bound = {}): SessionPolicy {
  const { direction = 'import', strict = false, interfaceName = 'eth1' } = options;
  const session = { interfaceName, neighbour: parseAddress('fe80::1')! };
  return new SessionPolicies().bind(chain, { direction, session, localAs: LOCAL_AS, strict })!;
}
