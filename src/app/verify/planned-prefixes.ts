/** A leaf's prefixes as its plan has them: what the lab configures of implementations that have no settings of their own. */
import { familyOfAddress } from '../../core/net/family.js';
import { type PlannedRouter, prefixText } from '../lab/plan.js';
import type { ModelPrefix } from './model.js';

export function plannedPrefixes({ name, hosts }: PlannedRouter): ModelPrefix[] {
  return hosts.flatMap(({ host, prefixes }) =>
    prefixes.map((planned) => ({
      text: prefixText(planned),
      family: familyOfAddress(planned.prefix.address),
      leaf: name,
      host,
      colour: planned.colour,
      backupColours: [],
    })),
  );
}
