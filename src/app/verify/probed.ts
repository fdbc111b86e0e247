/** Packets after looks: what a fabric was seen to be, and then what probes to every prefix, counted at every hop, say of it. */
import type { Lab } from '../lab/lab.js';
import type { Difference } from './difference.js';
import { probeDifferences } from './probe-differences.js';
import { probePaths } from './probe-paths.js';
import type { Verification } from './verify.js';

export interface Probed {
  readonly verification: Verification;
  /** Prefixes that probes were sent to. */
  readonly count: number;
  /** `HOST PREFIX`: nobody has an address there, or can send to it. */
  readonly skipped: readonly string[];
}

export async function probed(lab: Lab, seen: Verification): Promise<Probed> {
  const { readings, skipped } = await probePaths(lab, seen.actual);
  const differences = [...seen.differences, ...probeDifferences(readings, kernelsKnown(seen.differences))];
  return { verification: { ...seen, differences }, count: readings.length, skipped };
}

/** Kernels that are told of already: probes would only say it again. */
function kernelsKnown(differences: readonly Difference[]): ReadonlySet<string> {
  const kinds = ['kernel', 'foreign-route'];
  return new Set(differences.filter(({ kind }) => kinds.includes(kind)).map(({ node, prefix }) => `${node} ${prefix}`));
}
