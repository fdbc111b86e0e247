/** A fabric that does exactly what the model says, as it would be seen: for tests to change. */
import { fallbackOf, type ModelRoute, type Prediction, preferredOf } from './model.js';
import type { FabricState, NodeState, SeenKernelRoute } from './observation.js';

export function seenAsPredicted(prediction: Prediction): FabricState {
  const { plan, links } = prediction;
  const routers = plan.routers.map((router): NodeState => {
    const routes = [...prediction.routes.get(router.name)!.values()];
    const isUp = (name: string) =>
      links.some(({ a, b, up }) => up && [a, b].some((end) => end.node === router.name && end.interface === name));
    return {
      node: router.name,
      implementation: router.implementation,
      silent: null,
      sessions: router.fabric.map((port) => {
        const up = isUp(port.interface);
        return { interface: port.interface, up, reason: up ? null : 'no carrier' };
      }),
      routes: routes.filter(({ paths }) => paths.length > 0).map((route) => seenRoute(route)),
      fib: null,
      fibProblems: [],
      kernel: routes.flatMap((route) => kernelRoutes(prediction, route, router.implementation)),
    };
  });
  return {
    format: 'heddle-verify-1',
    topology: plan.topology.name,
    nodes: routers.map(({ node }) => node),
    links: links.map(({ name, up }) => ({ link: name, state: up ? 'up' : 'cut' })),
    routers: new Map(routers.map((state) => [state.node, state])),
  };
}

function seenRoute({ prefix, paths }: ModelRoute): NodeState['routes'][number] {
  return {
    prefix: prefix.text,
    paths: paths.map((path) => ({
      interface: path.interface,
      use: path.use,
      colour: path.colour ?? null,
      aigp: path.aigp?.toString() ?? null,
      reason: null,
    })),
  };
}

function kernelRoutes(
  { links }: Prediction,
  route: ModelRoute,
  implementation: NodeState['implementation'],
): SeenKernelRoute[] {
  const prefix = route.prefix.text;
  if (route.local) {
    const link = links.find(
      ({ kind, a, b }) => kind === 'host' && a.node === route.router && b.node === route.prefix.host,
    );
    return link?.up ? [{ prefix, metric: 256, protocol: 'kernel', interfaces: [link.a.interface] }] : [];
  }
  const at = (metric: number, protocol: string, interfaces: readonly string[]) =>
    interfaces.length === 0 ? [] : [{ prefix, metric, protocol, interfaces }];
  if (implementation === 'heddle') return [...at(20, '179', preferredOf(route)), ...at(30, '179', fallbackOf(route))];
  return implementation === 'frr' ? at(20, 'bgp', preferredOf(route)) : at(32, 'bird', preferredOf(route));
}
