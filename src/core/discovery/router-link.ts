/**
 * What fabric and host interfaces have in common: a link that is usable or not, the router's own advertisement on it, answers to
 * solicitations, and the one timer of the machine.
 */
import { type Address, equalBytes, formatAddress, isUnspecified } from '../net/address.js';
import type { Random } from '../ports/random.js';
import { encodeRouterAdvertisement } from '../wire/icmpv6/encode-nd-message.js';
import type { NdOption, RouterAdvertisement } from '../wire/icmpv6/nd-message.js';
import { type Advertising, takeAnswer } from './advertising.js';
import type { DiscoveryOutput } from './types.js';

/** The moment and the dice of one step. */
export interface DiscoveryMoment {
  /** Clock milliseconds. */
  readonly now: number;
  readonly random: Random;
}

export interface UsableLink {
  readonly linkLocal: Address;
  readonly mac: Uint8Array;
  readonly mtu: number;
}

/** What there is while the link is usable. */
export interface Presence {
  readonly link: UsableLink;
  readonly advertising: Advertising;
}

/** What hosts are told to put into their packets (IANA's current default). */
const HOP_LIMIT = 64;
const ALL_NODES = Uint8Array.of(0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
export const ALL_ROUTERS = Uint8Array.of(0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);

export function sameLink(a: UsableLink | undefined, b: UsableLink): boolean {
  return a !== undefined && a.mtu === b.mtu && equalBytes(a.mac, b.mac) && equalBytes(a.linkLocal, b.linkLocal);
}

export function usableLog(link: UsableLink): DiscoveryOutput {
  return { kind: 'log', level: 'info', message: `link is usable: ${formatAddress(link.linkLocal)}, MTU ${link.mtu}` };
}

export function unusableLog(reason: string): DiscoveryOutput {
  return { kind: 'log', level: 'info', message: `link is not usable: ${reason}` };
}

export function ignoredLog(source: Address, reason: string): DiscoveryOutput {
  return { kind: 'log', level: 'debug', message: `a message from ${formatAddress(source)} is ignored: ${reason}` };
}

/** The RA of this router on `link`: lifetime in seconds, and options besides source link-layer address and MTU. */
export function advertisementOn(
  link: UsableLink,
  routerLifetime: number,
  options: readonly NdOption[] = [],
): RouterAdvertisement {
  return {
    kind: 'router-advertisement',
    hopLimit: HOP_LIMIT,
    managed: false,
    otherConfiguration: false,
    preference: 'medium',
    routerLifetime,
    reachableTime: 0,
    retransmitTimer: 0,
    options: [...linkLayerAddress(link), { kind: 'mtu', mtu: link.mtu }, ...options],
  };
}

/** The source link-layer address option; none on a link without MAC addresses. */
export function linkLayerAddress(link: UsableLink): readonly NdOption[] {
  return link.mac.length === 0 ? [] : [{ kind: 'source-link-layer-address', address: link.mac }];
}

export function sendToAll(advertisement: RouterAdvertisement): DiscoveryOutput {
  return { kind: 'send', destination: ALL_NODES, message: encodeRouterAdvertisement(advertisement) };
}

/**
 * Answers `solicitor` as the allowance permits. RFC 4861 section 6.2.6: unicast where it has an address; a node
 * that has none yet is reached as one of all.
 */
export function answer(
  advertising: Advertising,
  now: number,
  reply: { readonly solicitor: Address; readonly advertisements: readonly RouterAdvertisement[] },
): { readonly advertising: Advertising; readonly outputs: readonly DiscoveryOutput[] } {
  const taken = takeAnswer(advertising, now);
  if (!taken.allowed) return { advertising: taken.advertising, outputs: [] };
  const destination = isUnspecified(reply.solicitor) ? ALL_NODES : reply.solicitor;
  const messages = reply.advertisements.map(encodeRouterAdvertisement);
  const outputs = messages.map((message) => ({ kind: 'send', destination, message }) as const);
  return { advertising: taken.advertising, outputs };
}

/** What moves the timer from the deadline `armedAt` to the earliest of `deadlines`. */
export function rearm(
  armedAt: number | undefined,
  deadlines: readonly (number | undefined)[],
): { readonly armedAt: number | undefined; readonly outputs: readonly DiscoveryOutput[] } {
  const earliest = deadlines.reduce<number>(
    (least, at) => Math.min(least, at ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  if (earliest === Number.POSITIVE_INFINITY) {
    return { armedAt: undefined, outputs: armedAt === undefined ? [] : [{ kind: 'cancel-timer' }] };
  }
  return { armedAt: earliest, outputs: armedAt === earliest ? [] : [{ kind: 'arm-timer', at: earliest }] };
}
