/** A run in which nothing is out of the ordinary, to be changed by tests of what is made from runs. */
import type { LinkLoad, RunResult } from './run-result.js';

export function plainRun(changes: Partial<RunResult> = {}): RunResult {
  return {
    scheme: 'ecmp',
    seed: 1,
    flows: { count: 100, finished: 100, octets: 1e8 },
    slowdown: { count: 100, average: 1.5, p50: 1.2, p90: 2, p95: 2.5, p99: 4, p999: 5, most: 5 },
    completionTime: { count: 100, average: 150, p50: 120, p90: 200, p95: 250, p99: 400, p999: 500, most: 500 },
    bySize: [],
    jobTime: 500,
    busBandwidth: undefined,
    background: undefined,
    imbalance: undefined,
    queue: undefined,
    pause: { frames: 0, byHop: [] },
    packets: {
      data: 10_000,
      resent: 0,
      'out-of-order': 0,
      overtaken: 0,
      complaints: 0,
      timeouts: 0,
      marked: 0,
      'congestion-notices': 0,
      'complaint-notices': 0,
      'dropped-full': 0,
      'dropped-unreachable': 0,
      'dropped-down': 0,
      'dropped-by-watchdog': 0,
      lost: 0,
      'answers-lost': 0,
      'control-lost': 0,
    },
    octets: { data: 1e7, resent: 0 },
    ofScheme: {},
    links: [],
    moments: [],
    slowdownCurve: [],
    imbalanceCurve: [],
    duration: 500,
    events: 100_000,
    ...changes,
  };
}

/** A link between a leaf and a spine, both ways. */
export function plainLink(
  leaf: string,
  spine: string,
  { number = 1, up = 0.5, down = 0.5, downShare = 0 } = {},
): LinkLoad[] {
  const one = (from: string, to: string, share: number) => ({
    from,
    to,
    number,
    fromTier: from.startsWith('leaf') ? 'leaf' : 'spine',
    toTier: to.startsWith('leaf') ? 'leaf' : 'spine',
    octets: share * 1e6,
    share,
    downShare,
  });
  return [one(leaf, spine, up), one(spine, leaf, down)];
}
