/** What a router's kernel forwards against what it must: the model's choice, or the router's own where that differs already. */
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import type { Implementation } from '../lab/topology.js';
import { type Difference, difference } from './difference.js';
import { fallbackOf, type ModelRoute, type Prediction, preferredOf } from './model.js';
import type { FabricState, NodeState, SeenKernelRoute } from './observation.js';

/** Under which number and metrics an implementation installs; without a fallback metric it installs none. */
const INSTALLS: Readonly<Record<Implementation, { readonly protocol: string; readonly metrics: readonly number[] }>> = {
  heddle: { protocol: '179', metrics: [PRIMARY_METRIC, FALLBACK_METRIC] },
  frr: { protocol: 'bgp', metrics: [20] },
  bird: { protocol: 'bird', metrics: [32] },
  bird3: { protocol: 'bird', metrics: [32] },
};

/** `affected`: routes that are not as the model has them, as `NODE PREFIX`. */
export function kernelDifferences(
  prediction: Prediction,
  state: FabricState,
  affected: ReadonlySet<string>,
): Difference[] {
  return [...state.routers.values()].flatMap((node) => {
    const kernel = new Map<string, SeenKernelRoute[]>();
    for (const route of node.kernel) kernel.set(route.prefix, [...(kernel.get(route.prefix) ?? []), route]);
    return [...prediction.routes.get(node.node)!.values()].flatMap((route) => {
      const found = kernel.get(route.prefix.text) ?? [];
      const foreign = foreignRoutes(node, route, found);
      if (route.local) return [...foreign, ...connected(prediction, route, found)];
      const own = affected.has(`${node.node} ${route.prefix.text}`);
      return [...foreign, ...forwarding(node, route), ...routeDifferences(node, { route, found, own })];
    });
  });
}

function foreignRoutes(
  { node, implementation }: NodeState,
  route: ModelRoute,
  found: readonly SeenKernelRoute[],
): Difference[] {
  const { protocol, metrics } = INSTALLS[implementation];
  return found
    .filter((one) => one.protocol !== protocol && one.protocol !== 'kernel')
    .map((one) => {
      const before = one.metric < metrics[0]! || route.local;
      const what =
        `a foreign route with the same prefix (${one.protocol === '' ? 'no protocol named' : `protocol ${one.protocol}`}, metric ${one.metric}, ` +
        `${list(one.interfaces)}) ${before ? 'takes the traffic' : 'lies behind'}`;
      const cause = 'another program or somebody by hand put it there';
      return difference('foreign-route', { node, prefix: route.prefix.text }, { what, cause });
    });
}

/** The route of a host's link, of the address that the router has there. */
function connected(
  { links }: Prediction,
  { router, prefix }: ModelRoute,
  found: readonly SeenKernelRoute[],
): Difference[] {
  const link = links.find(({ kind, a, b }) => kind === 'host' && a.node === router && b.node === prefix.host);
  if (
    !link?.up ||
    found.some(({ protocol, interfaces }) => protocol === 'kernel' && interfaces.includes(link.a.interface))
  )
    return [];
  const at = { node: router, prefix: prefix.text, interface: link.a.interface };
  const cause = 'the gateway address is gone from the interface, or its daemon has not put it there';
  return [difference('kernel', at, { what: `kernel lacks the connected route on ${link.a.interface}`, cause })];
}

/** By heddle's own account. */
function forwarding({ node, fib }: NodeState, { prefix }: ModelRoute): Difference[] {
  const entry = fib?.find((one) => one.prefix === prefix.text);
  if (!entry || entry.state === 'installed') return [];
  const what = `its forwarding entry is ${entry.state}`;
  return [difference('forwarding', { node, prefix: prefix.text }, { what, cause: entry.error ?? undefined })];
}

interface KernelCase {
  readonly route: ModelRoute;
  readonly found: readonly SeenKernelRoute[];
  /** Held against the router's own choice. */
  readonly own: boolean;
}

function routeDifferences(node: NodeState, { route, found, own }: KernelCase): Difference[] {
  const { protocol, metrics } = INSTALLS[node.implementation];
  const choice = own ? ownChoice(node, route) : { preferred: preferredOf(route), fallback: fallbackOf(route) };
  if (!choice) return [];
  const at = { node: node.node, prefix: route.prefix.text };
  return metrics.flatMap((metric, index) => {
    const wanted = index === 0 ? choice.preferred : choice.fallback;
    const there = found.filter((one) => one.protocol === protocol && one.metric === metric);
    const interfaces = there.flatMap((one) => one.interfaces);
    const fits = index === 0 && !route.decided ? isSomeOf(interfaces, wanted) : isSame(interfaces, wanted);
    if (fits) return [];
    const what =
      interfaces.length === 0
        ? `kernel lacks metric ${metric} route to ${list(wanted)}`
        : `kernel's metric ${metric} route goes to ${list(interfaces)}, expected ${list(wanted)}`;
    return [difference('kernel', at, { what, cause: kernelCause(node, route.prefix.text) })];
  });
}

function ownChoice({ routes, silent }: NodeState, { prefix }: ModelRoute) {
  const paths = routes.find((one) => one.prefix === prefix.text)?.paths ?? [];
  if (silent !== null || paths.some(({ use }) => use === null)) return undefined;
  const of = (use: string) => paths.filter((path) => path.use === use).map((path) => path.interface);
  return { preferred: of('preferred'), fallback: of('fallback') };
}

function kernelCause(node: NodeState, prefix: string): string {
  const said = node.fibProblems.find((one) => one.prefix === prefix);
  if (said) return said.why;
  if (node.silent !== null) return `its daemon does not answer, and does not keep the kernel up to date`;
  return 'changed by hand or refused by the kernel, and not yet repaired';
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && b.every((name) => a.includes(name));
}

function isSomeOf(found: readonly string[], allowed: readonly string[]): boolean {
  return found.length > 0 === allowed.length > 0 && found.every((name) => allowed.includes(name));
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'nobody' : names.join(', ');
}
