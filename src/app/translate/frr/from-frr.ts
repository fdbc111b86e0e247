/**
 * FRR's integrated configuration (frr.conf) as a draft: its blocks are walked line by line, each line taken by a rule or left with a reason, and
 * put together at the end, when all lists, maps and groups are known.
 */
import { finish } from '../finish.js';
import { applyRules, nothing, type Rule, type Statement, whole } from '../rules.js';
import type { Draft, Leftover, Settings, Translation } from '../translation.js';
import { assemble } from './assemble.js';
import { LIST_RULES } from './lists.js';
import { NO_PEER_RULES, PEER_RULES, type PeerDraft } from './neighbours.js';
import { translateMaps } from './route-maps.js';
import { type Block, type FrrState, newState } from './state.js';

/** A text says why it is no configuration. */
export function fromFrr(text: string, role?: Draft['role']): Translation | string {
  const state = newState();
  const left: Leftover[] = [];
  for (const statement of statementsOf(text)) {
    const why = read(state, statement);
    if (why !== undefined) left.push({ line: statement.line, text: statement.text, why });
  }
  if (state.draft.as === undefined) return 'there is no router bgp in it';
  const maps = translateMaps(state.draft, state.lists, state.maps);
  const whole = assemble(state);
  const remarks = [...maps.remarks, ...whole.remarks, ...finish(state.draft, role)];
  return { draft: state.draft, remarks, left: [...left, ...maps.left, ...whole.left].sort((a, b) => a.line - b.line) };
}

function statementsOf(text: string): Statement[] {
  return text.split('\n').flatMap((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('!') || line.startsWith('#')) return [];
    return [{ line: index + 1, text: line, words: line.split(/\s+/) }];
  });
}

const UNKNOWN = 'heddle has nothing like it, or it is not known here';
const HEADS =
  /^(?:interface|router|route-map|bfd|vrf|line|segment-routing|pbr-map|key chain|rpki|mpls|nexthop-group|affinity-map)\b/;

function read(state: FrrState, statement: Statement): string | undefined {
  const { words, text } = statement;
  if (HEADS.test(text) && !/^(?:bfd profile|mpls bgp)/.test(text)) return open(state, statement);
  if (text === 'exit' || text === 'end' || text === 'exit-address-family') {
    close(state, text);
    return undefined;
  }
  const { block } = state;
  if (block.kind === 'interface') block.at = statement;
  if (block.kind === 'map') {
    block.entry.statements.push(statement);
    return undefined;
  }
  return readIn(state, words);
}

function readIn(state: FrrState, words: readonly string[]): string | undefined {
  const { block, lists } = state;
  // A list may stand anywhere: FRR takes it as the end of a block.
  const inList = applyRules(LIST_RULES, words, { context: lists, unknown: NO_LIST });
  if (inList !== NO_LIST) return inList;
  if (block.kind === 'foreign') return block.why;
  if (block.kind === 'bgp' && words[0] === 'neighbor') return peerLine(state, words.slice(1), PEER_RULES);
  if (block.kind === 'bgp' && words[0] === 'no' && words[1] === 'neighbor')
    return peerLine(state, words.slice(2), NO_PEER_RULES);
  const rules = { top: TOP, interface: INTERFACE, bgp: BGP, bfd: BFD, map: TOP }[block.kind];
  return applyRules(rules, words, { context: state, unknown: UNKNOWN });
}

const NO_LIST = 'no list';

function peerLine(
  state: FrrState,
  [name = '', ...words]: readonly string[],
  rules: typeof PEER_RULES,
): string | undefined {
  const peer = peerOf(state, name);
  const family = state.block.kind === 'bgp' ? state.block.family : undefined;
  return applyRules(rules, words, { context: { peer, family, profiles: state.profiles }, unknown: UNKNOWN });
}

function peerOf(state: FrrState, name: string): PeerDraft {
  const known = state.peers.get(name);
  if (known) return known;
  const kind = /^[0-9.]+$|:/.test(name) ? 'address' : 'group';
  const made: PeerDraft = { name, kind, settings: {}, families: new Map(), maps: new Map(), aigp: false };
  state.peers.set(name, made);
  return made;
}

function open(state: FrrState, statement: Statement): string | undefined {
  state.block = { kind: 'top' };
  return applyRules(OPENINGS, statement.words, {
    context: { state, statement },
    unknown: foreign(state, 'heddle does not do this'),
  });
}

function foreign(state: FrrState, why: string): string {
  state.block = { kind: 'foreign', why };
  return why;
}

interface Opening {
  readonly state: FrrState;
  readonly statement: Statement;
}

const OPENINGS: readonly Rule<Opening>[] = [
  [
    'interface * vrf *',
    ({ state }) => foreign(state, 'heddle knows no VRFs: run one daemon in each network namespace'),
  ],
  [
    'interface *',
    ({ state, statement }, name = '') => {
      const link = state.interfaces.get(name) ?? { name, addresses: [] };
      state.interfaces.set(name, link);
      state.block = { kind: 'interface', link, at: statement };
    },
  ],
  [
    'router bgp *',
    ({ state }, as = '') => {
      if (state.draft.as !== undefined) return foreign(state, 'a second BGP instance: run one daemon for each');
      state.draft.as = as.includes('.') ? as : Number(as);
      state.block = { kind: 'bgp' };
      return undefined;
    },
  ],
  [
    'router bgp * ...',
    ({ state }) => foreign(state, 'heddle knows no VRFs and views: run one daemon in each network namespace'),
  ],
  [
    'route-map * * *',
    ({ state, statement }, name = '', action, sequence) => {
      const entry = { head: statement, name, permit: action === 'permit', sequence: Number(sequence), statements: [] };
      state.maps.push(entry);
      state.block = { kind: 'map', entry };
    },
  ],
  [
    'bfd',
    ({ state }) => {
      state.block = { kind: 'bfd' };
    },
  ],
  [
    'line vty',
    ({ state }) => {
      state.block = { kind: 'foreign', why: "of vtysh's own" };
    },
  ],
];

/** `exit` ends the innermost of two. */
function close(state: FrrState, word: string): void {
  const { block } = state;
  const isInner = (block.kind === 'bgp' && block.family) || (block.kind === 'bfd' && block.profile);
  if (word === 'end' || !isInner) state.block = { kind: 'top' };
  else state.block = { kind: block.kind } as Block;
}

const TOP: readonly Rule<FrrState>[] = [
  [
    'hostname *',
    ({ draft }, name) => {
      draft.name = name!;
    },
  ],
  ['frr version ...', nothing],
  ['frr defaults datacenter', (state) => void Object.assign(state, { datacenter: true, requiresPolicy: false })],
  ['frr defaults *', nothing],
  ['service ...', nothing],
  ['log ...', nothing],
  ['ip forwarding', nothing],
  ['ipv6 forwarding', nothing],
  ['ip nht ...', nothing],
  ['ipv6 nht ...', nothing],
  ['password ...', nothing],
  ['enable password ...', nothing],
  ['ipv6 route ...', () => "static routes are the system's: ip route, systemd-networkd"],
  ['ip route ...', () => "static routes are the system's: ip route, systemd-networkd"],
];

function address(state: FrrState, text = ''): void {
  if (state.block.kind === 'interface') state.block.link.addresses.push({ text, at: state.block.at });
}

const INTERFACE: readonly Rule<FrrState>[] = [
  ['description ...', nothing],
  ['ipv6 address *', address],
  ['ip address *', address],
  ['ipv6 nd prefix *', nothing],
  [
    'ipv6 nd prefix * ...',
    () => 'lifetimes of prefixes: valid-lifetime and preferred-lifetime of the prefix under hosts',
  ],
  ['ipv6 nd ra-interval msec *', ({ raIntervals }, text) => void raIntervals.push(Number(text) / 1000)],
  ['ipv6 nd ra-interval *', ({ raIntervals }, text) => void raIntervals.push(Number(text))],
  ['no ipv6 nd suppress-ra', nothing],
  ['no shutdown', nothing],
];

const BGP: readonly Rule<FrrState>[] = [
  [
    'bgp router-id *',
    ({ draft }, id) => {
      draft['router-id'] = id!;
    },
  ],
  [
    'bgp cluster-id *',
    ({ draft }, id = '') => {
      draft['cluster-id'] = id;
    },
  ],
  [
    'no bgp ebgp-requires-policy',
    (state) => {
      state.requiresPolicy = false;
    },
  ],
  [
    'bgp ebgp-requires-policy',
    (state) => {
      state.requiresPolicy = true;
    },
  ],
  [
    'no bgp default ipv4-unicast',
    (state) => {
      state.ipv4ByDefault = false;
    },
  ],
  ['no bgp network import-check', nothing],
  ['bgp bestpath as-path multipath-relax', nothing],
  ['bgp bestpath aigp', nothing],
  ['bgp log-neighbor-changes', nothing],
  [
    'bgp graceful-restart',
    ({ draft }) => {
      draft['graceful-restart'] = { ...draft['graceful-restart'], helper: true, restarter: true };
    },
  ],
  [
    'timers bgp * *',
    ({ draft }, _, hold) => {
      draft.timers = { ...draft.timers, hold: whole(hold, 0, 65535) ?? 9 };
    },
  ],
  [
    'address-family ipv6 unicast',
    (state) => {
      state.block = { kind: 'bgp', family: 'ipv6' };
    },
  ],
  [
    'address-family ipv4 unicast',
    (state) => {
      state.block = { kind: 'bgp', family: 'ipv4' };
    },
  ],
  ['address-family ...', (state) => foreign(state, 'heddle speaks IPv6 and IPv4 unicast')],
  ['network *', (state, prefix = '') => network(state, prefix)],
  [
    'network * route-map *',
    (state, prefix = '') => {
      network(state, prefix);
      return 'the prefix is announced; what the map sets belongs into an export policy';
    },
  ],
  ['maximum-paths 1', () => 'heddle uses all equal paths'],
  ['maximum-paths *', nothing],
  ['maximum-paths ibgp *', nothing],
  ['redistribute ...', () => 'heddle announces what its configuration names: prefixes under hosts and advertise'],
];

function network({ networks, block }: FrrState, prefix: string): void {
  networks.push({ family: (block.kind === 'bgp' && block.family) || (prefix.includes(':') ? 'ipv6' : 'ipv4'), prefix });
}

function bfdValue(key: string) {
  return ({ block }: FrrState, text?: string): void => {
    if (block.kind === 'bfd' && block.profile)
      block.profile[key] = Math.max(Number(block.profile[key] ?? 0), Number(text));
  };
}

const BFD: readonly Rule<FrrState>[] = [
  [
    'profile *',
    (state, name = '') => {
      const profile: Settings = {};
      state.profiles.set(name, profile);
      state.block = { kind: 'bfd', profile };
    },
  ],
  ['detect-multiplier *', bfdValue('multiplier')],
  ['transmit-interval *', bfdValue('interval')],
  ['receive-interval *', bfdValue('interval')],
];
