/** What `npm run bench:sim` runs, and whose figures for it there are. Pure. */
import { type Anchor, HTSIM_PERMUTATION, NS3_CONGA, NS3_CONWEAVE, NS3_ECMP, NS3_LETFLOW } from './anchors.js';

export interface SimWorkload {
  readonly name: string;
  /** A study that comes with heddle, and one of its schemes. */
  readonly study: string;
  readonly scheme: string;
  /**
   * Whose tables packets go by: those of the fabric's routers, which are started for it, or shortest paths, which is what these come to. The other
   * simulators compute shortest paths; where routers are very many the comparison is one of packets.
   */
  readonly tables: 'routers' | 'shortest-paths';
  readonly anchor: Anchor;
  /** What is to be reached: of the anchor's data packets a second at least so many, of its memory at most. */
  readonly packetRatio: number;
  readonly memoryRatio?: number;
}

function ns3Flows(scheme: string, anchor: Anchor): SimWorkload {
  const target = { packetRatio: 10, memoryRatio: 0.5 };
  return { name: `storage-${scheme}`, study: 'ali50-ns3', scheme, tables: 'routers', anchor, ...target };
}

export const WORKLOADS: readonly SimWorkload[] = [
  ns3Flows('ecmp', NS3_ECMP),
  ns3Flows('letflow', NS3_LETFLOW),
  ns3Flows('conga', NS3_CONGA),
  ns3Flows('conweave', NS3_CONWEAVE),
  {
    name: 'permutation-1024',
    study: 'permutation-1024',
    scheme: 'ecmp',
    tables: 'shortest-paths',
    anchor: HTSIM_PERMUTATION,
    packetRatio: 1,
  },
];
