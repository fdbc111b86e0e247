/**
 * The moment after links have failed, before any router has told another: kernels drop the next hops of their own dead links and fall
 * through to what stands behind, all else is as it was. Pure.
 */
import type { ModelPath, ModelRoute, Prediction } from './model.js';

export function atFailure(before: Prediction, failed: Prediction): Prediction {
  const dead = new Set(failed.links.filter(({ up }) => !up).map(({ name }) => name));
  return {
    ...failed,
    routes: new Map(
      [...before.routes].map(([router, routes]) => [
        router,
        new Map([...routes].map(([prefix, route]) => [prefix, survivingRoute(route, dead)])),
      ]),
    ),
  };
}

function survivingRoute(route: ModelRoute, dead: ReadonlySet<string>): ModelRoute {
  const paths = route.paths.filter(({ link }) => !dead.has(link));
  if (paths.some(({ use }) => use === 'preferred')) return { ...route, paths };
  const taken = (path: ModelPath): ModelPath => (path.use === 'fallback' ? { ...path, use: 'preferred' } : path);
  return { ...route, paths: paths.map(taken) };
}
