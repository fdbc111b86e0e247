/** How evenly the links between leaves and spines were used, those that were never down, and why not: collisions of whole flows. Pure. */
import type { LinkLoad, RunResult } from '../../../simulator/results/run-result.js';
import { type Evidence, type Finder, factor, percent, schemeName } from './evidence.js';

/** Of a leaf's busiest link to its mean: from here on it is uneven, and up to here even. */
const UNEVEN = 1.25;
const EVEN = 1.02;
/** Leaves with less than this share of the busiest leaf's load have acknowledgements only. */
const NO_LOAD = 0.1;
/** Links with less than this share of their leaf's mean carry next to nothing. */
const NEXT_TO_NOTHING = 0.05;
/** Schemes that give a flow its way when it begins, without looking at loads. */
const HASHED: readonly string[] = ['ecmp', 'wcmp', 'resilient-hash'];

interface LeafUse {
  readonly leaf: string;
  readonly mean: number;
  /** The busiest link over the mean. */
  readonly ratio: number;
  readonly links: number;
  readonly idle: number;
}

interface Use {
  readonly ratio: number;
  readonly worst: LeafUse;
  /** Share of links that carried next to nothing. */
  readonly idle: number;
}

export const unevenLinks: Finder = (evidence) => {
  const up = useOf(evidence, 'fromTier', 'from');
  const down = useOf(evidence, 'toTier', 'to');
  if (!up || !down || Math.max(up.ratio, down.ratio) < UNEVEN) return undefined;
  const [use, way] = up.ratio >= UNEVEN ? [up, 'uplink of a leaf'] : [down, 'link down to a leaf'];
  const idle = use.idle > 0 ? `, and ${percent(use.idle)} of them carried next to nothing` : '';
  const why = HASHED.includes(schemeName(evidence))
    ? ' Flows keep the way that their hash gives them; several share a link by chance while others have nothing to carry.'
    : '';
  return {
    scheme: evidence.scheme,
    kind: 'uneven-links',
    text: `The busiest ${way} carried ${factor(use.ratio)} times the mean of its leaf's (${factor(use.worst.ratio)} at ${use.worst.leaf}, the worst)${idle}.${why}`,
    values: { up: up.ratio, down: down.ratio, worst: use.worst.ratio, idle: use.idle },
  };
};

export const evenLinks: Finder = (evidence) => {
  const up = useOf(evidence, 'fromTier', 'from');
  const down = useOf(evidence, 'toTier', 'to');
  if (!up || !down || Math.max(up.ratio, down.ratio) > EVEN) return undefined;
  return {
    scheme: evidence.scheme,
    kind: 'even-links',
    text: `All links of a leaf${wasDown(evidence)} carried the same, within ${percent(Math.max(up.ratio, down.ratio) - 1)} of their mean, up and down.`,
    values: { up: up.ratio, down: down.ratio },
  };
};

function wasDown({ runs }: Evidence): string {
  return runs.some(({ links }) => links.some(({ downShare }) => downShare > 0)) ? ' that were up all the time' : '';
}

/** Of all leaves that have a load, in all runs. */
function useOf({ runs }: Evidence, tier: 'fromTier' | 'toTier', end: 'from' | 'to'): Use | undefined {
  const leaves = runs.flatMap((run) => leavesOf(run, tier, end));
  if (leaves.length === 0) return undefined;
  const links = leaves.reduce((sum, one) => sum + one.links, 0);
  return {
    ratio: leaves.reduce((sum, { ratio }) => sum + ratio, 0) / leaves.length,
    worst: leaves.reduce((worst, one) => (one.ratio > worst.ratio ? one : worst)),
    idle: leaves.reduce((sum, one) => sum + one.idle, 0) / links,
  };
}

function leavesOf({ links }: RunResult, tier: 'fromTier' | 'toTier', end: 'from' | 'to'): LeafUse[] {
  const byLeaf = new Map<string, LinkLoad[]>();
  for (const link of links) {
    // What was down cannot have carried its part, and that is no fault of the scheme.
    if (link[tier] !== 'leaf' || link.downShare > 0) continue;
    byLeaf.set(link[end], [...(byLeaf.get(link[end]) ?? []), link]);
  }
  const uses = [...byLeaf].filter(([, own]) => own.length > 1).map(([leaf, own]) => useOfLeaf(leaf, own));
  const most = uses.reduce((most, { mean }) => Math.max(most, mean), 0);
  return uses.filter(({ mean }) => mean > 0 && mean >= NO_LOAD * most);
}

function useOfLeaf(leaf: string, links: readonly LinkLoad[]): LeafUse {
  const shares = links.map(({ share }) => share);
  const mean = shares.reduce((a, b) => a + b, 0) / shares.length;
  const idle = shares.filter((share) => share < NEXT_TO_NOTHING * mean).length;
  return { leaf, mean, ratio: Math.max(...shares) / mean, links: links.length, idle };
}
