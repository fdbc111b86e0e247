/**
 * What other simulators made of the same work, as data: the public ns-3 models behind ConWeave (conweave-project/conweave-ns3, gcc 12, optimised) and
 * csg-htsim (Broadcom/csg-htsim), each built and run once on a quiet machine of two AMD EPYC cores, Debian 12, November 2026. Their event counters were
 * added to them for it. `user` is CPU time, `wall` the whole run's.
 */

export interface Anchor {
  readonly simulator: string;
  readonly events: number;
  /** Packets with payload that had to be delivered. */
  readonly dataPackets: number;
  /** Seconds. */
  readonly wall: number;
  readonly user: number;
  /** Megabytes, resident, at the most. */
  readonly memory: number;
}

/** 19,355 flows of AliStorage sizes, 50 % of the core of 128 hosts, 2 ms of arrivals. */
function conweave(events: number, wall: number, user: number, memory: number): Anchor {
  return { simulator: 'ns-3', events, dataPackets: 790_277, wall, user, memory };
}

export const NS3_ECMP = conweave(15_440_000, 31.9, 31.1, 308);
export const NS3_LETFLOW = conweave(15_420_000, 34.6, 33.7, 310);
export const NS3_CONGA = conweave(15_290_000, 36.8, 35.6, 309);
export const NS3_CONWEAVE = conweave(15_310_000, 51.4, 50.1, 312);

/**
 * RoCE (line rate, go-back-N, PFC), 1,024 hosts, a permutation of 2 MB flows, ECMP, MTU 4096, queues of 100 packets, 3 ms. Completion times 172 us at the
 * least, 515 in the middle, 1,242 at the most.
 */
export const HTSIM_PERMUTATION: Anchor = {
  simulator: 'csg-htsim',
  events: 17_230_000,
  dataPackets: 1024 * Math.ceil(2e6 / 4096),
  wall: 19.3,
  user: 14.0,
  memory: 97,
};
