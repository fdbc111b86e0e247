/**
 * Advertising on one host interface: the hosts make their addresses from the prefixes (RFC 4862) and take us as their default
 * router (RFC 4861 section 6.2).
 *
 *   unusable --link-usable--> usable: RA now, then quick RAs, then steady ones
 *   usable --RS-->                    answered at once, within the allowance of advertising.ts
 *   any    --prefixes-->              quick RAs again; prefixes that are gone are advertised with lifetime 0 in those
 *   any    --stopped-->               stopped: a last RA in which router and addresses have ended
 */
import type { Address } from '../net/address.js';
import { equalPrefixes, type Prefix } from '../net/prefix.js';
import { decodeNdMessage } from '../wire/icmpv6/decode-nd-message.js';
import type { PrefixInformation, RouterAdvertisement } from '../wire/icmpv6/nd-message.js';
import { type AdvertisingTiming, afterAdvertisement, startAdvertising } from './advertising.js';
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
  /** IPv6 prefixes; hosts form addresses only in those of 64 bits. */
  readonly prefixes: readonly Prefix[];
}

export type HostInterfaceInput =
  | DiscoveryInput
  /** Replaces the advertised prefixes. */
  | { readonly kind: 'prefixes'; readonly prefixes: readonly Prefix[] };

export interface HostInterfaceState {
  readonly timing: AdvertisingTiming;
  readonly prefixes: readonly Prefix[];
  /** Prefixes no longer advertised that the hosts are still to be told about. */
  readonly withdrawn: readonly Prefix[];
  readonly presence: Presence | undefined;
  readonly armedAt: number | undefined;
  readonly stopped: boolean;
}

export interface HostInterfaceStep {
  readonly state: HostInterfaceState;
  readonly outputs: readonly DiscoveryOutput[];
}

/** Seconds. RFC 4861 section 6.2.1: the defaults of AdvDefaultLifetime, AdvValidLifetime and AdvPreferredLifetime. */
const ROUTER_LIFETIME = 1800;
const VALID_LIFETIME = 2592000;
const PREFERRED_LIFETIME = 604800;
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
  prefixes: readonly Prefix[],
  at: DiscoveryMoment,
): HostInterfaceStep {
  const withdrawn = [...state.withdrawn, ...state.prefixes].filter(
    (old) => !prefixes.some((prefix) => equalPrefixes(prefix, old)),
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
  const reply = { solicitor: packet.source, advertisement: advertisement(state, presence.link) };
  const { advertising, outputs } = answer(presence.advertising, at.now, reply);
  return { state: { ...state, presence: { ...presence, advertising } }, outputs };
}

function runDue(state: HostInterfaceState, at: DiscoveryMoment): HostInterfaceStep {
  const { presence } = state;
  if (!presence || presence.advertising.nextAt > at.now) return { state, outputs: [] };
  const advertising = afterAdvertisement(presence.advertising, state.timing, at);
  // Told often enough once the quick ones are over.
  const withdrawn = presence.advertising.quickLeft > 0 ? state.withdrawn : [];
  return {
    state: { ...state, withdrawn, presence: { ...presence, advertising } },
    outputs: [sendToAll(advertisement(state, presence.link))],
  };
}

/** RFC 4861 section 6.2.5. */
function stopped(state: HostInterfaceState): HostInterfaceStep {
  const { presence } = state;
  const ended = [...state.prefixes, ...state.withdrawn].map(endedPrefix);
  return {
    state: { ...state, presence: undefined, stopped: true },
    outputs: presence ? [sendToAll(advertisementOn(presence.link, 0, ended))] : [],
  };
}

function advertisement(state: HostInterfaceState, link: UsableLink): RouterAdvertisement {
  const options = [...state.prefixes.map(livePrefix), ...state.withdrawn.map(endedPrefix)];
  return advertisementOn(link, ROUTER_LIFETIME, options);
}

function livePrefix(prefix: Prefix): PrefixInformation {
  return prefixInformation(prefix, VALID_LIFETIME, PREFERRED_LIFETIME);
}

/** Hosts keep such addresses for up to two hours but start nothing new on them (RFC 4862 section 5.5.3). */
function endedPrefix(prefix: Prefix): PrefixInformation {
  return prefixInformation(prefix, 0, 0);
}

function prefixInformation(prefix: Prefix, validLifetime: number, preferredLifetime: number): PrefixInformation {
  return { kind: 'prefix-information', prefix, onLink: true, autonomous: true, validLifetime, preferredLifetime };
}
