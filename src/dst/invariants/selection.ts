/**
 * Every router has exactly the paths that its neighbours must tell it, with the colour and AIGP they must have, and prefers those it
 * must: the colour's uplink exactly when that path exists, and all others as the fallback.
 */
import type { ModelPath } from '../../app/verify/model.js';
import type { ExplainedPath, PathStatus } from '../../core/rib/types.js';
import { colourOf } from '../../core/wire/bgp/colour.js';
import { type Expectation, routesOf } from '../expectation.js';
import { prefixOf } from '../prefix-of.js';
import type { Testbed } from '../testbed.js';
import { nlriText } from '../update-contents.js';
import type { Violation } from '../violation.js';
import type { KnownPaths, PathsByPrefix } from './known-paths.js';

const USES: Readonly<Record<PathStatus, string>> = {
  best: 'preferred',
  multipath: 'preferred',
  fallback: 'fallback',
  lost: 'spare',
  hidden: 'hidden',
};

export function selection(bed: Testbed, expected: Expectation, known: KnownPaths): Violation[] {
  return bed.running.flatMap(({ name }) => atRouter(bed, expected, { router: name, known: known.of(name) }));
}

function atRouter(
  bed: Testbed,
  expected: Expectation,
  { router, known }: { readonly router: string; readonly known: PathsByPrefix },
): Violation[] {
  const rib = bed.node(router).speaker?.engine.rib;
  if (!rib) return [{ invariant: 'selection', place: router, detail: 'no speaker' }];
  const violations = routesOf(expected, router).flatMap(({ prefix, paths }): Violation[] => {
    const { address, length } = prefixOf(prefix.text);
    const found = known.get(nlriText(address, length)) ?? [];
    if (found.length === paths.length && paths.every((path) => found.some((one) => isSame(one, path)))) return [];
    const has = found.map(foundText).sort().join('; ');
    const must = paths.map(modelText).sort().join('; ');
    return [{ invariant: 'selection', place: `${router} ${prefix.text}`, detail: `has ${has}, must have ${must}` }];
  });
  if (violations.length > 0) return violations;
  const all = [...expected.prediction.routes.get(router)!.values()];
  const must = all.filter(({ local, paths }) => local || paths.length > 0).length;
  const { prefixes, undecided } = rib.totals();
  if (prefixes === must && undecided === 0) return [];
  return [
    {
      invariant: 'selection',
      place: router,
      detail: `${prefixes} prefixes, must have ${must}; ${undecided} undecided`,
    },
  ];
}

/** Texts are made of those that differ. */
function isSame({ status, interfaceName, attributes, stale }: ExplainedPath, path: ModelPath): boolean {
  return (
    interfaceName === path.interface &&
    USES[status] === path.use &&
    !stale &&
    attributes.aigp?.metric === path.aigp &&
    colourOf(attributes) === path.colour
  );
}

function foundText({ status, interfaceName, attributes, stale }: ExplainedPath): string {
  return textOf(interfaceName, [USES[status], colourOf(attributes), attributes.aigp?.metric]) + (stale ? ' stale' : '');
}

function modelText({ interface: name, use, colour, aigp }: ModelPath): string {
  return textOf(name, [use, colour, aigp]);
}

function textOf(name: string, [use, colour, aigp]: readonly [string, number | undefined, bigint | undefined]): string {
  return `${name} ${use} colour ${colour ?? '-'} AIGP ${aigp ?? '-'}`;
}
