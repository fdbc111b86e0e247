/**
 * A Junos configuration as a draft. Statements are read one by one into what they are about (groups of BGP, lists, terms, interfaces), and put
 * together at the end; what no rule takes is left, with a reason.
 */
import { finish, listName } from '../finish.js';
import { applyRules, nothing, type Rule, type Statement, whole } from '../rules.js';
import { type Draft, emptyDraft, type Leftover, type Settings, type Translation } from '../translation.js';
import { assemble } from './assemble.js';
import { coloursIn, translatePolicies } from './policies.js';
import { type Block, JunosState } from './state.js';
import { junosStatements } from './statements.js';

export interface JunosOptions {
  /** Names of interfaces here, by those of Junos. */
  readonly interfaces: ReadonlyMap<string, string>;
  readonly role?: Draft['role'];
}

/** A text says why it is no configuration. */
export function fromJunos(text: string, { interfaces, role }: JunosOptions): Translation | string {
  const parsed = junosStatements(text);
  if ('problem' in parsed) return parsed.problem;
  const state = new JunosState(interfaces);
  const left: Leftover[] = [];
  // What others name comes first, wherever it stands.
  const isNamed = ({ words }: Statement) => words[0] === 'policy-options';
  const { statements } = parsed;
  for (const statement of [...statements.filter(isNamed), ...statements.filter((one) => !isNamed(one))]) {
    const why = read(state, statement);
    if (why !== undefined) left.push({ line: statement.line, text: statement.text, why });
  }
  if (!state.hasBgp) return 'there is no protocols bgp in it';
  const draft = emptyDraft();
  const ofPolicies = translatePolicies(draft, state.lists, [...state.terms.values()]);
  const whole = assemble(state, draft);
  const remarks = [...whole.remarks, ...finish(draft, role)];
  return { draft, remarks, left: [...left, ...ofPolicies, ...whole.left].sort((a, b) => a.line - b.line) };
}

const ELSEWHERE = 'heddle has nothing like it, or it belongs to the system';
const UNKNOWN = 'heddle has nothing like it, or it is not known here';

function read(state: JunosState, statement: Statement): string | undefined {
  const { words } = statement;
  const [first = '', second = ''] = words;
  if (first === 'protocols' && second === 'bgp') return readBgp(state, words.slice(2));
  if (first === 'policy-options') return readPolicy(state, statement);
  return applyRules(TOP, words, { context: { state, statement }, unknown: ELSEWHERE });
}

function readBgp(state: JunosState, words: readonly string[]): string | undefined {
  state.hasBgp = true;
  const [keyword, name = '', ...rest] = words;
  if (keyword === 'fabric-advertise')
    return applyRules(ADVERTISE, words.slice(1), { context: state, unknown: UNKNOWN });
  if (keyword !== 'group') return sessionLine(state, state.everywhere, words);
  const group = state.group(name);
  if (rest[0] === 'neighbor') return sessionLine(state, group.neighbour(rest[1] ?? ''), rest.slice(2));
  if (rest[0] === 'dynamic-neighbor') return dynamicLine(state, group.block, rest.slice(2));
  return sessionLine(state, group.block, rest);
}

function sessionLine(state: JunosState, block: Block, words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : applyRules(SESSION, words, { context: { state, block }, unknown: UNKNOWN });
}

/** `peer-auto-discovery` says on which interfaces neighbours are found. */
function dynamicLine(state: JunosState, block: Block, words: readonly string[]): string | undefined {
  return applyRules([...DYNAMIC, ...SESSION], words, { context: { state, block }, unknown: UNKNOWN });
}

interface Place {
  readonly state: JunosState;
  readonly block: Block;
}

function set(key: string, value: unknown) {
  return ({ block }: Place): void => {
    block.settings[key] = value;
  };
}

function text(key: string) {
  return ({ block }: Place, value = ''): void => {
    block.settings[key] = value;
  };
}

function number(key: string, most: number) {
  return ({ block }: Place, value = ''): string | undefined => {
    const parsed = whole(value, 0, most);
    if (parsed === undefined) return 'the number is not understood';
    block.settings[key] = parsed;
    return undefined;
  };
}

function bfd(key: string) {
  return ({ block }: Place, value = ''): void => {
    block.settings.bfd = { ...(block.settings.bfd as Settings | undefined), [key]: Number(value) };
  };
}

function policies(key: 'import' | 'export') {
  return ({ block }: Place, name = ''): void => {
    block.settings[key] = [...((block.settings[key] as string[] | undefined) ?? []), listName(name)];
  };
}

/** Junos shows keys as it keeps them. */
function password({ block }: Place, value = ''): string | undefined {
  if (/^\$[0-9]\$/.test(value)) return 'Junos does not show the key itself: write it as password';
  block.settings.password = value;
  return undefined;
}

/** `3`, `color:0:3`, or the name of a community that is one. */
function colourOf({ lists }: JunosState, value: string): number | undefined {
  return whole(value, 0, 0xffffffff) ?? coloursIn(lists.communities.get(value) ?? [value])?.[0];
}

function family(name: 'ipv6' | 'ipv4') {
  return ({ block }: Place): void => {
    block.families.add(name);
  };
}

const DYNAMIC: readonly Rule<Place>[] = [
  ['peer-auto-discovery interface *', ({ block }, name) => void block.interfaces.add(name!)],
  ['peer-auto-discovery family inet6 ipv6-nd', nothing],
  ['family inet6 ipv6-nd', nothing],
];

const SESSION: readonly Rule<Place>[] = [
  [
    'type internal',
    ({ block }) => {
      block.internal = true;
    },
  ],
  [
    'type external',
    ({ block }) => {
      block.internal = false;
    },
  ],
  ['description ...', text('description')],
  [
    'peer-as *',
    ({ block }, as = '') => {
      block.remoteAs = as.includes('.') ? as : Number(as);
    },
  ],
  [
    'peer-as-list *',
    ({ block }, name) => {
      block.asList = name!;
    },
  ],
  ['family inet6 unicast', family('ipv6')],
  ['family inet unicast', family('ipv4')],
  ['family inet6 unicast aigp', aigp('ipv6')],
  ['family inet unicast aigp', aigp('ipv4')],
  ['family inet unicast extended-nexthop', family('ipv4')],
  ['family inet6 unicast accepted-prefix-limit maximum *', limit('ipv6')],
  ['family inet unicast accepted-prefix-limit maximum *', limit('ipv4')],
  ['family inet6 unicast prefix-limit maximum *', limit('ipv6')],
  ['family inet unicast prefix-limit maximum *', limit('ipv4')],
  ['import *', policies('import')],
  ['export *', policies('export')],
  ['authentication-key *', password],
  ['authentication-algorithm md5', nothing],
  ['hold-time *', number('hold', 65535)],
  ['multipath', nothing],
  ['multipath multiple-as', nothing],
  ['local-address *', text('source')],
  ['multihop', set('multihop', 64)],
  ['multihop ttl *', number('multihop', 255)],
  ['passive', set('passive', true)],
  ['cluster *', set('route-reflector-client', true)],
  ['as-override', set('as-override', true)],
  ['remove-private', set('remove-private-as', true)],
  ['local-as *', number('local-as', 0xffffffff)],
  ['bfd-liveness-detection minimum-interval *', bfd('interval')],
  ['bfd-liveness-detection multiplier *', bfd('multiplier')],
  ['graceful-restart', set('graceful-restart', { helper: true })],
  ['log-updown', nothing],
  [
    'fabric-color *',
    ({ state, block }, value = '') => {
      const colour = colourOf(state, value);
      if (colour === undefined) return 'the colour is not understood';
      block.settings.colour = colour;
      state.sessionMode = true;
      return undefined;
    },
  ],
];

function aigp(name: 'ipv6' | 'ipv4') {
  return ({ block }: Place): void => {
    block.families.add(name);
    block.aigp = true;
  };
}

function limit(name: 'ipv6' | 'ipv4') {
  return ({ block }: Place, value = ''): void => {
    const before = block.settings['max-prefixes'] as Settings | undefined;
    block.settings['max-prefixes'] = { ...before, [name]: { limit: Number(value), action: 'warn' } };
  };
}

const ADVERTISE: readonly Rule<JunosState>[] = [
  ['route *', (state, prefix = '') => void state.advertised(prefix)],
  [
    'route * color *',
    (state, prefix = '', value = '') => {
      const colour = colourOf(state, value);
      if (colour === undefined) return 'the colour is not understood';
      state.advertised(prefix).colour = colour;
      return undefined;
    },
  ],
  [
    'route * backup-color *',
    (state, prefix = '', value = '') => {
      const colour = colourOf(state, value);
      if (colour === undefined) return 'the colour is not understood';
      state.advertised(prefix).backups.push(colour);
      return undefined;
    },
  ],
];

function readPolicy(state: JunosState, { line, text: whole, words }: Statement): string | undefined {
  const [, keyword, name = '', ...rest] = words;
  if (keyword !== 'policy-statement') return applyRules(LISTS, words.slice(1), { context: state, unknown: UNKNOWN });
  const [term, below] = rest[0] === 'term' ? [rest[1] ?? '', rest.slice(2)] : ['end', rest];
  if (below.length > 0) state.term(name, term).push({ line, text: whole, words: below });
  return undefined;
}

const LISTS: readonly Rule<JunosState>[] = [
  ['prefix-list *', ({ lists }, name) => void lists.prefixLists.set(name!, [])],
  [
    'prefix-list * *',
    ({ lists }, name = '', prefix = '') =>
      void lists.prefixLists.set(name, [...(lists.prefixLists.get(name) ?? []), prefix]),
  ],
  [
    'community * members *',
    ({ lists }, name = '', member = '') =>
      void lists.communities.set(name, [...(lists.communities.get(name) ?? []), member]),
  ],
  ['as-path * ...', ({ lists }, name = '', expression = '') => void lists.asPaths.set(name, expression)],
  [
    'as-list * members *',
    (state, name = '', members = '') => void state.asLists.set(name, [...(state.asLists.get(name) ?? []), members]),
  ],
];

interface At {
  readonly state: JunosState;
  readonly statement: Statement;
}

const TOP: readonly Rule<At>[] = [
  ['version ...', nothing],
  [
    'system host-name *',
    ({ state }, name) => {
      state.plain.name = name!;
    },
  ],
  [
    'routing-options router-id *',
    ({ state }, id) => {
      state.plain.routerId = id!;
    },
  ],
  [
    'routing-options autonomous-system *',
    ({ state }, as) => {
      state.plain.as = as!;
    },
  ],
  [
    'routing-options graceful-restart',
    ({ state }) => {
      state.plain.restarts = true;
    },
  ],
  ['routing-options forwarding-table export *', nothing],
  ['interfaces * unit * family inet6', nothing],
  [
    'interfaces * unit * family inet6 address *',
    ({ state, statement }, link, unit, address) => state.address(`${link}.${unit}`, address!, statement),
  ],
  [
    'interfaces * unit * family inet address *',
    ({ state, statement }, link, unit, address) => state.address(`${link}.${unit}`, address!, statement),
  ],
  ['interfaces * description ...', nothing],
  ['interfaces * unit * description ...', nothing],
  ['protocols router-advertisement interface *', ({ state }, link) => void state.advertising.add(link!)],
  ['protocols router-advertisement interface * prefix *', ({ state }, link) => void state.advertising.add(link!)],
  [
    'protocols router-advertisement interface * max-advertisement-interval *',
    ({ state }, link, seconds) => state.interval(link!, Number(seconds)),
  ],
  ['protocols router-advertisement interface * min-advertisement-interval *', nothing],
];
