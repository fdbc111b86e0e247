/** What the figures are called: workloads report them, targets look for them. Pure. */
import type { Step } from './workloads.js';

export const HEDDLE = 'heddle';

const STEP_TITLES: Readonly<Record<Step, string>> = {
  announce: 'announced',
  withdraw: 'withdrawn',
  drop: 'connections lost',
  policy: 'policy changed',
};

export const FIGURE = {
  wall: (step: Step) => `${STEP_TITLES[step]}: until quiet, s`,
  told: (step: Step) => `${STEP_TITLES[step]}: until the last is told, s`,
  cpu: (step: Step) => `${STEP_TITLES[step]}: CPU, s`,
  memory: (step: Step) => `${STEP_TITLES[step]}: peak memory, MB`,
  perPath: (step: Step) => `${STEP_TITLES[step]}: memory per path, octets`,
  late: (step: Step) => `${STEP_TITLES[step]}: KEEPALIVEs late, p99, ms`,
  latest: (step: Step) => `${STEP_TITLES[step]}: KEEPALIVEs late, worst, ms`,
} as const;

/** Of all steps. */
export const LATE = /: KEEPALIVEs late, p99, ms$/;
