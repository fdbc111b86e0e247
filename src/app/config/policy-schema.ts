/** The policy language in a configuration file: lists, policies, and what attaches them. Names are resolved in policy-names.ts. */
import { z } from 'zod';
import { parseAddress } from '../../core/net/address.js';
import { type Prefix, parsePrefix } from '../../core/net/prefix.js';
import { AsPathRegex } from '../../core/policy/as-path-regex.js';
import {
  type Community,
  type CommunityPattern,
  isColourText,
  looksLikeCommunity,
  parseCommunity,
  parseCommunityPattern,
} from '../../core/policy/community-text.js';
import type { AigpMatch, Changes, PrefixRange } from '../../core/policy/policy.js';
import type { Origin } from '../../core/wire/bgp/path-attributes.js';
import { colourOfName } from './colour-names.js';
import { asNumber, wholeNumber } from './file-values.js';

const MAX_U32 = 0xffffffff;
const MAX_METRIC = 2n ** 64n - 1n;

type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** One text (or number), or a list of them; each problem stands at its entry. */
function oneOrMore<T>(expected: string, parse: (text: string) => Parsed<T>) {
  const scalar = z.union([z.string(), z.int()]);
  return z.union([scalar, z.array(scalar, expected).min(1, expected)], expected).transform((given, context): T[] =>
    (Array.isArray(given) ? given : [given]).flatMap((one, index) => {
      const parsed = parse(String(one));
      if ('value' in parsed) return [parsed.value];
      context.addIssue({ code: 'custom', message: parsed.problem, path: Array.isArray(given) ? [index] : [] });
      return [];
    }),
  );
}

/** For texts that are right or are not what is expected. */
function parsedBy<T>(expected: string, parse: (text: string) => T | undefined): (text: string) => Parsed<T> {
  return (text) => {
    const value = parse(text);
    return value === undefined ? { problem: expected } : { value };
  };
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]*$/;
const listName = z
  .string()
  .regex(NAME, 'a name starts with a letter; letters, digits, dots, dashes follow')
  .refine((name) => !looksLikeCommunity(name), 'this is a community, and can be no name of a list');

/** A name to be looked up, or what is written out in place. */
export type Reference<T> = { readonly name: string } | { readonly text: string; readonly inline: T };

const RANGE_EXPECTED =
  'expected PREFIX, PREFIX ge N, PREFIX le N or PREFIX ge N le N, with deny in front to exclude it';

function parseRange(text: string): Parsed<PrefixRange> {
  const match = /^(deny +)?(\S+\/\d+)(?: +ge +(\d+))?(?: +le +(\d+))?$/.exec(text.trim());
  const prefix = match && parsePrefix(match[2]!);
  if (!match || !prefix) return { problem: RANGE_EXPECTED };
  const longest = prefix.address.length * 8;
  const least = Number(match[3] ?? prefix.length);
  const most = match[4] !== undefined ? Number(match[4]) : match[3] !== undefined ? longest : prefix.length;
  if (least < prefix.length || least > most || most > longest) {
    return { problem: `no prefix length fits: the prefix has ${prefix.length}, ge is ${least}, le is ${most}` };
  }
  return { value: { prefix, least, most, deny: match[1] !== undefined } };
}

function prefixReference(text: string): Parsed<Reference<PrefixRange>> {
  if (NAME.test(text)) return { value: { name: text } };
  const range = parseRange(text);
  return 'value' in range ? { value: { text, inline: range.value } } : range;
}

const COMMUNITY_EXPECTED =
  'expected a community: 65000:1, no-export, rt:65000:1, 65000:1:2 or 16 hexadecimal digits; * stands for any part';

function communityReference(text: string): Parsed<Reference<CommunityPattern>> {
  if (!looksLikeCommunity(text) && NAME.test(text)) return { value: { name: text } };
  const inline = parseCommunityPattern(text);
  return inline ? { value: { text, inline } } : { problem: COMMUNITY_EXPECTED };
}

function addedCommunity(text: string): Parsed<Community> {
  if (isColourText(text)) return { problem: 'a colour is set by colour:, so that nothing else changes it' };
  const value = parseCommunity(text);
  return value ? { value } : { problem: COMMUNITY_EXPECTED.replace('; * stands for any part', '') };
}

const patterns = oneOrMore(COMMUNITY_EXPECTED, parsedBy(COMMUNITY_EXPECTED, parseCommunityPattern));

const COLOUR_EXPECTED = 'expected a colour, 0 to 4294967295 or its name, or none';

function parseColour(text: string): number | 'none' | undefined {
  if (text === 'none') return text;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : colourOfName(text);
  return number !== undefined && number <= MAX_U32 ? number : undefined;
}

const METRIC = /^\d{1,20}$/;
const AIGP_EXPECTED = 'expected present, absent, a value, or a range such as 0-100';

function parseAigp(text: string): AigpMatch | undefined {
  if (text === 'absent') return { absent: true };
  if (text === 'present') return { least: 0n, most: MAX_METRIC };
  const [least, most = least] = text.split('-');
  if (!METRIC.test(least!) || !METRIC.test(most!)) return undefined;
  const range = { least: BigInt(least!), most: BigInt(most!) };
  return range.least <= range.most && range.most <= MAX_METRIC ? range : undefined;
}

function parseExpression(text: string): Parsed<string> {
  const regex = AsPathRegex.parse(text);
  if (regex instanceof AsPathRegex) return { value: text };
  return { problem: `not a regular expression: ${regex.problem} (character ${regex.at + 1} of ${text})` };
}

function parseNextHop(text: string): Prefix | undefined {
  const address = parseAddress(text);
  return address ? { address, length: address.length * 8 } : parsePrefix(text);
}

const ORIGINS: Readonly<Record<string, Origin>> = { igp: 0, egp: 1, incomplete: 2 };
const originOf = (text: string) => (Object.hasOwn(ORIGINS, text) ? ORIGINS[text] : undefined);
const ADDRESS_EXPECTED = 'expected an address such as fe80::1';
const addresses = oneOrMore(ADDRESS_EXPECTED, parsedBy(ADDRESS_EXPECTED, parseAddress));
const colours = oneOrMore(COLOUR_EXPECTED, parsedBy(COLOUR_EXPECTED, parseColour));
const NEXT_HOP_EXPECTED = 'expected an address or a prefix';
const ORIGIN_EXPECTED = 'expected igp, egp or incomplete';
const interfaceNames = oneOrMore('expected an interface name', (value) => ({ value }));

const match = z
  .strictObject({
    prefixes: oneOrMore(RANGE_EXPECTED, prefixReference)
      .optional()
      .describe('Names of prefix lists, or PREFIX [ge N] [le N] in place.'),
    family: z.enum(['ipv6', 'ipv4'], 'expected ipv6 or ipv4').optional().describe('Of the prefix: ipv6 or ipv4.'),
    communities: oneOrMore(COMMUNITY_EXPECTED, communityReference).optional().describe('At least one of these.'),
    'all-communities': oneOrMore(COMMUNITY_EXPECTED, communityReference).optional().describe('Each of these.'),
    colour: colours
      .optional()
      .describe('Colours by number or name, or none; the highest of a route counts (RFC 9256).'),
    color: colours.optional().describe('As colour.'),
    'as-path': oneOrMore('expected a regular expression', parseExpression)
      .optional()
      .describe('Regular expressions over the AS_PATH; _ is any boundary of an AS number.'),
    aigp: oneOrMore(AIGP_EXPECTED, parsedBy(AIGP_EXPECTED, parseAigp))
      .optional()
      .describe('present, absent, a value, or a range such as 0-100.'),
    'next-hop': oneOrMore(NEXT_HOP_EXPECTED, parsedBy(NEXT_HOP_EXPECTED, parseNextHop))
      .optional()
      .describe('Addresses, or prefixes that it is in.'),
    neighbour: addresses.optional().describe('Address at the other end of the session.'),
    neighbor: addresses.optional().describe('As neighbour.'),
    interface: interfaceNames.optional().describe('Interface of the session.'),
    origin: oneOrMore(ORIGIN_EXPECTED, parsedBy(ORIGIN_EXPECTED, originOf))
      .optional()
      .describe('igp, egp or incomplete.'),
  })
  .describe('All of these; each by any of its values. Without it: every route.');
export type GivenMatch = z.output<typeof match>;

const MED_EXPECTED = 'expected 0 to 4294967295, or none';
const SET_AIGP_EXPECTED = 'expected 0 to 18446744073709551615, or none';
const PREPEND_EXPECTED = 'expected how often our own AS goes in front (1 to 32), or a list of AS numbers';
const SET_NEXT_HOP_EXPECTED = 'expected self, or an address';

const scalar = z.union([z.string(), z.int()]);

function parsedScalar<T>(expected: string, parse: (text: string) => T | undefined) {
  return scalar.transform((given, context): T => {
    const value = parse(String(given));
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: expected });
    return z.NEVER;
  });
}

const setColour = parsedScalar(COLOUR_EXPECTED, parseColour);

const communityChanges = z.strictObject({
  replace: z
    .union([
      z
        .array(scalar)
        .max(0)
        .transform((): Community[] => []),
      oneOrMore(COMMUNITY_EXPECTED, addedCommunity),
    ])
    .optional()
    .describe('Instead of all there are but the colour; [] for none.'),
  remove: oneOrMore(COMMUNITY_EXPECTED, communityReference)
    .optional()
    .describe('Communities, patterns of them, or names of community lists.'),
  add: oneOrMore(COMMUNITY_EXPECTED, addedCommunity).optional().describe('Communities.'),
});
export type GivenCommunityChanges = z.output<typeof communityChanges>;

const set = z.strictObject({
  colour: setColour.optional().describe('One colour instead of all there are, or none.'),
  color: setColour.optional().describe('As colour.'),
  communities: communityChanges.optional().describe('Of all three kinds. Colours are left alone.'),
  aigp: parsedScalar(SET_AIGP_EXPECTED, (text): bigint | 'none' | undefined => {
    if (text === 'none') return text;
    return METRIC.test(text) && BigInt(text) <= MAX_METRIC ? BigInt(text) : undefined;
  })
    .optional()
    .describe('AIGP (RFC 7311), or none.'),
  'local-pref': wholeNumber(0, MAX_U32).optional().describe('LOCAL_PREF; it never leaves the AS.'),
  med: parsedScalar(MED_EXPECTED, (text): number | 'none' | undefined => {
    if (text === 'none') return text;
    return /^\d{1,10}$/.test(text) && Number(text) <= MAX_U32 ? Number(text) : undefined;
  })
    .optional()
    .describe('MULTI_EXIT_DISC, or none.'),
  prepend: z
    .union([z.int().min(1).max(32), z.array(asNumber).min(1).max(32)], PREPEND_EXPECTED)
    .transform((given): NonNullable<Changes['prepend']> => (Array.isArray(given) ? { asns: given } : { own: given }))
    .optional()
    .describe('How often our own AS goes in front, or a list of AS numbers.'),
  'next-hop': parsedScalar(SET_NEXT_HOP_EXPECTED, (text) => (text === 'self' ? text : parseAddress(text)))
    .optional()
    .describe('An address, or self.'),
});
export type GivenSet = z.output<typeof set>;

const term = z.strictObject({
  name: z
    .string()
    .regex(/^\S+$/, 'a name has no spaces')
    .optional()
    .describe('How messages name the term. Default: its number in the policy.'),
  match: match.optional(),
  set: set.optional().describe('What is changed in a route that matches.'),
  action: z
    .enum(['accept', 'reject', 'next'], 'expected accept, reject or next')
    .optional()
    .describe('What becomes of a route that matches. Default: next, the following term.'),
});
export type GivenTerm = z.output<typeof term>;

const POLICY_NAMES_EXPECTED = 'expected the name of a policy, or a list of names';
export const policyNames = oneOrMore(
  POLICY_NAMES_EXPECTED,
  parsedBy(POLICY_NAMES_EXPECTED, (text) => (NAME.test(text) ? text : undefined)),
);

export const prefixLists = z
  .record(listName, oneOrMore(RANGE_EXPECTED, parseRange), 'expected lists of prefixes, each with its name')
  .describe('Named lists: PREFIX [ge N] [le N], first match counts, deny in front excludes.');

export const communityLists = z
  .record(listName, patterns, 'expected lists of communities, each with its name')
  .describe('Named lists of communities of all kinds; * stands for any part.');

export const policies = z
  .record(listName, z.array(term, 'expected a list of terms').min(1, 'expected at least one term'), 'expected policies')
  .describe('Named policies: terms that match, set, and accept, reject, or go on (next).');
