/** Neighbours, groups, networks and addresses of an FRR configuration, once all of it is read, put where heddle has them. */

import { canonical, fitsHosts, leftAddress, prefixOf } from '../prefix-places.js';
import type { Leftover, Settings } from '../translation.js';
import type { Family } from './lists.js';
import type { PeerDraft } from './neighbours.js';
import type { FrrInterface, FrrState } from './state.js';

interface Assembled {
  readonly remarks: readonly string[];
  readonly left: readonly Leftover[];
}

/** Keys that a fabric interface does not have: what is known there is known of itself, or holds for all. */
const NOT_OF_FABRIC = ['description', 'timers', 'source', 'multihop', 'passive', 'port', 'shutdown'];

export function assemble(state: FrrState): Assembled {
  const { draft } = state;
  const remarks: string[] = [];
  const { peers } = state;
  const members = [...peers.values()].filter(({ kind }) => kind !== 'group');
  for (const peer of members) {
    if (peer.kind === 'interface') remarks.push(...addFabric(state, peer));
    else addNeighbour(state, peer);
  }
  draft.families = familiesOf(state, members);
  draft.timers = {
    hold: state.datacenter ? 9 : 180,
    ...draft.timers,
    ...(state.raIntervals.length > 0 && { 'router-advertisement': Math.min(...state.raIntervals) }),
  };
  const left = addPrefixes(state);
  return { remarks, left };
}

/** Both families where it says nothing, IPv4 where it is on by default. */
function familiesOf(state: FrrState, members: readonly PeerDraft[]): string[] {
  const used = (['ipv6', 'ipv4'] as const).filter((family) => members.some((peer) => isActive(state, peer, family)));
  return used.length > 0 ? [...used] : ['ipv6', 'ipv4'];
}

function isActive(state: FrrState, peer: PeerDraft, family: Family): boolean {
  const group = state.peers.get(peer.group ?? '');
  return peer.families.get(family) ?? group?.families.get(family) ?? (family === 'ipv4' && state.ipv4ByDefault);
}

function sessionOf(state: FrrState, peer: PeerDraft): Settings {
  const group = state.peers.get(peer.group ?? '');
  return { ...group?.settings, ...peer.settings, ...policiesOf(state, peer, group) };
}

/** A map of each family is one policy where they are the same, and two that look at the family where not. */
function policiesOf(state: FrrState, peer: PeerDraft, group: PeerDraft | undefined): Settings {
  const families = (['ipv6', 'ipv4'] as const).filter((family) => isActive(state, peer, family));
  return Object.fromEntries(
    (['in', 'out'] as const).flatMap((direction) => {
      const named = families.map((family) => ({
        family,
        name: peer.maps.get(direction)?.get(family) ?? group?.maps.get(direction)?.get(family),
      }));
      const chain = chainOf(state, named);
      return chain === undefined ? [] : [[direction === 'in' ? 'import' : 'export', chain]];
    }),
  );
}

interface NamedMap {
  readonly family: Family;
  readonly name: string | undefined;
}

function chainOf(state: FrrState, named: readonly NamedMap[]): string | string[] | undefined {
  const [first] = named;
  if (!first || named.every(({ name }) => name === undefined)) return undefined;
  if (named.every(({ name }) => name === first.name)) return existing(state, first.name!);
  return named.map(({ family, name }) => {
    const own = `${name === undefined ? 'all' : existing(state, name)}-${family}`;
    const terms = name === undefined ? [{ action: 'accept' as const }] : state.draft.policies[name]!;
    state.draft.policies[own] = terms.map((term) => ({ ...term, match: { family, ...term.match } }));
    return own;
  });
}

/** FRR takes a route map that is not there for one that denies everything. */
function existing({ draft }: FrrState, name: string): string {
  draft.policies[name] ??= [{ action: 'reject' }];
  return name;
}

function addFabric(state: FrrState, peer: PeerDraft): string[] {
  const group = state.peers.get(peer.group ?? '');
  const all = sessionOf(state, peer);
  const as = peer.remoteAs ?? group?.remoteAs;
  const kept = Object.fromEntries(Object.entries(all).filter(([key]) => !NOT_OF_FABRIC.includes(key)));
  state.draft.fabric[peer.name] = {
    ...(as !== undefined && as !== 'external' && as !== 'auto' && { 'accept-remote-as': asRule(as) }),
    ...(!(peer.aigp || group?.aigp) && { aigp: false }),
    ...kept,
  };
  const timers = all.timers as Settings | undefined;
  if (timers) state.draft.timers = { ...timers, ...state.draft.timers };
  const lost = Object.keys(all).filter(
    (key) => NOT_OF_FABRIC.includes(key) && key !== 'timers' && key !== 'description',
  );
  return lost.map((key) => `${peer.name}: ${key} has no place on a fabric interface, where neighbours are found`);
}

function addNeighbour(state: FrrState, peer: PeerDraft): void {
  const { draft } = state;
  const group = state.peers.get(peer.group ?? '');
  const as = peer.remoteAs ?? group?.remoteAs;
  const policies = policiesOf(state, peer, group);
  const open = state.requiresPolicy ? {} : { import: 'all', export: 'all' };
  if (!state.requiresPolicy) draft.policies.all = [{ action: 'accept' }];
  if (group) draft['peer-groups'][group.name] = { ...group.settings };
  draft.neighbors[peer.name] = {
    ...(group && { 'peer-group': group.name }),
    ...(as !== undefined && { 'remote-as': asRule(as) }),
    families: (['ipv6', 'ipv4'] as const).filter((family) => isActive(state, peer, family)),
    ...((peer.aigp || group?.aigp) && { aigp: true }),
    ...peer.settings,
    ...open,
    ...policies,
  };
}

function asRule(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** What is announced and is a prefix of an interface belongs to hosts there; the rest of what is announced stands by itself. */
function addPrefixes(state: FrrState): Leftover[] {
  const { draft, networks, interfaces } = state;
  const wanted = new Map(networks.map(({ prefix }) => [canonical(prefix), prefix]));
  const left: Leftover[] = [];
  for (const link of interfaces.values()) {
    for (const { text, at } of link.addresses) {
      const prefix = prefixOf(text);
      if (prefix !== undefined && wanted.delete(prefix) && isForHosts(state, link, prefix)) {
        draft.hosts[link.name] ??= { prefixes: [] };
        draft.hosts[link.name]!.prefixes.push({ prefix, gateway: text.split('/')[0]! });
        continue;
      }
      if (prefix !== undefined && networks.some((one) => canonical(one.prefix) === prefix))
        draft.advertise.push({ prefix });
      left.push(leftAddress({ link: link.name, text, at }));
    }
  }
  for (const prefix of wanted.keys()) draft.advertise.push({ prefix });
  return left;
}

function isForHosts({ peers }: FrrState, { name }: FrrInterface, prefix: string): boolean {
  return peers.get(name)?.kind !== 'interface' && name !== 'lo' && fitsHosts(prefix);
}
