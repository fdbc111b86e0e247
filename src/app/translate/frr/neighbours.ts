/** What FRR says of neighbours and peer groups, as keys of a session; an interface that is a neighbour becomes a fabric interface. */
import { listName } from '../finish.js';
import { nothing, type Rule, whole } from '../rules.js';
import type { Settings } from '../translation.js';
import type { Family } from './lists.js';

export interface PeerDraft {
  /** Address, interface or name of a group, as in the file. */
  readonly name: string;
  kind: 'address' | 'interface' | 'group';
  group?: string;
  remoteAs?: string;
  readonly settings: Settings;
  /** Families that are switched on or off here. */
  readonly families: Map<Family, boolean>;
  /** Names of route maps, by direction and family. */
  readonly maps: Map<'in' | 'out', Map<Family, string>>;
  aigp: boolean;
}

export interface PeerContext {
  readonly peer: PeerDraft;
  /** Of the address-family block; undefined outside of one. */
  readonly family: Family | undefined;
  readonly profiles: ReadonlyMap<string, Settings>;
}

const YES = [nothing] as const;

function set(key: string, value: unknown) {
  return ({ peer }: PeerContext): undefined => {
    peer.settings[key] = value;
    return undefined;
  };
}

function setNumber(key: string, most: number) {
  return ({ peer }: PeerContext, text?: string): string | undefined => {
    const value = whole(text, 0, most);
    if (value === undefined) return 'the number is not understood';
    peer.settings[key] = value;
    return undefined;
  };
}

function timers({ peer }: PeerContext, values: Settings): undefined {
  peer.settings.timers = { ...(peer.settings.timers as Settings | undefined), ...values };
  return undefined;
}

function limit({ peer, family }: PeerContext, text = '', rest = ''): string | undefined {
  const most = whole(text, 1, 0xffffffff);
  if (most === undefined) return 'the number is not understood';
  const words = rest.split(' ').filter((word) => word !== '');
  const warn = whole(words[0], 1, 100);
  const minutes = whole(words[words.indexOf('restart') + 1], 1, 1440);
  const action = words.includes('warning-only')
    ? { action: 'warn' }
    : minutes === undefined
      ? { action: 'shutdown' }
      : { action: 'restart', 'restart-after': minutes * 60 };
  const before = peer.settings['max-prefixes'] as Settings | undefined;
  peer.settings['max-prefixes'] = {
    ...before,
    [family ?? 'ipv4']: { limit: most, ...(warn !== undefined && { warn }), ...action },
  };
  return undefined;
}

function map(direction: 'in' | 'out') {
  return ({ peer, family }: PeerContext, name = ''): undefined => {
    const maps = peer.maps.get(direction) ?? new Map<Family, string>();
    peer.maps.set(direction, maps.set(family ?? 'ipv4', listName(name)));
    return undefined;
  };
}

function communities({ peer }: PeerContext, kinds: readonly string[]): undefined {
  const before = (peer.settings['send-communities'] as string[] | undefined) ?? [];
  peer.settings['send-communities'] = [...new Set([...before, ...kinds])];
  return undefined;
}

const BY_MAP = 'write it as a route map with that list, which becomes a policy';

/** Behind `neighbor NAME`. */
export const PEER_RULES: readonly Rule<PeerContext>[] = [
  [
    'peer-group',
    ({ peer }) => {
      peer.kind = 'group';
    },
  ],
  [
    'peer-group *',
    ({ peer }, group) => {
      peer.group = group!;
    },
  ],
  ['interface remote-as *', ({ peer }, as) => interfaceOf(peer, as)],
  ['interface v6only remote-as *', ({ peer }, as) => interfaceOf(peer, as)],
  ['interface peer-group *', ({ peer }, group) => interfaceOf(peer, undefined, group)],
  ['interface v6only peer-group *', ({ peer }, group) => interfaceOf(peer, undefined, group)],
  ['interface v6only', ({ peer }) => interfaceOf(peer, undefined)],
  ['interface', ({ peer }) => interfaceOf(peer, undefined)],
  [
    'remote-as *',
    ({ peer }, as) => {
      peer.remoteAs = as!;
    },
  ],
  [
    'description ...',
    ({ peer }, text) => {
      peer.settings.description = text;
    },
  ],
  [
    'password ...',
    ({ peer }, text) => {
      peer.settings.password = text;
    },
  ],
  ['activate', ({ peer, family }) => void peer.families.set(family ?? 'ipv4', true)],
  [
    'aigp',
    ({ peer }) => {
      peer.aigp = true;
    },
  ],
  ['oad', ...YES],
  ['capability extended-nexthop', ...YES],
  ['capability dynamic', ...YES],
  ['soft-reconfiguration inbound', ...YES],
  ['route-map * in', map('in')],
  ['route-map * out', map('out')],
  ['prefix-list * *', () => BY_MAP],
  ['filter-list * *', () => BY_MAP],
  ['distribute-list * *', () => BY_MAP],
  ['timers connect *', (context, text) => timers(context, { 'connect-retry': whole(text, 1, 65535) ?? 10 })],
  ['timers * *', (context, _, hold) => timers(context, { hold: whole(hold, 0, 65535) ?? 9 })],
  ['bfd', set('bfd', true)],
  [
    'bfd profile *',
    ({ peer, profiles }, name = '') => {
      peer.settings.bfd = profiles.get(name) ?? true;
    },
  ],
  [
    'bfd * * *',
    ({ peer }, multiplier, receive, send) => {
      peer.settings.bfd = { interval: Math.max(Number(receive), Number(send)), multiplier: Number(multiplier) };
    },
  ],
  ['ebgp-multihop', set('multihop', 255)],
  ['ebgp-multihop *', setNumber('multihop', 255)],
  ['ttl-security hops 1', set('gtsm', 'require')],
  [
    'ttl-security hops *',
    ({ peer }, hops) => void Object.assign(peer.settings, { gtsm: 'require', multihop: Number(hops) }),
  ],
  ['update-source *', updateSource],
  ['passive', set('passive', true)],
  ['port *', setNumber('port', 65535)],
  ['shutdown', set('shutdown', true)],
  ['shutdown message ...', set('shutdown', true)],
  ['allowas-in', set('allow-as-in', 3)],
  ['allowas-in *', setNumber('allow-as-in', 10)],
  ['as-override', set('as-override', true)],
  ['next-hop-self', set('next-hop-self', true)],
  ['next-hop-self force', set('next-hop-self', 'force')],
  ['attribute-unchanged next-hop', set('next-hop-unchanged', true)],
  ['route-reflector-client', set('route-reflector-client', true)],
  ['route-server-client', () => 'heddle is no route server: next-hop-unchanged and policies come near it'],
  ['remove-private-AS', set('remove-private-as', true)],
  ['remove-private-AS all', set('remove-private-as', 'all')],
  ['remove-private-AS all replace-AS', set('remove-private-as', 'replace')],
  [
    'local-as *',
    ({ peer }, as) => {
      peer.settings['local-as'] = { as: Number(as) };
    },
  ],
  [
    'local-as * no-prepend',
    ({ peer }, as) => {
      peer.settings['local-as'] = { as: Number(as), 'no-prepend': true };
    },
  ],
  [
    'local-as * no-prepend replace-as',
    ({ peer }, as) => {
      peer.settings['local-as'] = { as: Number(as), 'no-prepend': true, 'replace-as': true };
    },
  ],
  ['maximum-prefix *', limit],
  ['maximum-prefix * ...', limit],
  ['default-originate', set('default-originate', true)],
  [
    'default-originate route-map *',
    ({ peer }, name = '') => {
      peer.settings['default-originate'] = { policy: listName(name) };
    },
  ],
  ['addpath-tx-all-paths', set('add-path', { send: 'all' })],
  ['enforce-first-as', set('enforce-first-as', true)],
  ['graceful-restart-helper', set('graceful-restart', { helper: true })],
  ['graceful-restart', set('graceful-restart', { helper: true })],
  ['send-community', (context) => communities(context, ['standard'])],
  ['send-community both', (context) => communities(context, ['standard', 'extended'])],
  ['send-community all', ...YES],
  ['send-community *', (context, kind = '') => communities(context, [kind])],
];

/** Behind `no neighbor NAME`. */
export const NO_PEER_RULES: readonly Rule<PeerContext>[] = [
  ['activate', ({ peer, family }) => void peer.families.set(family ?? 'ipv4', false)],
  ['send-community', set('send-communities', 'none')],
  ['send-community extended', ...YES],
  ['enforce-first-as', set('enforce-first-as', false)],
  ['capability extended-nexthop', set('capabilities', { 'extended-next-hop': false })],
];

function interfaceOf(peer: PeerDraft, as: string | undefined, group?: string): undefined {
  peer.kind = 'interface';
  if (as !== undefined) peer.remoteAs = as;
  if (group !== undefined) peer.group = group;
  return undefined;
}

function updateSource({ peer }: PeerContext, source = ''): string | undefined {
  if (!/[.:]/.test(source)) return 'heddle takes the address for the session: source: ADDRESS';
  peer.settings.source = source;
  return undefined;
}
