/**
 * Where a configured neighbour's session can start from: our address, the interface where the neighbour is on a subnet of ours, and
 * what routes told there have as next hop (RFC 4271 section 5.1.3, RFC 2545 section 3). Or why it cannot start yet.
 */
import { usability } from '../discovery/usable.js';
import { type Address, equalBytes, formatAddress, isLinkLocal, isUnspecified } from '../net/address.js';
import type { Family } from '../net/family.js';
import { contains, masked } from '../net/prefix.js';
import type { LinkAddress, LinkState } from '../ports/links.js';
import type { Resolution } from '../ports/reachability.js';
import type { NextHop } from '../wire/bgp/message.js';
import type { NeighbourConfig } from './config.js';

/** Our addresses that routes told to a neighbour may have as next hop. */
export interface OwnNextHops {
  readonly ipv6?: NextHop;
  readonly ipv4?: Address;
}

export interface LocalEnd {
  readonly local: Address;
  /** 0 and empty when the neighbour is some hops away. */
  readonly interfaceIndex: number;
  readonly interfaceName: string;
  readonly nextHops: OwnNextHops;
}

export type LocalEndResult = LocalEnd | { readonly problem: string };

type Place = Pick<NeighbourConfig, 'address' | 'interfaceName' | 'source' | 'multihop'>;

/** `resolve` says over which interface a neighbour that is some hops away is reached. */
export function localEnd(
  place: Place,
  links: readonly LinkState[],
  resolve: (address: Address) => Resolution | undefined,
): LocalEndResult {
  const own = links.find((link) => isOwn(place, link));
  if (own) return { problem: `${formatAddress(place.address)} is our own address, on ${own.name}` };
  if (place.multihop !== undefined) return distantEnd(place, links, resolve);
  return isLinkLocal(place.address) ? linkLocalEnd(place, links) : subnetEnd(place, links);
}

/** A link-local address is ours on its own link alone. */
function isOwn({ address, interfaceName }: Place, { name, addresses }: LinkState): boolean {
  if (isLinkLocal(address) && name !== interfaceName) return false;
  return addresses.some((entry) => equalBytes(entry.address, address));
}

/** Families whose routes have no next hop on such a session: they cannot be offered there. */
export function familiesWithoutNextHop({ local, nextHops }: LocalEnd): readonly Family[] {
  return local.length === 4 && !nextHops.ipv6 ? ['ipv6-unicast'] : [];
}

function linkLocalEnd({ interfaceName = '' }: Place, links: readonly LinkState[]): LocalEndResult {
  const link = links.find(({ name }) => name === interfaceName);
  if (!link) return { problem: `no interface ${interfaceName}` };
  const usable = usability(link);
  if (!usable.usable) return { problem: `${interfaceName}: ${usable.reason}` };
  return endOn(link, usable.linkLocal);
}

interface Candidate {
  readonly link: LinkState;
  readonly entry: LinkAddress;
}

function subnetEnd(place: Place, links: readonly LinkState[]): LocalEndResult {
  const { address, interfaceName, source } = place;
  if (interfaceName !== undefined && !links.some(({ name }) => name === interfaceName))
    return { problem: `no interface ${interfaceName}` };
  const candidates = links
    .filter(({ name }) => interfaceName === undefined || name === interfaceName)
    .flatMap((link) => link.addresses.map((entry): Candidate => ({ link, entry })))
    .filter(({ entry }) => hasSubnetOf(entry, address) && (!source || equalBytes(entry.address, source)));
  const problems = candidates.map(problemOf);
  const ready = candidates[problems.indexOf(undefined)];
  if (ready) return endOn(ready.link, ready.entry.address);
  const [problem] = problems;
  return { problem: problem ?? nowhere(place) };
}

function nowhere({ address, interfaceName, source }: Place): string {
  const text = formatAddress(address);
  if (source) return `our address ${formatAddress(source)} is on no interface with a subnet that has ${text} in it`;
  const where = interfaceName === undefined ? 'no subnet of ours' : `no subnet of ${interfaceName}`;
  return `${text} is on ${where} (with multihop it need not be)`;
}

function distantEnd(
  { address, source }: Place,
  links: readonly LinkState[],
  resolve: (address: Address) => Resolution | undefined,
): LocalEndResult {
  const all = links.flatMap((link) => link.addresses.map((entry): Candidate => ({ link, entry })));
  if (source) {
    const own = all.find(({ entry }) => equalBytes(entry.address, source));
    const problem = own ? addressProblem(own) : `our address ${formatAddress(source)} is on no interface`;
    return problem === undefined && own ? distant(own) : { problem: problem! };
  }
  const reach = resolve(address)?.reaches[0];
  if (!reach) return { problem: `no route to ${formatAddress(address)}` };
  const own = all.find(
    ({ link, entry }) => link.index === reach.interfaceIndex && isGlobal(entry, address) && isReady(entry),
  );
  return own ? distant(own) : { problem: `${reach.interfaceName} has no address for it: name one as source` };
}

/** Link-local addresses mean nothing there. */
function distant({ link, entry }: Candidate): LocalEnd {
  const { ipv6, ipv4 } = nextHopsOn(link, entry.address);
  const global = ipv6?.global && { ipv6: { global: ipv6.global } };
  return {
    local: entry.address,
    interfaceIndex: 0,
    interfaceName: '',
    nextHops: { ...global, ...(ipv4 && { ipv4 }) },
  };
}

function endOn(link: LinkState, local: Address): LocalEnd {
  return {
    local,
    interfaceIndex: link.index,
    interfaceName: link.name,
    nextHops: nextHopsOn(link, local),
  };
}

/** The address of the session itself, and beside it those of its interface. */
function nextHopsOn(link: LinkState, local: Address): OwnNextHops {
  if (isLinkLocal(local)) return { ipv6: { linkLocal: local } };
  const own = (octets: 4 | 16) => (local.length === octets ? local : globalOn(link, octets));
  const usable = usability(link);
  const global = own(16);
  const ipv4 = own(4);
  const ipv6 = { ...(global && { global }), ...(usable.usable && { linkLocal: usable.linkLocal }) };
  return { ...((global || usable.usable) && { ipv6 }), ...(ipv4 && { ipv4 }) };
}

function globalOn({ addresses }: LinkState, octets: 4 | 16): Address | undefined {
  return addresses.find((entry) => entry.address.length === octets && isReady(entry) && !isLinkLocal(entry.address))
    ?.address;
}

function hasSubnetOf({ address, prefixLength }: LinkAddress, other: Address): boolean {
  return (
    address.length === other.length && contains({ address: masked(address, prefixLength), length: prefixLength }, other)
  );
}

function isGlobal({ address }: LinkAddress, like: Address): boolean {
  return address.length === like.length && !isLinkLocal(address) && !isUnspecified(address);
}

function isReady({ tentative, duplicate }: LinkAddress): boolean {
  return !tentative && !duplicate;
}

/** `undefined` when a session can start there. */
function problemOf({ link, entry }: Candidate): string | undefined {
  if (!link.adminUp) return `${link.name}: administratively down`;
  if (!link.carrier) return `${link.name}: no carrier`;
  // IPv6 routes would have no next hop on a session over IPv4 that is faster than duplicate address detection.
  const waits = entry.address.length === 4 && !ownIpv6(link) && link.addresses.some(({ tentative }) => tentative);
  return waits ? `${link.name}: its IPv6 addresses are tentative` : addressProblem({ link, entry });
}

function ownIpv6({ addresses }: LinkState): Address | undefined {
  return addresses.find((entry) => entry.address.length === 16 && isReady(entry))?.address;
}

function addressProblem({ link, entry }: Candidate): string | undefined {
  const text = formatAddress(entry.address);
  if (!link.adminUp) return `our address ${text}: ${link.name} is administratively down`;
  if (entry.duplicate) return `duplicate address: another node on ${link.name} uses ${text}`;
  return entry.tentative ? `our address ${text} is tentative (duplicate address detection)` : undefined;
}
