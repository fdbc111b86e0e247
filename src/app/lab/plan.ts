/**
 * A topology as the things to build: routers with their ports, hosts, links and addresses. Pure. The node configurations
 * are rendered from it (node-config.ts), and it is built either here as namespaces (lab.ts) or exported (containerlab.ts).
 */

import { formatAddress } from '../../core/net/address.js';
import { familyOfAddress } from '../../core/net/family.js';
import { formatPrefix, type Prefix, parsePrefix } from '../../core/net/prefix.js';
import type { Colour } from '../../core/speaker/config.js';
import type { RouterSpec, Topology } from './topology.js';

export interface Endpoint {
  readonly node: string;
  readonly interface: string;
}

/** `a` is the leaf, `b` the spine or the host. */
export interface PlannedLink {
  readonly a: Endpoint;
  readonly b: Endpoint;
}

/** A router's end of a leaf-spine link. */
export interface FabricPort {
  readonly interface: string;
  readonly peer: RouterSpec;
  readonly peerInterface: string;
  /** Position among the leaf's uplinks, from 1, and the colour of that uplink. */
  readonly uplink: number;
  readonly colour: Colour;
}

export interface PlannedPrefix {
  readonly prefix: Prefix;
  /** The leaf's address in it, with the prefix length. */
  readonly gateway: string;
  /** The host's address in it, with the prefix length; IPv6 hosts form theirs themselves. */
  readonly hostAddress?: string;
  readonly colour: Colour;
}

/** A leaf's end of a host link. */
export interface HostPort {
  readonly interface: string;
  readonly host: string;
  readonly prefixes: readonly PlannedPrefix[];
}

export interface PlannedRouter extends RouterSpec {
  /** Dotted quad. */
  readonly routerId: string;
  readonly fabric: readonly FabricPort[];
  readonly hosts: readonly HostPort[];
}

export interface PlannedHost {
  readonly name: string;
  readonly leaf: string;
  readonly interface: string;
  readonly prefixes: readonly PlannedPrefix[];
}

export interface LabPlan {
  readonly topology: Topology;
  /** Spines first. */
  readonly routers: readonly PlannedRouter[];
  readonly hosts: readonly PlannedHost[];
  readonly links: readonly PlannedLink[];
}

export const HOST_INTERFACE = 'eth0';
/** Longest interface name Linux takes. */
export const MAX_INTERFACE_NAME = 15;

export function planLab(topology: Topology): LabPlan {
  const routers = [...topology.spines, ...topology.leaves].map((spec) => planRouter(topology, spec));
  return {
    topology,
    routers,
    hosts: routers.flatMap((router) => router.hosts.map((port) => plannedHost(router, port))),
    links: routers.filter((router) => router.role === 'leaf').flatMap(linksOf),
  };
}

/** All prefixes of the fabric's hosts, whatever leaf they are on. */
export function allPrefixes(plan: LabPlan): readonly PlannedPrefix[] {
  return plan.hosts.flatMap((host) => host.prefixes);
}

export function isIpv4(planned: PlannedPrefix): boolean {
  return familyOfAddress(planned.prefix.address) === 'ipv4-unicast';
}

function planRouter(topology: Topology, spec: RouterSpec): PlannedRouter {
  const leaf = spec.role === 'leaf';
  return {
    ...spec,
    routerId: `10.${leaf ? 1 : 0}.${spec.number >> 8}.${spec.number & 0xff}`,
    fabric: leaf ? uplinks(topology, spec) : downlinks(topology, spec),
    hosts: leaf ? hostPorts(topology, spec) : [],
  };
}

function linkNumbers(topology: Topology): readonly number[] {
  return Array.from({ length: topology.linksPerPair }, (_, index) => index + 1);
}

/** `to-spine1`; with several links per pair `to-spine1-2`. */
export function portName(peer: string, link: number, linksPerPair: number): string {
  return linksPerPair === 1 ? `to-${peer}` : `to-${peer}-${link}`;
}

function uplinks(topology: Topology, leaf: RouterSpec): FabricPort[] {
  return topology.spines.flatMap((spine) =>
    linkNumbers(topology).map((link) => fabricPort(topology, { local: leaf, peer: spine, spine, link })),
  );
}

function downlinks(topology: Topology, spine: RouterSpec): FabricPort[] {
  return topology.leaves.flatMap((leaf) =>
    linkNumbers(topology).map((link) => fabricPort(topology, { local: spine, peer: leaf, spine, link })),
  );
}

interface PortEnds {
  readonly local: RouterSpec;
  readonly peer: RouterSpec;
  readonly spine: RouterSpec;
  readonly link: number;
}

function fabricPort(topology: Topology, ends: PortEnds): FabricPort {
  const uplink = (ends.spine.number - 1) * topology.linksPerPair + ends.link;
  return {
    interface: portName(ends.peer.name, ends.link, topology.linksPerPair),
    peer: ends.peer,
    peerInterface: portName(ends.local.name, ends.link, topology.linksPerPair),
    uplink,
    colour: topology.colours[uplink - 1]!,
  };
}

/** `host1` behind leaf 1; with several hosts a leaf `host1-2`. */
export function hostName(leaf: number, host: number, hostsPerLeaf: number): string {
  return hostsPerLeaf === 1 ? `host${leaf}` : `host${leaf}-${host}`;
}

function hostPorts(topology: Topology, leaf: RouterSpec): HostPort[] {
  return Array.from({ length: topology.hostsPerLeaf }, (_, index) => {
    const name = hostName(leaf.number, index + 1, topology.hostsPerLeaf);
    return { interface: `to-${name}`, host: name, prefixes: hostPrefixes(topology, leaf.number, index + 1) };
  });
}

function hostPrefixes(topology: Topology, leaf: number, host: number): PlannedPrefix[] {
  const patterns = [topology.addressing.ipv6, topology.addressing.ipv4].filter((pattern) => pattern !== undefined);
  return patterns.flatMap((pattern) =>
    topology.colours.map((colour, index) =>
      plannedPrefix(expandPattern(pattern, { leaf, host, uplink: index + 1 }), colour),
    ),
  );
}

/** Fills in `{leaf}`, `{host}` and `{uplink}`. */
export function expandPattern(pattern: string, values: Readonly<Record<'leaf' | 'host' | 'uplink', number>>): string {
  return pattern.replaceAll(/\{(leaf|host|uplink)\}/g, (_, key: keyof typeof values) => String(values[key]));
}

function plannedPrefix(text: string, colour: Colour): PlannedPrefix {
  const prefix = parsePrefix(text);
  if (!prefix) throw new Error(`the topology was validated, yet ${text} is no prefix`);
  const gateway = addressIn(prefix, 1);
  return familyOfAddress(prefix.address) === 'ipv4-unicast'
    ? { prefix, gateway, hostAddress: addressIn(prefix, 2), colour }
    : { prefix, gateway, colour };
}

function addressIn(prefix: Prefix, last: number): string {
  const address = Uint8Array.from(prefix.address);
  address[address.length - 1]! += last;
  return `${formatAddress(address)}/${prefix.length}`;
}

function plannedHost(router: PlannedRouter, port: HostPort): PlannedHost {
  return { name: port.host, leaf: router.name, interface: HOST_INTERFACE, prefixes: port.prefixes };
}

function linksOf(leaf: PlannedRouter): PlannedLink[] {
  const end = (name: string): Endpoint => ({ node: leaf.name, interface: name });
  return [
    ...leaf.fabric.map((port) => ({
      a: end(port.interface),
      b: { node: port.peer.name, interface: port.peerInterface },
    })),
    ...leaf.hosts.map((port) => ({ a: end(port.interface), b: { node: port.host, interface: HOST_INTERFACE } })),
  ];
}

/** `fc00:1:1:2::/64` of a planned prefix. */
export function prefixText(planned: PlannedPrefix): string {
  return formatPrefix(planned.prefix);
}
