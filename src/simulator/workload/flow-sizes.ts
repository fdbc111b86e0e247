/**
 * Flow sizes as fabrics have been measured to have them: cumulative distributions as points, between which sizes spread evenly. The points are those
 * that the public simulators use, so that loads and slowdowns compare with theirs; `mean` is what the distribution comes to, and what arrivals at a
 * load are reckoned with.
 */

export interface FlowSizes {
  /** As users name it. */
  readonly name: string;
  readonly summary: string;
  /** Octets, and the share of flows of at most so many, 0 to 1; both never fall, the first share is 0, the last 1. */
  readonly points: readonly (readonly [octets: number, share: number])[];
}

const percent = (points: FlowSizes['points']): FlowSizes['points'] =>
  points.map(([octets, share]) => [octets, share / 100]);

export const ALI_STORAGE: FlowSizes = {
  name: 'alistorage2019',
  summary: 'storage traffic of Alibaba, 2019: mean 40.9 kB',
  points: percent([
    [0, 0],
    [4000, 22.93],
    [8000, 69.21],
    [16000, 80.61],
    [32000, 90.47],
    [64000, 93.53],
    [128000, 96.77],
    [256000, 97.53],
    [2000000, 100],
  ]),
};

const SOLAR_RPC: FlowSizes = {
  name: 'solarrpc2022',
  summary: 'storage RPCs over Solar, Alibaba, 2022: mean 39.4 kB',
  points: percent([
    [0, 0],
    [4095, 0.001],
    [4096, 30],
    [16383, 35],
    [16384, 50],
    [65535, 60],
    [65536, 95],
    [262144, 100],
  ]),
};

const FB_HDP: FlowSizes = {
  name: 'fbhdp2015',
  summary: 'Hadoop at Facebook, 2015 (reduced from 461 points): mean 123.8 kB',
  points: percent([
    [0, 0],
    [294, 5],
    [314, 10],
    [460, 25],
    [654, 50],
    [956, 60],
    [1553, 65],
    [2825, 68],
    [6258, 70],
    [9535, 71],
    [33863, 72.5],
    [42270, 75],
    [49287, 80],
    [76849, 85],
    [91117, 88],
    [119335, 90],
    [182040, 92.5],
    [269286, 95],
    [406093, 96],
    [818854, 97],
    [1145747, 97.5],
    [1609556, 98],
    [2016971, 98.5],
    [3094208, 99],
    [4403513, 99.3],
    [6253517, 99.6],
    [7927821, 99.8],
    [8909836, 99.9],
    [10000000, 100],
  ]),
};

const GOOGLE_RPC: FlowSizes = {
  name: 'googlerpc2008',
  summary: 'RPCs at Google, 2008 (reduced from 120 points): mean 3.1 kB',
  points: percent([
    [0, 0],
    [16, 5],
    [33, 10],
    [86, 25],
    [245, 50],
    [311, 60],
    [353, 65],
    [396, 70],
    [479, 75],
    [569, 80],
    [876, 85],
    [1716, 90],
    [2965, 92.5],
    [5507, 95],
    [9533, 97],
    [13398, 98],
    [16845, 98.5],
    [30755, 99],
    [59932, 99.3],
    [102589, 99.6],
    [196890, 99.8],
    [355670, 99.9],
    [528026, 99.95],
    [864202, 99.97],
    [1258127, 99.98],
    [2699932, 99.99],
    [4460930, 99.995],
    [10283212, 99.999],
    [15158197, 100],
  ]),
};

const WEB_SEARCH: FlowSizes = {
  name: 'websearch',
  summary: 'web search, of the DCTCP paper, 2010: mean 1.7 MB',
  points: [
    [0, 0],
    [10e3, 0.15],
    [20e3, 0.2],
    [30e3, 0.3],
    [50e3, 0.4],
    [80e3, 0.53],
    [200e3, 0.6],
    [1e6, 0.7],
    [2e6, 0.8],
    [5e6, 0.9],
    [10e6, 0.97],
    [30e6, 1],
  ],
};

const DATA_MINING: FlowSizes = {
  name: 'datamining',
  summary: 'data mining, of the VL2 paper, 2009: mean 7.5 MB',
  points: [
    [100, 0],
    [10e3, 0.8],
    [152522, 0.8346],
    [390541, 0.9],
    [3223542, 0.9538],
    [1e8, 0.99],
    [1e9, 1],
  ],
};

export const FLOW_SIZES: readonly FlowSizes[] = [ALI_STORAGE, SOLAR_RPC, FB_HDP, GOOGLE_RPC, WEB_SEARCH, DATA_MINING];

/** All flows of one size. */
export function fixedSize(octets: number): FlowSizes {
  return {
    name: `${octets}`,
    summary: `${octets} octets each`,
    points: [
      [octets, 0],
      [octets, 1],
    ],
  };
}

/** Octets of a flow on average. */
export function meanSize({ points }: FlowSizes): number {
  let mean = 0;
  for (let at = 1; at < points.length; at++) {
    const [from, below] = points[at - 1]!;
    const [to, share] = points[at]!;
    mean += ((from + to) / 2) * (share - below);
  }
  return mean;
}

/** The size that a share of flows (0 to below 1) does not exceed: octets, at least 1. */
export function sizeAt({ points }: FlowSizes, share: number): number {
  const above = points.findIndex((point) => point[1] > share);
  const [to, most] = points[above]!;
  const [from, least] = points[above - 1]!;
  return Math.max(1, Math.round(from + ((share - least) / (most - least)) * (to - from)));
}
