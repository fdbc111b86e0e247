/** A router's routes against the model's: which paths it has, what they carry, and what it makes of them. */
import { aigpCause, colourCause, missingCause, type PathEvidence } from './causes.js';
import { type Difference, difference } from './difference.js';
import type { ModelPath, ModelRoute, Prediction } from './model.js';
import type { FabricState, NodeState, SeenPath } from './observation.js';

export interface RouteReading {
  readonly differences: readonly Difference[];
  /** Routes that are not as the model has them, told of or not, as `NODE PREFIX`. */
  readonly affected: ReadonlySet<string>;
}

/** Of all routers that answered. Where a spine differs already, what its leaves lack for it is not told again. */
export function readRoutes(prediction: Prediction, state: FabricState): RouteReading {
  const differences: Difference[] = [];
  const affected = new Set<string>();
  // Spines come first.
  for (const { name } of prediction.plan.routers) {
    const node = state.routers.get(name);
    if (!node || node.silent !== null) continue;
    const seen = new Map(node.routes.map((route) => [route.prefix, route.paths]));
    const upstream = new Set(differences.map(({ node: at, prefix, kind }) => key(at, prefix, kind)));
    for (const route of prediction.routes.get(name)!.values()) {
      if (route.local) continue;
      const comparison = new RouteComparison(route, { state, upstream });
      const { same, told } = comparison.compare(seen.get(route.prefix.text) ?? []);
      if (!same) affected.add(`${name} ${route.prefix.text}`);
      differences.push(...told);
    }
    differences.push(...unknownPrefixes(prediction, node));
  }
  return { differences, affected };
}

function key(node: string, prefix: string | null, kind: string): string {
  return `${node} ${prefix} ${kind}`;
}

interface Surroundings {
  readonly state: FabricState;
  /** What routers before this one were found to lack. */
  readonly upstream: ReadonlySet<string>;
}

class RouteComparison {
  constructor(
    private readonly route: ModelRoute,
    private readonly around: Surroundings,
  ) {}

  compare(seen: readonly SeenPath[]): Compared {
    const compared = this.route.paths.map((path) => {
      const found = seen.find((one) => one.interface === path.interface);
      return found ? this.pathDifferences(path, found) : this.missing(path);
    });
    const extra = seen.filter(
      ({ interface: name, use }) => use !== 'hidden' && !this.route.paths.some((path) => path.interface === name),
    );
    const told = [...compared.flatMap((one) => one.told), ...extra.map((path) => this.unexpected(path))];
    if (told.length > 0 || compared.some(({ same }) => !same)) return { same: false, told };
    const choice = this.choice(seen);
    return { same: choice.length === 0, told: choice };
  }

  /** `same`: as the model has it; where not and nothing is told, a router upstream is to blame. */
  private pathDifferences(path: ModelPath, seen: SeenPath): Compared {
    const evidence = { route: this.route, path, state: this.around.state };
    if (seen.use === 'hidden' && path.use !== 'hidden') return this.told('path-hidden', path, hiddenWords(seen));
    const colour = path.colour ?? null;
    const aigp = path.aigp?.toString() ?? null;
    const parts = [
      ...(seen.colour === colour ? [] : [this.attribute('colour', evidence, { seen, expected: colour })]),
      ...(seen.aigp === aigp ? [] : [this.attribute('aigp', evidence, { seen, expected: aigp })]),
    ];
    return { same: parts.length === 0, told: parts.flatMap(({ told }) => told) };
  }

  private attribute(
    kind: 'colour' | 'aigp',
    evidence: PathEvidence,
    { seen, expected }: { readonly seen: SeenPath; readonly expected: number | string | null },
  ): Compared {
    const { path } = evidence;
    if (this.isUpstream(path, kind)) return { same: false, told: [] };
    const name = kind === 'colour' ? 'colour' : 'AIGP';
    const value = seen[kind];
    const what =
      value === null
        ? `${name} missing via ${path.interface}, expected ${expected}`
        : `${name} ${value} via ${path.interface}, expected ${expected ?? 'none'}`;
    return this.told(kind, path, {
      what,
      cause: kind === 'colour' ? colourCause(evidence, seen) : aigpCause(evidence, seen),
    });
  }

  private missing(path: ModelPath): Compared {
    const upstream = (['path-missing', 'path-hidden'] as const).some((kind) => this.isUpstream(path, kind));
    if (upstream) return { same: false, told: [] };
    const cause = missingCause({ route: this.route, path, state: this.around.state });
    return this.told('path-missing', path, { what: `no path via ${path.interface}`, cause });
  }

  private isUpstream(path: ModelPath, kind: string): boolean {
    return this.around.upstream.has(key(path.peer, this.route.prefix.text, kind));
  }

  private told(
    kind: Difference['kind'],
    path: ModelPath,
    said: { readonly what: string; readonly cause?: string | undefined },
  ): Compared {
    const at = { node: this.route.router, prefix: this.route.prefix.text, interface: path.interface };
    return { same: false, told: [difference(kind, at, said)] };
  }

  private unexpected({ interface: name }: SeenPath): Difference {
    const at = { node: this.route.router, prefix: this.route.prefix.text, interface: name };
    const cause = 'the router there tells what is not its to tell: another origin, or a leaf that carries transit';
    return difference('path-unexpected', at, { what: `a path via ${name} that should not be there`, cause });
  }

  /** With all paths as they should be, what is preferred. */
  private choice(seen: readonly SeenPath[]): Difference[] {
    const usesOf = (of: (path: { readonly interface: string }) => string | null) =>
      this.route.paths.map((path) => `${path.interface} ${of(path)}`);
    if (seen.some(({ use }) => use === null)) return [];
    const useSeen = (name: string) => seen.find((one) => one.interface === name)?.use ?? null;
    if (!this.route.decided) return [];
    const expected = usesOf((path) => this.route.paths.find((one) => one.interface === path.interface)!.use);
    const found = usesOf((path) => useSeen(path.interface));
    const wrong = found.filter((text, index) => text !== expected[index]);
    if (wrong.length === 0) return [];
    const at = { node: this.route.router, prefix: this.route.prefix.text };
    const wanted = expected.filter((text) => !found.includes(text));
    const cause = 'a step before AIGP decides: a policy, local preference, or a neighbour that is just back';
    return [difference('choice', at, { what: `takes ${wrong.join(', ')}; expected ${wanted.join(', ')}`, cause })];
  }
}

interface Compared {
  readonly same: boolean;
  readonly told: readonly Difference[];
}

function hiddenWords({ interface: name, reason }: SeenPath) {
  return { what: `the path via ${name} is not eligible`, cause: reason ?? undefined };
}

function unknownPrefixes({ prefixes }: Prediction, { node, routes }: NodeState): Difference[] {
  const known = new Set(prefixes.map(({ text }) => text));
  return routes
    .filter(({ prefix }) => !known.has(prefix))
    .map(({ prefix, paths }) => {
      const what = `a prefix that the topology does not have, via ${paths.map((path) => path.interface).join(', ')}`;
      return difference('unknown-prefix', { node, prefix }, { what, cause: 'a router there originates it' });
    });
}
