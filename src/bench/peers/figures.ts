/** What the figures are called: workloads report them, targets look for them. Pure. */
import type { Step } from './workloads.js';

export const HEDDLE = 'heddle';
/** No router, but what Node takes to do what one does; nobody is measured by it. */
export const NODE_ALONE = 'Node alone';

const STEP_TITLES: Readonly<Record<Step, string>> = {
  announce: 'announced',
  withdraw: 'withdrawn',
  drop: 'peers down',
  policy: 'policy changed',
  probe: 'meanwhile',
};

export const FIGURE = {
  wall: (step: Step) => `${STEP_TITLES[step]}: until quiet, s`,
  told: (step: Step) => `${STEP_TITLES[step]}: until the last is told, s`,
  cpu: (step: Step) => `${STEP_TITLES[step]}: CPU, s`,
  memory: (step: Step) => `${STEP_TITLES[step]}: peak memory, MB`,
  perPath: (step: Step) => `${STEP_TITLES[step]}: memory per path, octets`,
  late: (step: Step) => `${STEP_TITLES[step]}: KEEPALIVEs late, p99, ms`,
  delay: (way: 'routed' | 'told', rank: 50 | 99) =>
    `UPDATE to ${way === 'routed' ? 'kernel route event' : 'UPDATE sent on'}, p${rank}, ms`,
  cold: {
    established: 'links up to all sessions established, s',
    routed: "links up to all routes in the router's kernel, s",
    told: 'links up to every neighbour told of all, s',
    done: 'links up to all of it, s',
    cpu: 'CPU, s',
    memory: 'peak memory, MB',
  },
  latest: (step: Step) => `${STEP_TITLES[step]}: KEEPALIVEs late, worst, ms`,
} as const;

/** Of all steps. */
export const LATE = /: KEEPALIVEs late, p99, ms$/;
