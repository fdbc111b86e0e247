/** Which rules a router follows. */
import type { LabPlan, PlannedRouter } from '../lab/plan.js';
import { birdRules } from './bird-rules.js';
import { frrRules } from './frr-rules.js';
import { heddleRules } from './heddle-rules.js';
import type { RouterRules } from './router-rules.js';

export function rulesOf(plan: LabPlan, router: PlannedRouter): RouterRules {
  switch (router.implementation) {
    case 'heddle':
      return heddleRules(plan, router);
    case 'frr':
      return frrRules(plan, router);
    case 'bird':
    case 'bird3':
      return birdRules(router);
  }
}
