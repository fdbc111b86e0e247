/**
 * Discovery on one fabric interface: tells the other routers on the link that we are here and learns who they are
 * (RFC 4861 sections 6.2 and 6.3). Router lifetime is 0: we are nobody's default router, and so may the others say.
 *
 *   unusable --link-usable--> usable:  RA now, then quick RAs, then steady ones; RS now and up to twice more;
 *                                      neighbours heard before are found
 *   usable --link-unusable--> unusable: all neighbours are lost
 *   any    --RA-->            the sender is a neighbour until its lifetime, or the configured one, is over;
 *                             a new one is answered, so that both ends know each other at once
 *   usable --RS-->            answered at once, within the allowance of advertising.ts
 *   any    --answered-->      the neighbour keeps its place when the link is full
 *   any    --stopped-->       stopped: a last RA, then silence
 *
 * An RA counts while our own address is still tentative: who is up first must not wait for a second one.
 * Several neighbours on a link are independent of each other; none displaces another, unless somebody invents so many that
 * there is no place left: then one that never spoke BGP gives way to one that is heard later.
 */
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import { formatMac } from '../net/eui64.js';
import { decodeNdMessage } from '../wire/icmpv6/decode-nd-message.js';
import { encodeRouterSolicitation } from '../wire/icmpv6/encode-nd-message.js';
import { type RouterAdvertisement, sourceLinkLayerAddress } from '../wire/icmpv6/nd-message.js';
import { afterAdvertisement, startAdvertising } from './advertising.js';
import {
  ALL_ROUTERS,
  advertisementOn,
  answer,
  type DiscoveryMoment,
  ignoredLog,
  linkLayerAddress,
  type Presence,
  rearm,
  sameLink,
  sendToAll,
  type UsableLink,
  unusableLog,
  usableLog,
} from './router-link.js';
import type { DiscoveredNeighbour, DiscoveryConfig, DiscoveryOutput, FabricInput, LossReason } from './types.js';

interface Solicitation {
  readonly left: number;
  readonly nextAt: number;
}

export interface FabricInterfaceState {
  readonly config: DiscoveryConfig;
  readonly presence: Presence | undefined;
  /** Present while a router is still looked for. */
  readonly solicitation: Solicitation | undefined;
  /** In the order they were heard. */
  readonly neighbours: readonly DiscoveredNeighbour[];
  readonly armedAt: number | undefined;
  readonly stopped: boolean;
}

export interface FabricInterfaceStep {
  readonly state: FabricInterfaceState;
  readonly outputs: readonly DiscoveryOutput[];
}

/** RFC 4861 section 10. */
const MAX_RTR_SOLICITATIONS = 3;
const RTR_SOLICITATION_INTERVAL = 4000;
/** A link with more routers than this is no fabric link but somebody inventing addresses. */
const MAX_NEIGHBOURS = 64;
/** Milliseconds in which a router should have spoken BGP. */
const ANSWER_TIME = 10_000;
const FABRIC_ROUTER_LIFETIME = 0;

export function createFabricInterface(config: DiscoveryConfig): FabricInterfaceState {
  return {
    config,
    presence: undefined,
    solicitation: undefined,
    neighbours: [],
    armedAt: undefined,
    stopped: false,
  };
}

/** The neighbours known now, in the order they were heard; none while the link is not usable. */
export function neighboursOf(state: FabricInterfaceState): readonly DiscoveredNeighbour[] {
  return state.presence ? state.neighbours : [];
}

export function stepFabricInterface(
  state: FabricInterfaceState,
  input: FabricInput,
  at: DiscoveryMoment,
): FabricInterfaceStep {
  if (state.stopped) return { state, outputs: [] };
  const step = handle(state, input, at);
  const timer = rearm(input.kind === 'timer-expired' ? undefined : state.armedAt, deadlines(step.state));
  return { state: { ...step.state, armedAt: timer.armedAt }, outputs: [...step.outputs, ...timer.outputs] };
}

function handle(state: FabricInterfaceState, input: FabricInput, at: DiscoveryMoment): FabricInterfaceStep {
  switch (input.kind) {
    case 'link-usable':
      return linkUsable(state, { linkLocal: input.linkLocal, mac: input.mac, mtu: input.mtu }, at);
    case 'link-unusable':
      return linkUnusable(state, input.reason);
    case 'packet':
      return packetArrived(state, input, at);
    case 'answered':
      return { state: answered(state, input.address), outputs: [] };
    case 'timer-expired':
      return runDue(state, at);
    case 'stopped':
      return stopped(state);
  }
}

function deadlines(state: FabricInterfaceState): readonly (number | undefined)[] {
  if (state.stopped) return [];
  const expiries = state.neighbours.map(({ expiresAt }) => expiresAt);
  return [state.presence?.advertising.nextAt, state.solicitation?.nextAt, ...expiries];
}

function linkUsable(state: FabricInterfaceState, link: UsableLink, at: DiscoveryMoment): FabricInterfaceStep {
  const { presence, config } = state;
  if (sameLink(presence?.link, link)) return { state, outputs: [] };
  const advertising = startAdvertising(at.now, config, presence?.advertising);
  const neighbours = state.neighbours.filter(({ address }) => !equalBytes(address, link.linkLocal));
  const changed = { ...state, presence: { link, advertising }, neighbours };
  if (presence) return runDue(changed, at);
  const solicitation = { left: MAX_RTR_SOLICITATIONS, nextAt: at.now };
  const due = runDue({ ...changed, solicitation }, at);
  const outputs: DiscoveryOutput[] = [usableLog(link), ...due.state.neighbours.map(found), ...due.outputs];
  return { state: due.state, outputs };
}

function found({ address, mac }: DiscoveredNeighbour): DiscoveryOutput {
  return { kind: 'neighbour-found', address, ...(mac && { mac }) };
}

function linkUnusable(state: FabricInterfaceState, reason: string): FabricInterfaceStep {
  if (!state.presence) return { state, outputs: [] };
  const lost = state.neighbours.map((neighbour) => neighbourLost(neighbour, 'link-down'));
  return {
    state: { ...state, presence: undefined, solicitation: undefined, neighbours: [] },
    outputs: [unusableLog(reason), ...lost],
  };
}

/** RFC 4861 section 6.2.5: the final RA. */
function stopped(state: FabricInterfaceState): FabricInterfaceStep {
  const { presence } = state;
  return {
    state: { ...state, presence: undefined, solicitation: undefined, neighbours: [], stopped: true },
    outputs: presence ? [sendToAll(advertisementOn(presence.link, FABRIC_ROUTER_LIFETIME))] : [],
  };
}

function packetArrived(
  state: FabricInterfaceState,
  packet: { readonly source: Address; readonly message: Uint8Array },
  at: DiscoveryMoment,
): FabricInterfaceStep {
  const { source } = packet;
  if (state.presence && equalBytes(source, state.presence.link.linkLocal)) return { state, outputs: [] };
  const result = decodeNdMessage(packet.message, source);
  if (result.kind === 'error') return { state, outputs: [ignoredLog(source, result.reason)] };
  if (result.kind === 'other') return { state, outputs: [] };
  switch (result.message.kind) {
    case 'router-solicitation':
      return reply(state, source, at);
    case 'router-advertisement':
      return advertisementHeard(state, { source, advertisement: result.message }, at);
    default:
      return { state, outputs: [] };
  }
}

function reply(state: FabricInterfaceState, solicitor: Address, at: DiscoveryMoment): FabricInterfaceStep {
  const { presence } = state;
  if (!presence) return { state, outputs: [] };
  const advertisements = [advertisementOn(presence.link, FABRIC_ROUTER_LIFETIME)];
  const { advertising, outputs } = answer(presence.advertising, at.now, { solicitor, advertisements });
  return { state: { ...state, presence: { ...presence, advertising } }, outputs };
}

function advertisementHeard(
  state: FabricInterfaceState,
  heard: { readonly source: Address; readonly advertisement: RouterAdvertisement },
  at: DiscoveryMoment,
): FabricInterfaceStep {
  const known = state.neighbours.findIndex(({ address }) => equalBytes(address, heard.source));
  const before = state.neighbours[known];
  const neighbour = neighbourFrom(state.config, heard, { now: at.now, before });
  if (before) {
    const neighbours = state.neighbours.with(known, neighbour);
    return { state: { ...state, neighbours }, outputs: macChange(before, neighbour) };
  }
  const isFull = state.neighbours.length >= MAX_NEIGHBOURS;
  const displaced = isFull ? mostDoubtful(state.neighbours, at.now) : undefined;
  if (isFull && !displaced) {
    const reason = `${MAX_NEIGHBOURS} neighbours are known on this link already`;
    return { state, outputs: [ignoredLog(heard.source, reason)] };
  }
  const neighbours = [...state.neighbours.filter((other) => other !== displaced), neighbour];
  if (!state.presence) return { state: { ...state, neighbours }, outputs: [] };
  const replied = reply({ ...state, neighbours, solicitation: undefined }, heard.source, at);
  const lost = displaced ? [neighbourLost(displaced, 'displaced')] : [];
  return { state: replied.state, outputs: [...lost, found(neighbour), ...replied.outputs] };
}

/** Of those that should have spoken BGP by now and did not, the one that has been silent for longest. */
function mostDoubtful(neighbours: readonly DiscoveredNeighbour[], now: number): DiscoveredNeighbour | undefined {
  return neighbours
    .filter(({ answered, firstHeard }) => !answered && firstHeard + ANSWER_TIME <= now)
    .reduce<DiscoveredNeighbour | undefined>(
      (least, one) => (least === undefined || one.lastHeard < least.lastHeard ? one : least),
      undefined,
    );
}

function answered(state: FabricInterfaceState, address: Address): FabricInterfaceState {
  const known = state.neighbours.findIndex((neighbour) => equalBytes(neighbour.address, address));
  const neighbour = state.neighbours[known];
  if (!neighbour || neighbour.answered) return state;
  return { ...state, neighbours: state.neighbours.with(known, { ...neighbour, answered: true }) };
}

function neighbourLost({ address }: DiscoveredNeighbour, reason: LossReason): DiscoveryOutput {
  return { kind: 'neighbour-lost', address, reason };
}

/** Lifetime 0 is no goodbye here: a router that is nobody's default router says it in every RA. */
function neighbourFrom(
  config: DiscoveryConfig,
  heard: { readonly source: Address; readonly advertisement: RouterAdvertisement },
  context: { readonly now: number; readonly before: DiscoveredNeighbour | undefined },
): DiscoveredNeighbour {
  const { now, before } = context;
  const mac = sourceLinkLayerAddress(heard.advertisement.options) ?? before?.mac;
  const lifetime = Math.max(heard.advertisement.routerLifetime * 1000, config.neighbourLifetime);
  return {
    address: heard.source,
    ...(mac && { mac }),
    firstHeard: before?.firstHeard ?? now,
    lastHeard: now,
    expiresAt: now + lifetime,
    answered: before?.answered ?? false,
  };
}

function macChange(before: DiscoveredNeighbour, after: DiscoveredNeighbour): readonly DiscoveryOutput[] {
  if (!before.mac || !after.mac || equalBytes(before.mac, after.mac)) return [];
  const message = `neighbour ${formatAddress(after.address)} has a new MAC: ${formatMac(before.mac)} is now ${formatMac(after.mac)}`;
  return [{ kind: 'log', level: 'info', message }];
}

/** Does what is due at `at.now`; an early wake-up does nothing. */
function runDue(state: FabricInterfaceState, at: DiscoveryMoment): FabricInterfaceStep {
  const aged = expireNeighbours(state, at.now);
  const { presence } = aged.state;
  if (!presence) return aged;
  const outputs = [...aged.outputs];
  let { solicitation } = aged.state;
  let { advertising } = presence;
  if (advertising.nextAt <= at.now) {
    outputs.push(sendToAll(advertisementOn(presence.link, FABRIC_ROUTER_LIFETIME)));
    advertising = afterAdvertisement(advertising, state.config, at);
  }
  if (solicitation && solicitation.nextAt <= at.now) {
    outputs.push(solicit(presence.link));
    solicitation = afterSolicitation(solicitation, aged.state.neighbours.length > 0, at.now);
  }
  return { state: { ...aged.state, presence: { ...presence, advertising }, solicitation }, outputs };
}

function expireNeighbours(state: FabricInterfaceState, now: number): FabricInterfaceStep {
  const expired = state.neighbours.filter(({ expiresAt }) => expiresAt <= now);
  if (expired.length === 0) return { state, outputs: [] };
  const neighbours = state.neighbours.filter(({ expiresAt }) => expiresAt > now);
  const lost = expired.map((neighbour) => neighbourLost(neighbour, 'expired'));
  return { state: { ...state, neighbours }, outputs: state.presence ? lost : [] };
}

/** RFC 4861 section 6.3.7. The delay before the first one is left out: it keeps hosts apart that start together. */
function solicit(link: UsableLink): DiscoveryOutput {
  const message = encodeRouterSolicitation({ kind: 'router-solicitation', options: linkLayerAddress(link) });
  return { kind: 'send', destination: ALL_ROUTERS, message };
}

function afterSolicitation(before: Solicitation, answered: boolean, now: number): Solicitation | undefined {
  if (answered || before.left === 1) return undefined;
  return { left: before.left - 1, nextAt: now + RTR_SOLICITATION_INTERVAL };
}
