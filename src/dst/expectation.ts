/** What the fabric must come to, worked out without its tables (app/verify) from what is cut, who is down and what each router is to run. */

import type { FabricPort, PlannedRouter } from '../app/lab/plan.js';
import { linkNames } from '../app/verify/failures.js';
import { rulesOfConfig } from '../app/verify/heddle-rules.js';
import type { ModelPrefix, ModelRoute, Prediction, Told } from '../app/verify/model.js';
import { predict } from '../app/verify/predict.js';
import type { RouterRules } from '../app/verify/router-rules.js';
import { formatPrefix } from '../core/net/prefix.js';
import type { PolicyChain } from '../core/policy/policy.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import type { Misheard } from './bad-update.js';
import type { Intent } from './intent.js';

export interface Expectation {
  readonly prediction: Prediction;
  /** Links that carry a session, by name. */
  readonly live: ReadonlySet<string>;
}

export function expectationOf(intent: Intent): Expectation {
  const names = linkNames(intent.plan);
  const failed = new Set<string>();
  const live = new Set<string>();
  for (const [name, { a, b }] of names) {
    if (intent.cut.has(name) || intent.down.has(a.node) || intent.down.has(b.node)) failed.add(name);
    else if (intent.routers.some((router) => router.name === b.node)) live.add(name);
  }
  const rulesFor = (router: PlannedRouter) =>
    withMisheard(
      withPolicies(rulesOfConfig(intent.config(router.name), router), intent.config(router.name)),
      (port, prefix) => intent.misheard(router.name, port.interface, prefix.text),
    );
  return { prediction: predict(intent.plan, failed, rulesFor), live };
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

/** What a neighbour hears is what the model has it told. */
function withMisheard(
  rules: RouterRules,
  misheard: (port: FabricPort, prefix: ModelPrefix) => Misheard | undefined,
): RouterRules {
  const heard = (told: Told | undefined, port: FabricPort, prefix: ModelPrefix): Told | undefined => {
    const wrong = told && misheard(port, prefix);
    if (wrong === undefined) return told;
    const { aigp: _, ...rest } = told!;
    return wrong === 'no-route' ? undefined : rest;
  };
  return {
    ...rules,
    originate: (prefix, port) => heard(rules.originate(prefix, port), port, prefix),
    pass: (best, port, prefix) => heard(rules.pass(best, port, prefix), port, prefix),
  };
}

function rejects(chain: PolicyChain | undefined, prefix: string): boolean {
  const terms = (chain ?? []).flatMap((policy) => policy.terms).filter(({ action }) => action === 'reject');
  return terms.some(({ match }) =>
    match.prefixes?.some(({ entries }) => entries.some((entry) => formatPrefix(entry.prefix) === prefix)),
  );
}
