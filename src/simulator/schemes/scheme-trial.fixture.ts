/**
 * Shared by tests of schemes: a small leaf-spine fabric under the ns-3 profile, and one leaf of it that can be asked, packet by packet and at any
 * time, where it would send what.
 */
import type { FabricSimulation } from '../network/fabric-simulation.js';
import { NS3_SIZES } from '../network/ns3-profile.js';
import { CLASS_SHIFT, PacketKind, ROW, Word } from '../network/packets.js';
import { smallClos, smallFabric } from '../network/small-fabric.fixture.js';
import type { Topology } from '../network/topology.js';
import { LOSSLESS_CLASS } from '../network/traffic-classes.js';
import { type Flow, FlowList, whole } from '../workload/flow-list.js';
import type { LoadBalancer, SchemeContext } from './scheme.js';

export interface LeafSpineShape {
  readonly leaves: number;
  readonly spines: number;
  /** Of each leaf. */
  readonly hosts: number;
  /** Gb/s of the link from a leaf to a spine; 100 unless said. */
  readonly rate?: (leaf: number, spine: number) => number;
}

const MTU = NS3_SIZES.payload + NS3_SIZES.overhead;

export function leafSpineTopology({ leaves, spines, hosts, rate = () => 100 }: LeafSpineShape): Topology {
  const topology = smallClos(leaves, spines, hosts);
  const links = topology.links.map((link) => {
    if (link.a < topology.hosts) return link;
    return { ...link, rate: rate(link.a - topology.hosts, link.b - topology.hosts - leaves) * 1e9 };
  });
  return { ...topology, links };
}

export function simulate(
  topology: Topology,
  scheme: (context: SchemeContext) => LoadBalancer,
  seed = 1,
): FabricSimulation {
  return smallFabric(topology, { scheme, seed });
}

/** Opens a queue pair; what switches hash of it is of its number. */
export function openPair(simulation: FabricSimulation, source: number, destination: number, number: number): number {
  return simulation.hosts.open(endsOf(source, destination, number));
}

function endsOf(source: number, destination: number, number: number) {
  return {
    source,
    destination,
    sourceAddress: source,
    destinationAddress: destination,
    words: [0x0a000000 + source, 0x0a000000 + destination, 0x12b7c000 + number, number] as const,
    serviceClass: LOSSLESS_CLASS,
  };
}

/** Runs flows, each a queue pair of its own, for so many picoseconds at most; their completion times. */
export function runFlows(simulation: FabricSimulation, flows: readonly Flow[], limit = 100e9): Float64Array {
  const list = new FlowList(
    simulation,
    flows,
    whole(({ source, destination }, index) => endsOf(source, destination, index)),
  );
  simulation.run(list, limit);
  return list.completionTimes;
}

/** One leaf that is asked where it would send packets; nothing is sent. */
export class LeafTrial<Scheme extends LoadBalancer = LoadBalancer> {
  readonly simulation: FabricSimulation;
  readonly scheme: Scheme;
  readonly node: number;
  readonly group: number;
  /** The leaf's ports to the spines. */
  readonly uplinks: readonly number[];
  private readonly other: number;

  constructor(spines: number, scheme: (context: SchemeContext) => Scheme, rate?: (spine: number) => number, seed = 1) {
    const shape = { leaves: 2, spines, hosts: 2, ...(rate && { rate: (_: number, spine: number) => rate(spine) }) };
    this.simulation = simulate(leafSpineTopology(shape), scheme, seed);
    this.scheme = this.simulation.scheme as Scheme;
    this.node = 4;
    this.other = 2;
    this.group = this.simulation.forwarding.groupOf(this.node, this.other);
    this.uplinks = this.simulation.forwarding.portsOf(this.group);
  }

  /** Queue pairs from a host of this leaf to one of the other. */
  pairs(count: number): number[] {
    return Array.from({ length: count }, (_, number) => openPair(this.simulation, 0, this.other, number));
  }

  /** A packet as it is when a leaf has it. */
  packet(qp: number, kind: number = PacketKind.data, flags = 0): number {
    const { packets } = this.simulation;
    const packet = packets.allocate();
    const at = packet << ROW;
    packets.words[at] = kind | flags | (LOSSLESS_CLASS << CLASS_SHIFT);
    packets.words[at + Word.queuePair] = qp;
    packets.words[at + Word.bytes] = MTU;
    packets.words[at + Word.ingress] = -1;
    packets.words[at + Word.destination] = this.other;
    packets.clearScheme(at);
    return packet;
  }

  /** The port, as a place among the uplinks, that a packet of a queue pair takes at a moment (picoseconds). */
  ask(qp: number, time: number, kind?: number, flags?: number): number {
    this.simulation.events.now = time;
    const packet = this.packet(qp, kind, flags);
    const port = this.scheme.choose(this.node, packet, this.group);
    this.simulation.packets.release(packet);
    return this.uplinks.indexOf(port);
  }

  /** A port starts to send `octets` now, as its switch tells the scheme. */
  depart(place: number, octets: number): void {
    const port = this.uplinks[place]!;
    const { packets, ports } = this.simulation;
    const packet = this.packet(0);
    packets.words[(packet << ROW) + Word.bytes] = octets;
    ports.sentOctets[port] = ports.sentOctets[port]! + octets;
    this.scheme.departing?.(port, packet);
    packets.release(packet);
  }

  /** Octets that wait at an uplink from now on. */
  queue(place: number, octets: number): void {
    this.simulation.ports.queuedOctets[this.uplinks[place]! * 3 + LOSSLESS_CLASS] = octets;
  }

  fail(place: number): void {
    this.turn(place, 0);
  }

  repair(place: number): void {
    this.turn(place, 1);
  }

  private turn(place: number, up: number): void {
    const port = this.uplinks[place]!;
    this.simulation.ports.up[port] = up;
    this.simulation.forwarding.refresh();
    this.scheme.linkChanged?.(port);
  }
}
