/**
 * A fabric as it was seen, against the model: first links and sessions against what is assumed of them, then everything else against what
 * must follow from the links as they are. So a session that is down is told once, and not again for each route that it would carry.
 */
import { type Difference, difference } from './difference.js';
import { kernelDifferences } from './kernel-differences.js';
import { readLinks } from './link-differences.js';
import type { Prediction } from './model.js';
import type { FabricState } from './observation.js';
import { predict } from './predict.js';
import { readRoutes } from './route-differences.js';

export interface Verification {
  /** With the failures that were assumed. */
  readonly assumed: Prediction;
  /** With the links that carry nothing: what routes and kernels were held against. */
  readonly actual: Prediction;
  readonly differences: readonly Difference[];
}

export function verify(assumed: Prediction, state: FabricState): Verification {
  const { differences, down } = readLinks(assumed, state);
  const actual = differences.length === 0 ? assumed : predict(assumed.plan, down);
  const routes = readRoutes(actual, state);
  return {
    assumed,
    actual,
    differences: [
      ...differences,
      ...silentNodes(state),
      ...routes.differences,
      ...kernelDifferences(actual, state, routes.affected),
    ],
  };
}

function silentNodes({ routers }: FabricState): Difference[] {
  return [...routers.values()].flatMap(({ node, silent }) =>
    silent === null ? [] : [difference('no-answer', { node }, { what: 'its daemon does not answer', cause: silent })],
  );
}
