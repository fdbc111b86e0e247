/** Shared by tests of hosts, networks and workloads: a fabric under the ns-3 profile, each part of it open to change. */
import { Ns3Dcqcn } from '../hosts/dcqcn-ns3.js';
import { GoBackN } from '../hosts/go-back-n.js';
import { Ecmp } from '../schemes/ecmp.js';
import { clos } from '../topology/clos.js';
import { plainAddressing } from '../workload/addressing.js';
import { type Flow, FlowList, whole } from '../workload/flow-list.js';
import { type FabricSettings, FabricSimulation } from './fabric-simulation.js';
import { headroomOf, NS3_BUFFER, NS3_SIZES, NS3_SWITCHES } from './ns3-profile.js';
import { shortestPaths } from './shortest-paths.js';
import type { Topology } from './topology.js';

const MTU = NS3_SIZES.payload + NS3_SIZES.overhead;

export function smallClos(leaves: number, spines: number, hostsPerLeaf: number, rate = 100e9): Topology {
  const shape = { leaves, spines, hostsPerLeaf, parallelLinks: 1, hostRate: rate, uplinkRate: rate, delay: 1e6 };
  return clos(shape);
}

export function smallFabric(topology: Topology, changes: Partial<FabricSettings> = {}): FabricSimulation {
  return new FabricSimulation({
    topology,
    seed: 1,
    buffer: NS3_BUFFER,
    switches: NS3_SWITCHES,
    headroom: (port) => headroomOf(topology.links[port >> 1]!, MTU),
    sizes: NS3_SIZES,
    forwarding: shortestPaths,
    reliability: (queuePairs, events) => new GoBackN(queuePairs, events),
    congestion: (queuePairs, events) => new Ns3Dcqcn(queuePairs, events),
    scheme: (context) => new Ecmp(context),
    ...changes,
  });
}

/** Flows of an otherwise idle fabric, ready to run. */
export function flowList(simulation: FabricSimulation, flows: readonly Flow[]): FlowList {
  return new FlowList(simulation, flows, whole(plainAddressing(flows)));
}
