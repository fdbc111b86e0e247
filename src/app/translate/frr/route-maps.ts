/**
 * FRR's route maps as policies: an entry is a term, and who comes to the end is rejected. An entry with a condition that heddle cannot ask is left
 * out whole, since it would match other routes without it.
 */
import { listName } from '../finish.js';
import { applyRules, oneOrList, type Rule, type Statement, whole } from '../rules.js';
import type { Draft, Leftover, Settings, TermDraft } from '../translation.js';
import type { Family, Lists } from './lists.js';

export interface MapEntry {
  readonly head: Statement;
  readonly name: string;
  readonly permit: boolean;
  readonly sequence: number;
  readonly statements: Statement[];
}

interface TermContext {
  readonly lists: Lists;
  readonly match: Settings;
  readonly set: Settings;
  readonly changes: Settings;
  /** It asks for a list that is not there. */
  never?: true;
  next?: true;
}

/** Changes the draft; returns what it makes remarks of, and what is left. */
export function translateMaps(
  draft: Draft,
  lists: Lists,
  entries: readonly MapEntry[],
): { readonly remarks: string[]; readonly left: Leftover[] } {
  const never: string[] = [];
  const left: Leftover[] = [];
  const names = [...new Set(entries.map(({ name }) => name))];
  for (const name of names) {
    const ordered = entries.filter((entry) => entry.name === name).sort((one, other) => one.sequence - other.sequence);
    const terms = ordered.flatMap((entry) => {
      const made = termOf(entry, lists);
      left.push(...made.left);
      if (made.never) never.push(`${name} ${entry.sequence}`);
      return made.term ? [made.term] : [];
    });
    const last = terms.at(-1);
    const decidesAll = last && !last.match && last.action !== 'next';
    draft.policies[listName(name)] = decidesAll ? terms : [...terms, { name: 'end-of-map', action: 'reject' }];
  }
  const remarks =
    never.length === 0
      ? []
      : [`entries that ask for a list which is not there never match, and are left out: ${never.join(', ')}`];
  return { remarks, left };
}

interface MadeTerm {
  readonly term?: TermDraft;
  readonly never?: true;
  readonly left: readonly Leftover[];
}

function termOf({ head, permit, sequence, statements }: MapEntry, lists: Lists): MadeTerm {
  const context: TermContext = { lists, match: {}, set: {}, changes: {} };
  const left: Leftover[] = [];
  let isWhole = true;
  for (const { line, text, words } of statements) {
    const isMatch = words[0] === 'match' || words[0] === 'call';
    const why = applyRules(isMatch ? MATCHES : ACTIONS, words, { context, unknown: 'heddle has nothing like it' });
    if (why === undefined) continue;
    left.push({ line, text, why: isMatch ? `${why}; the whole of ${head.text} is left out` : why });
    if (isMatch) isWhole = false;
  }
  if (!isWhole) return { left };
  if (context.never) return { left, never: true };
  const { match, set, changes } = context;
  const all = { ...set, ...(Object.keys(changes).length > 0 && { communities: changes }) };
  const term: TermDraft = {
    name: String(sequence),
    ...(Object.keys(match).length > 0 && { match }),
    ...(permit && Object.keys(all).length > 0 && { set: all }),
    action: permit ? (context.next ? 'next' : 'accept') : 'reject',
  };
  return { left, term };
}

function matchPrefixes(family: Family): (context: TermContext, name?: string) => undefined {
  return (context, name = '') => {
    const list = context.lists.prefixList(family, name);
    if (list === undefined) context.never = true;
    else context.match.prefixes = list;
    return undefined;
  };
}

const MATCHES: readonly Rule<TermContext>[] = [
  ['match ipv6 address prefix-list *', matchPrefixes('ipv6')],
  ['match ip address prefix-list *', matchPrefixes('ipv4')],
  [
    'match as-path *',
    (context, name = '') => {
      const entries = context.lists.asPaths.get(name);
      if (!entries) context.never = true;
      else if (entries.some(({ permit }) => !permit))
        return `AS-path list ${name} denies some: write the terms by hand`;
      else context.match['as-path'] = oneOrList(entries.map(({ value }) => value));
      return undefined;
    },
  ],
  ['match community * exact-match', () => 'only these communities and no others: heddle cannot ask that'],
  ['match community *', matchCommunities],
  ['match large-community *', matchCommunities],
  [
    'match extcommunity *',
    (context, name = '') => {
      const entries = context.lists.extended.get(name);
      if (!entries) context.never = true;
      else {
        const found = entries.map(({ permit, value }) => (permit ? extendedText(value) : undefined));
        const colours = found.flatMap((one) => (one && 'colour' in one ? [one.colour] : []));
        const communities = found.flatMap((one) => (one && 'community' in one ? [one.community] : []));
        if (found.includes(undefined) || (colours.length > 0 && communities.length > 0))
          return `list ${name} denies some, or has kinds that do not go together: write the terms by hand`;
        if (colours.length > 0) context.match.colour = oneOrList(colours);
        else context.match.communities = oneOrList(communities);
      }
      return undefined;
    },
  ],
  [
    'match peer *',
    (context, peer = '') => {
      context.match[/^[0-9a-f.:]+$/i.test(peer) ? 'neighbour' : 'interface'] = peer;
    },
  ],
  ['match interface *', () => 'it is the interface of the next hop, where heddle asks for that of the session'],
  [
    'match origin *',
    (context, origin) => {
      context.match.origin = origin;
    },
  ],
  [
    'match ipv6 next-hop address *',
    (context, address) => {
      context.match['next-hop'] = address;
    },
  ],
  [
    'match ip next-hop address *',
    (context, address) => {
      context.match['next-hop'] = address;
    },
  ],
];

function matchCommunities(context: TermContext, name = ''): string | undefined {
  const list = context.lists.communityList(name);
  if (!list) context.never = true;
  else if ('why' in list) return list.why;
  else context.match.communities = list.name;
  return undefined;
}

/** `rt 65000:1`, `soo 65000:1`, `color 00:7`. */
function extendedText(text: string): { readonly colour: number } | { readonly community: string } | undefined {
  const [kind, value = '', ...more] = text.split(' ');
  if (more.length > 0) return undefined;
  if (kind === 'color') {
    const colour = colourValue(value);
    return colour === undefined ? undefined : { colour };
  }
  return kind === 'rt' || kind === 'soo' ? { community: `${kind}:${value}` } : undefined;
}

/** `7`, or with the CO bits in front: `01:7`. */
function colourValue(text: string): number | undefined {
  return whole(text.replace(/^[01]{2}:/, ''), 0, 0xffffffff);
}

const RELATIVE = 'heddle sets values, it does not add to them';

function number(key: string, most: number) {
  return ({ set }: TermContext, text = ''): string | undefined => {
    const value = whole(text, 0, most);
    if (value === undefined) return RELATIVE;
    set[key] = value;
    return undefined;
  };
}

function add(context: TermContext, communities: readonly string[], key = 'add'): undefined {
  const before = (context.changes[key] as string[] | undefined) ?? [];
  context.changes[key] = [...before, ...communities];
  return undefined;
}

const ACTIONS: readonly Rule<TermContext>[] = [
  ['set local-preference *', number('local-pref', 0xffffffff)],
  ['set metric *', number('med', 0xffffffff)],
  ['set aigp-metric *', number('aigp', 0xffffffff)],
  [
    'set as-path prepend ...',
    ({ set }, asns = '') => {
      if (!/^[\d. ]+$/.test(asns)) return 'heddle prepends its own AS so many times, or a list of AS numbers';
      set.prepend = asns.split(' ').map((asn) => (asn.includes('.') ? asn : Number(asn)));
      return undefined;
    },
  ],
  [
    'set community none',
    ({ changes }) => {
      changes.replace = [];
    },
  ],
  [
    'set community ...',
    (context, rest = '') => {
      const words = rest.split(' ');
      const additive = words.at(-1) === 'additive';
      return add(context, additive ? words.slice(0, -1) : words, additive ? 'add' : 'replace');
    },
  ],
  [
    'set large-community ...',
    (context, rest = '') =>
      add(
        context,
        rest.split(' ').filter((word) => word !== 'additive'),
        'add',
      ),
  ],
  [
    'set comm-list * delete',
    (context, name = '') => {
      const list = context.lists.communityList(name);
      if (list && 'why' in list) return list.why;
      return list && add(context, [list.name], 'remove');
    },
  ],
  [
    'set extcommunity color *',
    ({ set }, text = '') => {
      set.colour = colourValue(text);
      return set.colour === undefined ? 'one colour is understood' : undefined;
    },
  ],
  [
    'set extcommunity rt ...',
    (context, rest = '') =>
      add(
        context,
        rest.split(' ').map((value) => `rt:${value}`),
      ),
  ],
  ['set extcommunity soo *', (context, value) => add(context, [`soo:${value}`])],
  [
    'set ipv6 next-hop global *',
    ({ set }, address) => {
      set['next-hop'] = address;
    },
  ],
  [
    'set ip next-hop *',
    ({ set }, address) => {
      set['next-hop'] = address;
    },
  ],
  [
    'on-match next',
    (context) => {
      context.next = true;
    },
  ],
  ['description ...', () => undefined],
];
