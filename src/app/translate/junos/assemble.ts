/** Groups, prefixes and interfaces of a Junos configuration, once all of it is read, put where heddle has them. */
import { canonical, fitsHosts, leftAddress, prefixOf } from '../prefix-places.js';
import type { AdvertisedDraft, Draft, Leftover, Settings } from '../translation.js';
import type { Advertised, Block, Group, JunosState } from './state.js';

interface Assembled {
  readonly remarks: readonly string[];
  readonly left: readonly Leftover[];
}

/** Keys that a fabric interface does not have. */
const NOT_OF_FABRIC = ['description', 'source', 'multihop', 'passive', 'hold'];

export function assemble(state: JunosState, draft: Draft): Assembled {
  const remarks = new Set<string>();
  const { plain } = state;
  if (plain.name !== undefined) draft.name = plain.name;
  if (plain.as !== undefined) draft.as = asNumber(plain.as);
  if (plain.routerId !== undefined) draft['router-id'] = plain.routerId;
  if (plain.restarts) draft['graceful-restart'] = { helper: true, restarter: true };
  for (const group of state.groups.values()) addGroup(state, draft, group, remarks);
  if (state.sessionMode) draft.dpf = { mode: 'session' };
  addTimers(state, draft);
  draft.families = familiesOf(state);
  return { remarks: [...remarks], left: addPrefixes(state, draft, remarks) };
}

const asNumber = (text: string): string | number => (text.includes('.') ? text : Number(text));

function addGroup(state: JunosState, draft: Draft, { block, neighbours }: Group, remarks: Set<string>): void {
  const inherited = merged(state.everywhere, block);
  for (const link of block.interfaces) draft.fabric[linkName(state, link, remarks)] = fabricOf(state, inherited);
  for (const [address, own] of neighbours) {
    const all = merged(inherited, own);
    const link = [...own.interfaces][0];
    const { hold, ...settings } = all.settings;
    draft.neighbors[link === undefined ? address : `${address}%${linkName(state, link, remarks)}`] = {
      ...asOf(state, all, 'remote-as'),
      ...(all.families.size > 0 && { families: [...all.families] }),
      ...(all.aigp && { aigp: true }),
      ...(hold !== undefined && { timers: { hold } }),
      ...settings,
      ...(isExternal(state, all) && acceptingAtTheEnd(draft, settings)),
    };
  }
}

function isExternal({ plain }: JunosState, { remoteAs, internal }: Block): boolean {
  return !internal && (remoteAs === undefined || plain.as === undefined || remoteAs !== asNumber(plain.as));
}

/** What no policy decides Junos accepts; here nothing is carried between two ASs that none accepts (RFC 8212). */
function acceptingAtTheEnd(draft: Draft, settings: Settings): Settings {
  draft.policies.all = [{ action: 'accept' }];
  const chain = (policies: unknown) => [policies ?? [], 'all'].flat();
  return { import: chain(settings.import), export: chain(settings.export) };
}

function merged(above: Block, below: Block): Block {
  const remoteAs = below.remoteAs ?? above.remoteAs;
  const asList = below.asList ?? above.asList;
  const internal = below.internal ?? above.internal;
  return {
    settings: { ...above.settings, ...below.settings },
    families: below.families.size > 0 ? below.families : above.families,
    interfaces: below.interfaces,
    aigp: below.aigp || above.aigp,
    ...(remoteAs !== undefined && { remoteAs }),
    ...(asList !== undefined && { asList }),
    ...(internal !== undefined && { internal }),
  };
}

function fabricOf(state: JunosState, block: Block): Settings {
  const kept = Object.entries(block.settings).filter(([key]) => !NOT_OF_FABRIC.includes(key));
  return {
    ...asOf(state, block, 'accept-remote-as'),
    ...(!block.aigp && !state.sessionMode && { aigp: false }),
    ...Object.fromEntries(kept),
  };
}

/** Peers of the own AS have no word of their own at a fabric's interface. */
function asOf({ asLists, plain }: JunosState, { remoteAs, asList, internal }: Block, key: string): Settings {
  if (internal) return { [key]: key === 'remote-as' || plain.as === undefined ? 'internal' : asNumber(plain.as) };
  const rules =
    asList === undefined ? [] : (asLists.get(asList) ?? []).map((rule) => (/^\d+$/.test(rule) ? Number(rule) : rule));
  if (rules.length > 0) return { [key]: rules };
  if (remoteAs !== undefined) return { [key]: remoteAs };
  return key === 'remote-as' ? { [key]: 'external' } : {};
}

/** Linux has no slash in the name of an interface. */
function linkName({ names }: JunosState, junos: string, remarks: Set<string>): string {
  const given = names.get(junos) ?? names.get(junos.replace(/\.0$/, ''));
  if (given !== undefined) return given;
  const name = junos.replace(/\.0$/, '').replaceAll(/[/:]/g, '-').slice(0, 15);
  if (name !== junos)
    remarks.add(
      `interface ${junos} is called ${name} here: --interface ${junos}=NAME gives it the name that it has in Linux`,
    );
  return name;
}

/** What groups say of hold times holds for all here; Junos has 90 seconds by itself. */
function addTimers(state: JunosState, draft: Draft): void {
  const holds = [...state.groups.values()]
    .filter(({ block }) => block.interfaces.size > 0)
    .map(({ block }) => merged(state.everywhere, block).settings.hold);
  const hold = holds.find((value) => value !== undefined) ?? state.everywhere.settings.hold ?? 90;
  draft.timers = { hold, ...(state.intervals.length > 0 && { 'router-advertisement': Math.min(...state.intervals) }) };
}

function familiesOf({ groups, everywhere }: JunosState): string[] {
  const used = new Set(
    [everywhere, ...[...groups.values()].map(({ block }) => block)].flatMap(({ families }) => [...families]),
  );
  return used.size === 0 ? ['ipv6', 'ipv4'] : (['ipv6', 'ipv4'] as const).filter((family) => used.has(family));
}

/** Links of hosts send router advertisements and have no session; what else is announced stands by itself. */
function addPrefixes(state: JunosState, draft: Draft, remarks: Set<string>): Leftover[] {
  const fabric = new Set([...state.groups.values()].flatMap(({ block }) => [...block.interfaces]));
  const routes = new Map([...state.routes].map(([prefix, about]) => [canonical(prefix), about]));
  const left: Leftover[] = [];
  for (const { link, text, at } of state.addresses) {
    const prefix = prefixOf(text);
    const isHosts = state.advertising.has(link) && !fabric.has(link) && prefix !== undefined && fitsHosts(prefix);
    if (!isHosts) {
      left.push(leftAddress({ link, text, at }));
      continue;
    }
    const name = linkName(state, link, remarks);
    draft.hosts[name] ??= { prefixes: [] };
    draft.hosts[name]!.prefixes.push({ prefix, gateway: text.split('/')[0]!, ...colours(routes.get(prefix)) });
    routes.delete(prefix);
  }
  for (const [prefix, about] of routes) draft.advertise.push({ prefix, ...colours(about) });
  return left;
}

function colours(about: Advertised | undefined): Omit<AdvertisedDraft, 'prefix'> {
  if (!about) return {};
  const { colour, backups } = about;
  return { ...(colour !== undefined && { colour }), ...(backups.length > 0 && { 'backup-colours': backups }) };
}
