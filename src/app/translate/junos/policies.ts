/** Junos policy statements as policies; who comes to the end goes on, as there. */
import { listName } from '../finish.js';
import { applyRules, nothing, type Rule, type Statement, whole } from '../rules.js';
import type { Draft, Leftover, Settings, TermDraft } from '../translation.js';

/** What `policy-options` names beside policies. */
export interface JunosLists {
  readonly prefixLists: Map<string, string[]>;
  /** Members; a community has all of them. */
  readonly communities: Map<string, string[]>;
  readonly asPaths: Map<string, string>;
}

export interface JunosTerm {
  readonly policy: string;
  readonly name: string;
  readonly statements: Statement[];
}

interface TermContext {
  readonly lists: JunosLists;
  readonly match: Settings;
  readonly set: Settings;
  readonly changes: Record<string, string[]>;
  action?: TermDraft['action'];
}

export function translatePolicies(draft: Draft, lists: JunosLists, terms: readonly JunosTerm[]): Leftover[] {
  const left: Leftover[] = [];
  for (const { policy, name, statements } of terms) {
    const made = termOf(name, statements, lists);
    left.push(...made.left);
    const own = listName(policy);
    draft.policies[own] = [...(draft.policies[own] ?? []), ...(made.term ? [made.term] : [])];
  }
  for (const [name, policy] of Object.entries(draft.policies))
    if (policy.length === 0) draft.policies[name] = [{ action: 'next' }];
  return left;
}

function termOf(
  name: string,
  statements: readonly Statement[],
  lists: JunosLists,
): { term?: TermDraft; left: Leftover[] } {
  const context: TermContext = { lists, match: {}, set: {}, changes: {} };
  const left: Leftover[] = [];
  let isWhole = true;
  for (const { line, text, words } of statements) {
    const isMatch = words[0] !== 'then';
    const why = applyRules(isMatch ? MATCHES : ACTIONS, words, { context, unknown: 'heddle has nothing like it' });
    if (why === undefined) continue;
    left.push({ line, text, why: isMatch ? `${why}; the whole of term ${name} is left out` : why });
    if (isMatch) isWhole = false;
  }
  if (!isWhole) return { left };
  const { match, set, changes, action } = context;
  const all = { ...set, ...(Object.keys(changes).length > 0 && { communities: changes }) };
  const term: TermDraft = {
    name: name.replaceAll(/\s/g, '-'),
    ...(Object.keys(match).length > 0 && { match }),
    ...(Object.keys(all).length > 0 && action !== 'reject' && { set: all }),
    action: action ?? 'next',
  };
  return { left, term };
}

function add(
  target: Settings | Record<string, string[]>,
  key: string,
  values: readonly (string | number)[],
): undefined {
  const before = (target[key] as (string | number)[] | undefined) ?? [];
  target[key] = [...before, ...values] as string[];
  return undefined;
}

function lengthsOf(prefix: string, words: readonly string[]): string | undefined {
  const length = Number(prefix.split('/')[1]);
  const longest = prefix.includes(':') ? 128 : 32;
  const [kind = 'exact', value = ''] = words;
  const range = /^\/(\d+)-\/(\d+)$/.exec(value);
  if (kind === 'exact') return prefix;
  if (kind === 'orlonger') return `${prefix} le ${longest}`;
  if (kind === 'longer') return `${prefix} ge ${length + 1} le ${longest}`;
  if (kind === 'upto') return `${prefix} le ${value.slice(1)}`;
  return kind === 'prefix-length-range' && range ? `${prefix} ge ${range[1]} le ${range[2]}` : undefined;
}

function prefixes(context: TermContext, ranges: readonly (string | undefined)[]): string | undefined {
  if (ranges.includes(undefined)) return 'the range of lengths is not understood';
  return add(context.match, 'prefixes', ranges as string[]);
}

/** Colours of a community; undefined when it has other members. */
export function coloursIn(members: readonly string[]): number[] | undefined {
  const colours = members.map((member) => whole(/^color:\d+:(\d+)$/.exec(member)?.[1], 0, 0xffffffff));
  return colours.length > 0 && colours.every((colour) => colour !== undefined) ? (colours as number[]) : undefined;
}

/** As heddle writes it. */
function communityText(member: string): string {
  return member
    .replace(/^target:/, 'rt:')
    .replace(/^origin:/, 'soo:')
    .replace(/^large:/, '');
}

function isPlain(members: readonly string[]): boolean {
  return members.every((member) =>
    /^(?:(?:target|origin|large):)?[\d*:.]+$|^no-(?:export|advertise|peer)$/.test(member),
  );
}

function familyOf(match: Settings, family: string): string | undefined {
  if (family !== 'inet' && family !== 'inet6') return 'heddle speaks IPv6 and IPv4 unicast';
  match.family = family === 'inet' ? 'ipv4' : 'ipv6';
  return undefined;
}

const REGULAR = 'it has regular expressions, or kinds that do not go together';

const MATCHES: readonly Rule<TermContext>[] = [
  ['from family *', ({ match }, family = '') => familyOf(match, family)],
  ['from prefix-list *', (context, name = '') => prefixes(context, context.lists.prefixLists.get(name) ?? [])],
  [
    'from prefix-list-filter * ...',
    (context, name = '', kind = '') =>
      prefixes(
        context,
        (context.lists.prefixLists.get(name) ?? []).map((one) => lengthsOf(one, kind.split(' '))),
      ),
  ],
  [
    'from route-filter * ...',
    (context, prefix = '', kind = '') => prefixes(context, [lengthsOf(prefix, kind.split(' ').slice(0, 2))]),
  ],
  [
    'from community *',
    ({ match, lists }, name = '') => {
      const members = lists.communities.get(name);
      if (!members) return `there is no community ${name}`;
      const colours = coloursIn(members);
      if (colours) return add(match, 'colour', colours);
      if (!isPlain(members)) return REGULAR;
      const key = members.length === 1 ? 'communities' : 'all-communities';
      if (key === 'all-communities' && match[key]) return 'a second community of several members in one term';
      return add(match, key, members.map(communityText));
    },
  ],
  [
    'from as-path *',
    ({ match, lists }, name = '') => {
      const expression = lists.asPaths.get(name);
      return expression === undefined
        ? `there is no as-path ${name}`
        : add(match, 'as-path', [unixExpression(expression)]);
    },
  ],
  ['from protocol bgp', ({ match }) => add(match, 'as-path', ['.'])],
  ['from protocol direct', ({ match }) => add(match, 'as-path', ['^$'])],
  ['from protocol local', ({ match }) => add(match, 'as-path', ['^$'])],
  ['from protocol static', ({ match }) => add(match, 'as-path', ['^$'])],
  ['from protocol aggregate', ({ match }) => add(match, 'as-path', ['^$'])],
  ['from neighbor *', ({ match }, address = '') => add(match, 'neighbour', [address])],
  ['from next-hop *', ({ match }, address = '') => add(match, 'next-hop', [address])],
  ['from origin *', ({ match }, origin = '') => add(match, 'origin', [origin])],
];

/** Junos counts AS numbers where others count characters: the usual ones alone are turned over. */
function unixExpression(text: string): string {
  if (text === '()' || text === '') return '^$';
  const words = text
    .trim()
    .split(/\s+/)
    .map((word) => (word === '.*' ? '' : word === '.' ? '[0-9]+' : word));
  const front = text.startsWith('.*') ? '' : '^';
  const back = text.endsWith('.*') ? '' : '$';
  return `${front}${front ? '' : '_'}${words.filter((word) => word !== '').join('_')}${back ? '' : '_'}${back}`;
}

function community(context: TermContext, name: string, key: 'add' | 'remove' | 'replace'): string | undefined {
  const members = context.lists.communities.get(name);
  if (!members) return `there is no community ${name}`;
  const colours = coloursIn(members);
  if (colours) return colourChange(context, colours, key);
  return isPlain(members) && (key === 'remove' || !members.some((one) => one.includes('*')))
    ? add(context.changes, key, members.map(communityText))
    : REGULAR;
}

function colourChange(
  { set, changes }: TermContext,
  colours: readonly number[],
  key: 'add' | 'remove' | 'replace',
): string | undefined {
  if (colours.length > 1) return 'a route has one colour here';
  set.colour = key === 'remove' ? 'none' : colours[0];
  if (key === 'replace') changes.replace = [];
  return undefined;
}

function value(key: string, most: number) {
  return ({ set }: TermContext, text = ''): string | undefined => {
    const number = whole(text, 0, most);
    if (number === undefined) return 'heddle sets values, it does not add to them or take them from elsewhere';
    set[key] = number;
    return undefined;
  };
}

function decide(action: NonNullable<TermDraft['action']>) {
  return (context: TermContext): void => {
    context.action = action;
  };
}

const ACTIONS: readonly Rule<TermContext>[] = [
  ['then accept', decide('accept')],
  ['then reject', decide('reject')],
  ['then next term', decide('next')],
  ['then next', decide('next')],
  ['then community add *', (context, name = '') => community(context, name, 'add')],
  ['then community + *', (context, name = '') => community(context, name, 'add')],
  ['then community set *', (context, name = '') => community(context, name, 'replace')],
  ['then community = *', (context, name = '') => community(context, name, 'replace')],
  ['then community delete *', (context, name = '') => community(context, name, 'remove')],
  ['then community - *', (context, name = '') => community(context, name, 'remove')],
  ['then aigp-originate', (context) => value('aigp', 0xffffffff)(context, '0')],
  ['then aigp-originate distance *', value('aigp', 0xffffffff)],
  ['then local-preference *', value('local-pref', 0xffffffff)],
  ['then metric *', value('med', 0xffffffff)],
  [
    'then as-path-prepend ...',
    ({ set }, asns = '') => {
      set.prepend = asns.split(' ').map(Number);
    },
  ],
  [
    'then next-hop *',
    ({ set }, hop) => {
      set['next-hop'] = hop;
    },
  ],
  ['then load-balance per-packet', nothing],
  ['then load-balance per-flow', nothing],
];
