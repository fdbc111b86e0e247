/** A term's `match` as tests that run, each with the words that `heddle policy test` shows for it. */
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import { familyOfAddress } from '../net/family.js';
import { contains, formatPrefix, type Prefix } from '../net/prefix.js';
import { formatAsPath } from '../wire/bgp/attributes/as-path.js';
import { colourOf } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { AsPathRegex } from './as-path-regex.js';
import { communityTexts, matchesCommunity } from './community-text.js';
import type { AigpMatch, CommunityList, Match } from './policy.js';
import { PrefixMatcher } from './prefix-matcher.js';

/** A route as one session sees it. */
export interface PolicySubject {
  readonly attributes: PathAttributes;
  /** What the chain's prefix tests say of its prefix, one character each; empty for a chain without any. */
  readonly hits: string;
  readonly session: PolicySession;
}

export interface PolicySession {
  readonly interfaceName: string;
  readonly neighbour: Address;
}

export interface Condition {
  readonly text: string;
  holds(subject: PolicySubject): boolean;
}

/** Tests of a prefix, which are run once per prefix and known by their number from then on. */
export type PrefixTest = (prefix: Prefix) => boolean;

const ORIGINS = ['igp', 'egp', 'incomplete'] as const;

/** Prefix tests are added to `prefixTests`. */
export function compileConditions(match: Match, prefixTests: PrefixTest[]): Condition[] {
  return [
    ...prefixConditions(match, prefixTests),
    ...communityConditions(match),
    ...colourCondition(match),
    ...pathConditions(match),
    ...sessionConditions(match),
  ];
}

function prefixConditions({ prefixes, family }: Match, prefixTests: PrefixTest[]): Condition[] {
  const tested = (text: string, test: PrefixTest): Condition => {
    const number = prefixTests.push(test) - 1;
    return { text, holds: ({ hits }) => hits[number] === '1' };
  };
  const conditions: Condition[] = [];
  if (prefixes) {
    const matchers = prefixes.map(({ entries }) => new PrefixMatcher(entries));
    const text = `prefix in ${eitherOf(prefixes.map(({ name }) => name))}`;
    conditions.push(tested(text, (prefix) => matchers.some((matcher) => matcher.matches(prefix))));
  }
  if (family) conditions.push(tested(`family is ${family}`, ({ address }) => familyOfAddress(address) === family));
  return conditions;
}

function communityConditions({ communities, allCommunities }: Match): Condition[] {
  const conditions: Condition[] = [];
  if (communities) {
    const text = `a community of ${eitherOf(communities.map(({ name }) => name))}`;
    conditions.push({ text, holds: ({ attributes }) => communities.some((list) => hasOf(list, attributes)) });
  }
  if (allCommunities) {
    const text = `a community of each of ${allCommunities.map(({ name }) => name).join(', ')}`;
    conditions.push({ text, holds: ({ attributes }) => allCommunities.every((list) => hasOf(list, attributes)) });
  }
  return conditions;
}

function hasOf({ patterns }: CommunityList, attributes: PathAttributes): boolean {
  return patterns.some((pattern) =>
    communityTexts(attributes, pattern.kind).some((text) => matchesCommunity(pattern, text)),
  );
}

function colourCondition({ colour }: Match): Condition[] {
  if (!colour) return [];
  const text = `colour is ${eitherOf(colour.map(String))}`;
  return [{ text, holds: ({ attributes }) => colour.includes(colourOf(attributes) ?? 'none') }];
}

function pathConditions({ asPath, aigp, nextHop, origin }: Match): Condition[] {
  const conditions: Condition[] = [];
  if (asPath) conditions.push(asPathCondition(asPath));
  if (aigp) {
    const text = `AIGP is ${eitherOf(aigp.map(aigpText))}`;
    conditions.push({ text, holds: ({ attributes }) => aigp.some((one) => hasAigp(one, attributes)) });
  }
  if (nextHop) {
    const text = `next hop in ${eitherOf(nextHop.map(formatPrefix))}`;
    conditions.push({ text, holds: ({ attributes }) => nextHop.some((prefix) => hasNextHop(prefix, attributes)) });
  }
  if (origin) {
    const text = `origin is ${eitherOf(origin.map((one) => ORIGINS[one]))}`;
    conditions.push({ text, holds: ({ attributes }) => origin.includes(attributes.origin) });
  }
  return conditions;
}

function asPathCondition(texts: readonly string[]): Condition {
  const regexes = texts.map((text) => {
    const regex = AsPathRegex.parse(text);
    if (regex instanceof AsPathRegex) return regex;
    throw new RangeError(`AS path expression ${text}: ${regex.problem}`);
  });
  const holds = ({ attributes }: PolicySubject) => {
    const path = formatAsPath(attributes.asPath);
    return regexes.some((regex) => regex.matches(path));
  };
  return { text: `AS path matches ${eitherOf(texts)}`, holds };
}

function hasAigp(match: AigpMatch, { aigp }: PathAttributes): boolean {
  if ('absent' in match) return aigp === undefined;
  return aigp !== undefined && aigp.metric >= match.least && aigp.metric <= match.most;
}

function aigpText(match: AigpMatch): string {
  if ('absent' in match) return 'absent';
  if (match.least === match.most) return String(match.least);
  return match.least === 0n && match.most === 2n ** 64n - 1n ? 'present' : `${match.least} to ${match.most}`;
}

function hasNextHop(prefix: Prefix, { nextHop }: PathAttributes): boolean {
  return [nextHop?.global, nextHop?.linkLocal].some((address) => address !== undefined && contains(prefix, address));
}

function sessionConditions({ neighbour, interface: interfaces }: Match): Condition[] {
  const conditions: Condition[] = [];
  if (neighbour) {
    const text = `neighbor is ${eitherOf(neighbour.map(formatAddress))}`;
    const holds = ({ session }: PolicySubject) => neighbour.some((one) => equalBytes(one, session.neighbour));
    conditions.push({ text, holds });
  }
  if (interfaces) {
    const text = `interface is ${eitherOf(interfaces)}`;
    conditions.push({ text, holds: ({ session }) => interfaces.includes(session.interfaceName) });
  }
  return conditions;
}

function eitherOf(texts: readonly string[]): string {
  return texts.join(' or ');
}
