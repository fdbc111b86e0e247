/** The fabric of a study. */
import { SimulationInputError } from '../../simulator/input-error.js';
import type { Topology } from '../../simulator/network/topology.js';
import { clos, railOptimised } from '../../simulator/topology/clos.js';
import { fatTree } from '../../simulator/topology/fat-tree.js';
import { parseNs3Topology } from '../../simulator/topology/ns3-topology.js';
import { parseBeside } from './beside.js';
import { atKey } from './study-problem.js';
import type { StudyFile } from './study-schema.js';

/** The most hosts and switches that a study may have: beyond them a slip of the hand takes all memory. */
const MOST_NODES = 100_000;

/** Throws StudyProblem. */
export function topologyOf(file: StudyFile, folder: string): Topology {
  const [kind] = Object.entries(file.topology).find(([, value]) => value !== undefined)!;
  return atKey(['topology', kind], () => built(file, folder));
}

function built({ topology }: StudyFile, folder: string): Topology {
  const { 'leaf-spine': two, rails, 'fat-tree': tree, 'ns3-file': text } = topology;
  if (two) {
    checkSize(two.leaves * (1 + two['hosts-per-leaf']) + two.spines);
    return clos({ ...uplinks(two), leaves: two.leaves, hostsPerLeaf: two['hosts-per-leaf'] });
  }
  if (rails) {
    const { stripes, rails: count, 'servers-per-stripe': serversPerStripe } = rails;
    checkSize(stripes * count * (1 + serversPerStripe) + rails.spines);
    return railOptimised({ ...uplinks(rails), stripes, rails: count, serversPerStripe });
  }
  if (tree) {
    const hostsPerLeaf = tree['hosts-per-leaf'] ?? tree.k / 2;
    checkSize(((tree.k * tree.k) / 2) * (2 + hostsPerLeaf));
    return fatTree({
      k: tree.k,
      hostsPerLeaf,
      hostRate: tree['host-rate'],
      linkRate: tree['uplink-rate'],
      delay: tree.delay,
    });
  }
  return parseBeside(folder, text!, parseNs3Topology);
}

function checkSize(nodes: number): void {
  if (nodes <= MOST_NODES) return;
  throw new SimulationInputError(`a fabric of ${nodes} hosts and switches; expected ${MOST_NODES} at most`);
}

function uplinks(
  given: NonNullable<StudyFile['topology']['leaf-spine']> | NonNullable<StudyFile['topology']['rails']>,
) {
  return {
    spines: given.spines,
    parallelLinks: given['parallel-links'],
    hostRate: given['host-rate'],
    uplinkRate: given['uplink-rate'],
    delay: given.delay,
  };
}
