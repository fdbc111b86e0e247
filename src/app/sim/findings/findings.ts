/**
 * What explains the results of a study, in sentences made from its measurements: why packets were sent again, how unevenly links were used, how far
 * congestion went, what a scheme's own counters say. Each finder is one function with its threshold; what is below it is not said. Pure.
 */
import type { RunResult } from '../../../simulator/results/run-result.js';
import { congestion, pauses } from './congestion.js';
import { fallback, fewFlowlets, herds, pathsUnknown, reorderQueues } from './decisions.js';
import type { Evidence, Finder, Finding } from './evidence.js';
import { evenLinks, unevenLinks } from './link-use.js';
import { losses, sentAgain, unfinished } from './retransmissions.js';
import { unmeasured } from './unmeasured.js';
import { verdict } from './verdict.js';

/** In the order in which they are said of a scheme. */
const FINDERS: readonly Finder[] = [
  unfinished,
  unmeasured,
  sentAgain,
  losses,
  evenLinks,
  unevenLinks,
  fewFlowlets,
  herds,
  fallback,
  reorderQueues,
  pathsUnknown,
  pauses,
  congestion,
];

/** Of all schemes together first, then scheme by scheme in the order in which they first appear. */
export function findingsOf(
  runs: readonly RunResult[],
  about: Pick<Evidence, 'transport' | 'limit' | 'measure'>,
): Finding[] {
  const schemes = [...new Set(runs.map(({ scheme }) => scheme))];
  const ofSchemes = schemes.flatMap((scheme) => {
    const evidence = { ...about, scheme, runs: runs.filter((run) => run.scheme === scheme) };
    return FINDERS.flatMap((finder) => finder(evidence) ?? []);
  });
  return [...verdict(runs), ...ofSchemes];
}
