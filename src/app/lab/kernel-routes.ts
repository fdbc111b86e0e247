/** Routes of a node as its kernel has them (`ip -j route`), and what is still missing for a router to be complete. */

import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { formatPrefix, parsePrefix } from '../../core/net/prefix.js';
import { run } from './command.js';
import { type Lab, namespaceOf } from './lab.js';
import { allPrefixes, type FabricPort, type PlannedPrefix, type PlannedRouter, prefixText } from './plan.js';

export interface KernelRoute {
  readonly prefix: string;
  readonly metric: number;
  readonly protocol: string;
  readonly interfaces: readonly string[];
}

interface RouteJson {
  readonly dst: string;
  readonly metric?: number;
  readonly protocol?: string;
  readonly dev?: string;
  readonly nexthops?: readonly { readonly dev: string }[];
}

export async function kernelRoutes(lab: Lab, node: string): Promise<readonly KernelRoute[]> {
  const families = lab.plan.topology.addressing.ipv4 === undefined ? ['-6'] : ['-6', '-4'];
  const outputs = await Promise.all(
    families.map((family) => run('ip', ['-n', namespaceOf(lab, node), '-j', family, 'route', 'show'])),
  );
  return outputs.flatMap((output) => parseRoutes(output));
}

export function parseRoutes(json: string): KernelRoute[] {
  const routes: readonly RouteJson[] = JSON.parse(json || '[]');
  return routes.map((route) => ({
    prefix: canonical(route.dst),
    metric: route.metric ?? 0,
    protocol: route.protocol ?? '',
    interfaces: route.nexthops ? route.nexthops.map((hop) => hop.dev) : route.dev === undefined ? [] : [route.dev],
  }));
}

/** `ip` leaves out the length of a host route. */
function canonical(destination: string): string {
  const prefix = parsePrefix(destination);
  return prefix ? formatPrefix(prefix) : destination;
}

/** The prefixes that a router should learn: all but its own. */
export function wantedPrefixes(lab: Lab, router: PlannedRouter): readonly PlannedPrefix[] {
  const own = new Set(router.hosts.flatMap((port) => port.prefixes.map(prefixText)));
  return allPrefixes(lab.plan).filter((planned) => !own.has(prefixText(planned)));
}

/**
 * What is missing, one line a prefix. A heddle leaf must hold the preferred uplink at one metric and all the others behind it
 * at the next, or without colours all of them at the first; of other routers any route learned by a daemon will do.
 */
export function missingRoutes(lab: Lab, router: PlannedRouter, routes: readonly KernelRoute[]): readonly string[] {
  const { linksPerPair, dpfMode } = lab.plan.topology;
  const predictable = linksPerPair === 1 || dpfMode !== 'policy';
  const strict = router.role === 'leaf' && router.implementation === 'heddle' && predictable;
  const isPreferred = (port: FabricPort, { colour }: PlannedPrefix) => dpfMode === 'none' || port.colour === colour;
  return wantedPrefixes(lab, router).flatMap((planned) => {
    const found = routes.filter((route) => route.prefix === prefixText(planned) && route.protocol !== 'kernel');
    const problem = strict
      ? leafProblem(router.fabric, (port) => isPreferred(port, planned), found)
      : found.length > 0
        ? undefined
        : 'no route';
    return problem === undefined ? [] : [`${prefixText(planned)}: ${problem}`];
  });
}

function leafProblem(
  ports: readonly FabricPort[],
  isPreferred: (port: FabricPort) => boolean,
  found: readonly KernelRoute[],
): string | undefined {
  if (found.length === 0) return 'no route';
  const via = (metric: number) => found.find((route) => route.metric === metric)?.interfaces ?? [];
  const preferred = ports.filter(isPreferred).map((port) => port.interface);
  const others = ports.filter((port) => !isPreferred(port)).map((port) => port.interface);
  if (!sameSet(via(PRIMARY_METRIC), preferred))
    return `metric ${PRIMARY_METRIC} goes to ${list(via(PRIMARY_METRIC))}, expected ${list(preferred)}`;
  if (!sameSet(via(FALLBACK_METRIC), others))
    return `metric ${FALLBACK_METRIC} goes to ${list(via(FALLBACK_METRIC))}, expected ${list(others)}`;
  return undefined;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && b.every((name) => a.includes(name));
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'nobody' : names.join(', ');
}
