/**
 * The routers of a simulated fabric as heddle's own speakers on virtual time: one for each switch, one session a link, the same configuration that a
 * daemon would have. Interfaces are called after the ports of the packet simulation (`p17`), so that a route's interface is a port.
 */
import { type Prefix, parsePrefix } from '../../core/net/prefix.js';
import type { HostPrefix, SpeakerConfig } from '../../core/speaker/config.js';
import { link, router } from '../../core/speaker/plain-config.js';
import { hasParallelLinks, leavesOf, type Topology, tiersOf, uplinksOf } from '../network/topology.js';
import type { FabricShape } from '../virtual-fabric.js';

/** What the fabric announces. */
export interface RoutingPlan {
  /** Prefixes of a leaf: 1 without colours; with DPF as many as it has uplinks, prefix k of the colour of uplink k. */
  readonly planes: number;
  readonly coloured: boolean;
}

const FIRST_AS = 4_200_000_000;
const HOST_PORT = 'hosts';
const SESSION_COLOURS = { dpf: { mode: 'session', aigpOrigin: 0n, aigpStep: 1n } } as const;

export const portName = (port: number): string => `p${port}`;
export const portOf = (name: string): number => Number(name.slice(1));

/** The prefix of plane `plane` of the `leaf`th leaf. */
export function planePrefix(leaf: number, plane: number): Prefix {
  return parsePrefix(`fd00:${(leaf + 1).toString(16)}:${(plane + 1).toString(16)}::/64`)!;
}

export function speakerFabric(topology: Topology, plan: RoutingPlan): FabricShape {
  const leaves = leavesOf(topology);
  const nodes = topology.tiers.map((_, index) => topology.hosts + index);
  const routers = nodes.map((node) => {
    const leaf = leaves.indexOf(node);
    return leaf < 0 ? spineConfig(topology, node, plan) : leafConfig(topology, node, leaf, plan);
  });
  const fabricLinks = topology.links.flatMap(({ a, b }, index) =>
    a < topology.hosts || b < topology.hosts ? [] : [{ a, b, index }],
  );
  const names = new Map(nodes.map((node, index) => [node, routers[index]!.name]));
  return {
    routers: routers.map((config) => ({ name: config.name, config })),
    hosts: leaves.map((_, leaf) => `behind${leaf}`),
    wires: [
      ...fabricLinks.map(({ a, b, index }) => ({
        a: { node: names.get(a)!, interface: portName(index * 2) },
        b: { node: names.get(b)!, interface: portName(index * 2 + 1) },
      })),
      ...leaves.map((node, leaf) => ({
        a: { node: names.get(node)!, interface: HOST_PORT },
        b: { node: `behind${leaf}`, interface: 'eth0' },
      })),
    ],
  };
}

export const routerName = (topology: Topology, node: number): string => topology.names[node] ?? `node${node}`;

function leafConfig(topology: Topology, node: number, leaf: number, plan: RoutingPlan): SpeakerConfig {
  const bySession = hasSessionColours(topology, plan);
  const colours = Array.from({ length: plan.planes }, (_, plane) => plane + 1);
  const prefixes = Array.from({ length: plan.planes }, (_, plane): HostPrefix => {
    const prefix = planePrefix(leaf, plane);
    const gateway = Uint8Array.from(prefix.address).fill(1, 15);
    if (!plan.coloured) return { prefix, gateway };
    const others = colours.filter((colour) => colour !== plane + 1);
    return { prefix, gateway, colour: plane + 1, ...(bySession && { backupColours: others }) };
  });
  return router(routerName(topology, node), FIRST_AS + node, {
    role: 'leaf',
    identifier: 0x0a000000 + node + 1,
    fabric: uplinksOf(topology, node).map((port, place) =>
      link(portName(port), plan.coloured ? { colour: (place % plan.planes) + 1 } : {}),
    ),
    hosts: [{ name: HOST_PORT, prefixes }],
    ...(bySession && SESSION_COLOURS),
  });
}

function spineConfig(topology: Topology, node: number, plan: RoutingPlan): SpeakerConfig {
  const bySession = hasSessionColours(topology, plan);
  return router(routerName(topology, node), FIRST_AS + node, {
    identifier: 0x0b000000 + node + 1,
    fabric: uplinksOf(topology, node).map((port) =>
      link(portName(port), bySession ? { colour: farColour(topology, port, plan) } : {}),
    ),
    ...(bySession && SESSION_COLOURS),
  });
}

/**
 * Over all its links to a leaf a spine tells the same of a route, so AIGP alone cannot keep parallel links apart: their sessions
 * must have the colours, at both ends. Above a second tier there is no leaf whose uplink a link would be.
 */
function hasSessionColours(topology: Topology, plan: RoutingPlan): boolean {
  return plan.coloured && tiersOf(topology) === 2 && hasParallelLinks(topology);
}

/** The colour that the leaf at the other end of a spine's port has given to the link. */
function farColour(topology: Topology, port: number, plan: RoutingPlan): number {
  const { a, b } = topology.links[port >> 1]!;
  const [far, farPort] = port % 2 === 0 ? [b, port + 1] : [a, port - 1];
  return (uplinksOf(topology, far).indexOf(farPort) % plan.planes) + 1;
}
