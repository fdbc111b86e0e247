/**
 * Advertising on one host interface: the hosts make their addresses from the prefixes (RFC 4862) and take us as their default
 * router (RFC 4861 section 6.2).
 *
 *   unusable --link-usable--> usable: RA now, then quick RAs, then steady ones
 *   usable --RS-->                    answered at once, within the allowance of advertising.ts
 *   any    --prefixes-->              quick RAs again; prefixes that are gone are advertised with lifetime 0 for two hours
 *   any    --stopped-->               stopped: a last RA in which router and addresses have ended
 */
import type { Address } from '../net/address.js';
import { equalPrefixes, type Prefix } from '../net/prefix.js';
import { decodeNdMessage } from '../wire/icmpv6/decode-nd-message.js';
import type { PrefixInformation, RouterAdvertisement } from '../wire/icmpv6/nd-message.js';
import { type AdvertisingTiming, afterAdvertisement, startAdvertising } from './advertising.js';
import { ENDED, type PrefixLifetimes, TWO_HOURS } from './prefix-lifetimes.js';
import {
  advertisementOn,
  answer,
  type DiscoveryMoment,
  ignoredLog,
  type Presence,
  rearm,
  sameLink,
  sendToAll,
  type UsableLink,
  unusableLog,
  usableLog,
} from './router-link.js';
import type { DiscoveryInput, DiscoveryOutput } from './types.js';

export interface HostInterfaceConfig {
  /** Milliseconds between steady RAs. */
  readonly advertiseInterval: number;
  readonly prefixes: readonly LivingPrefix[];
}

/** An IPv6 prefix as hosts are told of it; they form addresses only in those of 64 bits. */
export interface LivingPrefix {
  readonly prefix: Prefix;
  readonly lifetimes: PrefixLifetimes;
}

interface WithdrawnPrefix {
  readonly prefix: Prefix;
  /** Clock milliseconds. */
  readonly until: number;
}

export type HostInterfaceInput =
  | DiscoveryInput
  /** Replaces the advertised prefixes. */
  | { readonly kind: 'prefixes'; readonly prefixes: readonly LivingPrefix[] };

export interface HostInterfaceState {
  readonly timing: AdvertisingTiming;
  readonly prefixes: readonly LivingPrefix[];
  /** Prefixes that are gone, for as long as a host may hold an address in them: one that missed the first RAs hears it later. */
  readonly withdrawn: readonly WithdrawnPrefix[];
  readonly presence: Presence | undefined;
  readonly armedAt: number | undefined;
  readonly stopped: boolean;
}

export interface HostInterfaceStep {
  readonly state: HostInterfaceState;
  readonly outputs: readonly DiscoveryOutput[];
}

/** Seconds. RFC 4861 section 6.2.1: AdvDefaultLifetime is three times MaxRtrAdvInterval, and at most 9000. */
const LEAST_ROUTER_LIFETIME = 1800;
const MOST_ROUTER_LIFETIME = 9000;
const QUICK_ADVERTISEMENTS = { initialAdvertisements: 3, initialInterval: 1000 };

export function createHostInterface(config: HostInterfaceConfig): HostInterfaceState {
  return {
    timing: { advertiseInterval: config.advertiseInterval, ...QUICK_ADVERTISEMENTS },
    prefixes: config.prefixes,
    withdrawn: [],
    presence: undefined,
    armedAt: undefined,
    stopped: false,
  };
}

export function stepHostInterface(
  state: HostInterfaceState,
  input: HostInterfaceInput,
  at: DiscoveryMoment,
): HostInterfaceStep {
  if (state.stopped) return { state, outputs: [] };
  const step = handle(state, input, at);
  const next = step.state.presence?.advertising.nextAt;
  const timer = rearm(input.kind === 'timer-expired' ? undefined : state.armedAt, [next]);
  return { state: { ...step.state, armedAt: timer.armedAt }, outputs: [...step.outputs, ...timer.outputs] };
}

function handle(state: HostInterfaceState, input: HostInterfaceInput, at: DiscoveryMoment): HostInterfaceStep {
  switch (input.kind) {
    case 'link-usable':
      return linkUsable(state, { linkLocal: input.linkLocal, mac: input.mac, mtu: input.mtu }, at);
    case 'link-unusable':
      return linkUnusable(state, input.reason);
    case 'prefixes':
      return prefixesChanged(state, input.prefixes, at);
    case 'packet':
      return packetArrived(state, input, at);
    case 'timer-expired':
      return runDue(state, at);
    case 'stopped':
      return stopped(state);
  }
}

function linkUsable(state: HostInterfaceState, link: UsableLink, at: DiscoveryMoment): HostInterfaceStep {
  if (sameLink(state.presence?.link, link)) return { state, outputs: [] };
  const advertising = startAdvertising(at.now, state.timing, state.presence?.advertising);
  const due = runDue({ ...state, presence: { link, advertising } }, at);
  return { state: due.state, outputs: [usableLog(link), ...due.outputs] };
}

function linkUnusable(state: HostInterfaceState, reason: string): HostInterfaceStep {
  if (!state.presence) return { state, outputs: [] };
  return { state: { ...state, presence: undefined }, outputs: [unusableLog(reason)] };
}

function prefixesChanged(
  state: HostInterfaceState,
  prefixes: readonly LivingPrefix[],
  at: DiscoveryMoment,
): HostInterfaceStep {
  const until = at.now + TWO_HOURS * 1000;
  const withdrawn = [...state.withdrawn, ...state.prefixes.map(({ prefix }) => ({ prefix, until }))].filter(
    (old) => !prefixes.some(({ prefix }) => equalPrefixes(prefix, old.prefix)),
  );
  const changed = { ...state, prefixes, withdrawn };
  if (!state.presence) return { state: changed, outputs: [] };
  const advertising = startAdvertising(at.now, state.timing, state.presence.advertising);
  return runDue({ ...changed, presence: { ...state.presence, advertising } }, at);
}

function packetArrived(
  state: HostInterfaceState,
  packet: { readonly source: Address; readonly message: Uint8Array },
  at: DiscoveryMoment,
): HostInterfaceStep {
  const result = decodeNdMessage(packet.message, packet.source);
  if (result.kind === 'error') return { state, outputs: [ignoredLog(packet.source, result.reason)] };
  const { presence } = state;
  if (result.kind === 'other' || result.message.kind !== 'router-solicitation' || !presence) {
    return { state, outputs: [] };
  }
  const reply = { solicitor: packet.source, advertisements: advertisements(state, presence.link) };
  const { advertising, outputs } = answer(presence.advertising, at.now, reply);
  return { state: { ...state, presence: { ...presence, advertising } }, outputs };
}

function runDue(state: HostInterfaceState, at: DiscoveryMoment): HostInterfaceStep {
  const { presence } = state;
  if (!presence || presence.advertising.nextAt > at.now) return { state, outputs: [] };
  const advertising = afterAdvertisement(presence.advertising, state.timing, at);
  const withdrawn = state.withdrawn.filter(({ until }) => until > at.now);
  const next = { ...state, withdrawn, presence: { ...presence, advertising } };
  return { state: next, outputs: advertisements(next, presence.link).map(sendToAll) };
}

/** RFC 4861 section 6.2.5. */
function stopped(state: HostInterfaceState): HostInterfaceStep {
  const { presence } = state;
  const ended = [...state.prefixes, ...state.withdrawn].map(({ prefix }) => information(prefix, ENDED));
  return {
    state: { ...state, presence: undefined, stopped: true },
    outputs: presence ? advertisementsOf(presence.link, 0, ended).map(sendToAll) : [],
  };
}

function advertisements(state: HostInterfaceState, link: UsableLink): RouterAdvertisement[] {
  const interval = Math.ceil(state.timing.advertiseInterval / 1000);
  const routerLifetime = Math.min(MOST_ROUTER_LIFETIME, Math.max(LEAST_ROUTER_LIFETIME, 3 * interval));
  return advertisementsOf(link, routerLifetime, [
    ...state.prefixes.map(({ prefix, lifetimes }) => information(prefix, lifetimes)),
    ...state.withdrawn.map(({ prefix }) => information(prefix, ENDED)),
  ]);
}

/** Octets of an RA's IPv6 header, its own header, its other options, and of a prefix in it (RFC 4861 sections 4.2 and 4.6). */
const OTHER_OCTETS = 40 + 16 + 8 + 8;
const PREFIX_OCTETS = 32;

/** What does not fit into the MTU goes into more RAs (section 6.2.3): hosts drop fragments of one (RFC 6980 section 5). */
function advertisementsOf(
  link: UsableLink,
  routerLifetime: number,
  prefixes: readonly PrefixInformation[],
): RouterAdvertisement[] {
  const room = Math.max(1, Math.floor((link.mtu - OTHER_OCTETS) / PREFIX_OCTETS));
  const count = Math.max(1, Math.ceil(prefixes.length / room));
  return Array.from({ length: count }, (_, index) =>
    advertisementOn(link, routerLifetime, prefixes.slice(index * room, (index + 1) * room)),
  );
}

function information(prefix: Prefix, { valid, preferred }: PrefixLifetimes): PrefixInformation {
  return {
    kind: 'prefix-information',
    prefix,
    onLink: true,
    autonomous: true,
    validLifetime: valid,
    preferredLifetime: preferred,
  };
}
