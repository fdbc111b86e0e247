/**
 * RDMA-aware load balancing with BGP-DPF: hosts cut each message into a segment for every uplink of their leaf and send it from an address of that
 * uplink's prefix; the routers pin each prefix to the spine of its colour. So there is nothing to choose while all links are up. When one is gone, its
 * prefix's packets go by the group behind, and among its ports dynamic load balancing chooses: the options are that one's.
 */

import { leavesOf, type Topology, uplinksOf } from '../network/topology.js';
import { Dlb, type DlbOptions, dlb } from './dlb.js';
import type { SchemeDefinition } from './scheme.js';

export const rlb: SchemeDefinition<DlbOptions> = {
  name: 'rlb',
  summary: 'hosts cut messages into a segment an uplink, BGP-DPF pins each to its spine, DLB behind (Juniper RLB)',
  defaults: dlb.defaults,
  meaning: dlb.meaning,
  coloured: true,
  refuses: (topology, options) => unequalLeaves(topology) ?? dlb.refuses?.(topology, options),
  create: (context, options) => new Dlb(context, options),
};

/** A prefix an uplink: every leaf must have as many, and more than one. */
function unequalLeaves(topology: Topology): string | undefined {
  const counts = leavesOf(topology).map((leaf) => uplinksOf(topology, leaf).length);
  const other = counts.findIndex((count) => count !== counts[0]);
  if (other >= 0) {
    return `leaves have ${counts[0]} and ${counts[other]} uplinks; each prefix needs an uplink of its own at every leaf`;
  }
  return counts[0]! < 2 ? 'leaves with one uplink have nothing to balance' : undefined;
}
