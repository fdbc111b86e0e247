/** What the decision did to a path, in words for people. */
import type { DecisionStepName, ExplainedPath } from './types.js';

/** Where the name of the step does not say enough. */
const LOST: Partial<Readonly<Record<DecisionStepName, string>>> = {
  'local-origin': 'a route of our own is preferred',
  'long-lived-stale': 'its neighbour has been away for longer than its restart time',
  settling: 'its neighbour is just back, and not preferred yet: show neighbors says what for',
  'local-pref': 'lower local preference',
  'as-path-length': 'longer AS_PATH',
  origin: 'higher origin',
  med: 'higher MED from the same AS',
  external: 'an external path is preferred',
  'interior-cost': 'higher cost to the next hop',
  'cluster-list-length': 'longer CLUSTER_LIST',
};

export function pathReason(path: ExplainedPath): string {
  if (path.reason !== undefined) return path.reason;
  if (path.status === 'best') return 'best path';
  if (path.status === 'multipath') return 'equal to the best path';
  if (path.lostAt === 'aigp') {
    return path.attributes.aigp ? 'higher AIGP + cost' : 'no AIGP counts as infinite';
  }
  return (path.lostAt && LOST[path.lostAt]) ?? (path.lostAt ? `lost at ${path.lostAt}` : 'equal to the best path');
}
