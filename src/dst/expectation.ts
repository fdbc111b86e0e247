/** What the fabric must come to, worked out without its tables (app/verify) from what is cut, who is down and what each router is to run. */

import type { PlannedRouter } from '../app/lab/plan.js';
import { linkNames } from '../app/verify/failures.js';
import { rulesOfConfig } from '../app/verify/heddle-rules.js';
import type { ModelRoute, Prediction } from '../app/verify/model.js';
import { predict } from '../app/verify/predict.js';
import type { RouterRules } from '../app/verify/router-rules.js';
import { formatPrefix } from '../core/net/prefix.js';
import type { PolicyChain } from '../core/policy/policy.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import type { Testbed } from './testbed.js';

export interface Expectation {
  readonly prediction: Prediction;
  /** Links that carry a session, as `leaf1:spine2`. */
  readonly live: ReadonlySet<string>;
}

export function expectationOf(bed: Testbed): Expectation {
  const names = linkNames(bed.plan);
  const failed = new Set<string>();
  const live = new Set<string>();
  for (const [name, { a, b }] of names) {
    if (bed.cut.has(name) || bed.down.has(a.node) || bed.down.has(b.node)) failed.add(name);
    else if (bed.configs.has(b.node)) live.add(name);
  }
  const rulesFor = (router: PlannedRouter) =>
    withPolicies(rulesOfConfig(bed.config(router.name), router), bed.config(router.name));
  return { prediction: predict(bed.plan, failed, rulesFor), live };
}

/** A router's routes of others, by prefix. */
export function routesOf({ prediction }: Expectation, router: string): ModelRoute[] {
  return [...prediction.routes.get(router)!.values()].filter(({ local }) => !local);
}

/** The model leaves policies out; those of scenarios reject prefixes. */
function withPolicies(rules: RouterRules, config: SpeakerConfig): RouterRules {
  const rejected = (name: string, key: 'importPolicy' | 'exportPolicy', prefix: string) =>
    rejects(config.fabric.find((link) => link.name === name)?.[key], prefix);
  return {
    ...rules,
    originate: (prefix, port) =>
      rejected(port.interface, 'exportPolicy', prefix.text) ? undefined : rules.originate(prefix, port),
    take: (told, port, prefix) => ({
      ...rules.take(told, port, prefix),
      ...(rejected(port.interface, 'importPolicy', prefix.text) && { hidden: true }),
    }),
  };
}

function rejects(chain: PolicyChain | undefined, prefix: string): boolean {
  const terms = (chain ?? []).flatMap((policy) => policy.terms).filter(({ action }) => action === 'reject');
  return terms.some(({ match }) =>
    match.prefixes?.some(({ entries }) => entries.some((entry) => formatPrefix(entry.prefix) === prefix)),
  );
}
