/** FRR's prefix lists, AS-path lists and community lists, as far as route maps look at them. */
import { parsePrefix } from '../../../core/net/prefix.js';
import { listName } from '../finish.js';
import { type Rule, whole } from '../rules.js';
import type { Draft } from '../translation.js';

export type Family = 'ipv6' | 'ipv4';

interface ListEntry {
  readonly sequence: number;
  readonly permit: boolean;
  readonly value: string;
}

/** By name, in the order of their sequence numbers. */
export class NamedLists {
  private readonly lists = new Map<string, ListEntry[]>();

  add(name: string, entry: Omit<ListEntry, 'sequence'> & { readonly sequence?: number }): void {
    const list = this.lists.get(name) ?? [];
    const sequence = entry.sequence ?? (list.at(-1)?.sequence ?? 0) + 5;
    this.lists.set(
      name,
      [...list, { ...entry, sequence }].sort((one, other) => one.sequence - other.sequence),
    );
  }

  get(name: string): readonly ListEntry[] | undefined {
    return this.lists.get(name);
  }
}

export class Lists {
  readonly prefixes = { ipv6: new NamedLists(), ipv4: new NamedLists() };
  readonly asPaths = new NamedLists();
  readonly communities = new NamedLists();
  readonly extended = new NamedLists();

  constructor(private readonly draft: Draft) {}

  /** The name under which it stands in the draft; undefined when there is none, and nothing matches then. */
  prefixList(family: Family, name: string): string | undefined {
    const entries = this.prefixes[family].get(name);
    if (!entries) return undefined;
    const both = this.prefixes.ipv6.get(name) && this.prefixes.ipv4.get(name);
    const own = listName(both ? `${name}-${family}` : name);
    this.draft['prefix-lists'][own] = entries.map(({ permit, value }) => (permit ? value : `deny ${value}`));
    return own;
  }

  /** A text says why it cannot be had. */
  communityList(name: string): { readonly name: string } | { readonly why: string } | undefined {
    const entries = this.communities.get(name);
    if (!entries) return undefined;
    if (entries.some(({ permit, value }) => !permit || value.includes(' ')))
      return { why: `community list ${name} denies, or asks for several communities at once: write the terms by hand` };
    const own = listName(name);
    this.draft['community-lists'][own] = entries.map(({ value }) => value);
    return { name: own };
  }
}

/** `seq 5 permit fc00::/64 le 128`, without the name. */
function prefixEntry(lists: NamedLists, name: string, rest: string): string | undefined {
  const match = /^(?:seq (\d+) )?(permit|deny) (\S+)((?: (?:ge|le) \d+)*)$/.exec(rest);
  if (!match) return 'the entry is not understood';
  const [, sequence, action, prefix, range] = match;
  const any = prefix === 'any';
  const text = any ? '' : prefix!;
  if (!any && !parsePrefix(text)) return `${prefix} is no prefix`;
  const value = any ? undefined : ordered(`${text}${range}`);
  const given = { permit: action === 'permit', ...(sequence !== undefined && { sequence: Number(sequence) }) };
  lists.add(name, { ...given, value: value ?? 'any' });
  return undefined;
}

/** `ge` in front of `le`. */
function ordered(range: string): string {
  const [prefix = '', ...rest] = range.split(' ');
  const least = rest[rest.indexOf('ge') + 1];
  const most = rest[rest.indexOf('le') + 1];
  return [prefix, ...(rest.includes('ge') ? ['ge', least] : []), ...(rest.includes('le') ? ['le', most] : [])].join(
    ' ',
  );
}

function anyPrefix(family: Family): string {
  return family === 'ipv6' ? '::/0 le 128' : '0.0.0.0/0 le 32';
}

function prefixRule(keyword: string, family: Family): Rule<Lists> {
  return [
    `${keyword} prefix-list * ...`,
    ({ prefixes }, name, rest = '') => {
      if (/^description /.test(rest)) return undefined;
      return prefixEntry(prefixes[family], name!, rest.replace(/ any(?: le \d+)?$/, ` ${anyPrefix(family)}`));
    },
  ];
}

/** `seq 5 permit VALUE`, without the name. */
function plainEntry(lists: NamedLists, name: string, rest: string): string | undefined {
  const match = /^(?:seq (\d+) )?(permit|deny) (.+)$/.exec(rest);
  if (!match) return 'the entry is not understood';
  const sequence = whole(match[1], 0, 0xffffffff);
  lists.add(name, { permit: match[2] === 'permit', value: match[3]!, ...(sequence !== undefined && { sequence }) });
  return undefined;
}

const EXPANDED =
  'lists of regular expressions over communities have no counterpart: * stands for any part of a community';

export const LIST_RULES: readonly Rule<Lists>[] = [
  prefixRule('ipv6', 'ipv6'),
  prefixRule('ip', 'ipv4'),
  ['bgp as-path access-list * ...', ({ asPaths }, name, rest = '') => plainEntry(asPaths, name!, rest)],
  ['ip as-path access-list * ...', ({ asPaths }, name, rest = '') => plainEntry(asPaths, name!, rest)],
  ['bgp community-list expanded ...', () => EXPANDED],
  ['bgp community-list standard * ...', ({ communities }, name, rest = '') => plainEntry(communities, name!, rest)],
  ['bgp community-list * ...', ({ communities }, name, rest = '') => plainEntry(communities, name!, rest)],
  ['bgp large-community-list expanded ...', () => EXPANDED],
  [
    'bgp large-community-list standard * ...',
    ({ communities }, name, rest = '') => plainEntry(communities, name!, rest),
  ],
  ['bgp extcommunity-list expanded ...', () => EXPANDED],
  ['bgp extcommunity-list standard * ...', ({ extended }, name, rest = '') => plainEntry(extended, name!, rest)],
];
