/** A fabric as people draw it, spines above leaves, each link as warm as it was used: once on the way up, once on the way down. Pure. */
import { element, escaped } from '../../picture/svg.js';
import { svg } from './axes.js';
import { heatClass } from './heat.js';
import { type LinkTier, linkWords, type TierLink, type Way } from './link-tiers.js';

const WIDTH = 460;
const NODE_HEIGHT = 16;
const BETWEEN_TIERS = 128;
const TOP = 52;
/** Larger fabrics are not drawn: nobody tells their lines apart. */
const MOST_LINKS = 600;
const MOST_IN_A_ROW = 40;

interface Node {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The fabric with one way of its links; nothing for one that is too large to be drawn. */
export function fabricMap(tiers: readonly LinkTier[], way: Way): string | undefined {
  const rows = rowsOf(tiers);
  const links = tiers.flatMap((tier) => [...tier.rows.values()].flat());
  if (links.length > MOST_LINKS || rows.some(({ length }) => length > MOST_IN_A_ROW)) return undefined;
  const nodes = placed(rows);
  const hottestLast = [...links].sort((a, b) => a[way].timesMean - b[way].timesMean);
  const height = TOP + (rows.length - 1) * BETWEEN_TIERS + NODE_HEIGHT + 8;
  return svg({ title: `The way ${way}`, width: WIDTH, height }, [
    ...hottestLast.map((link) => drawn(link, nodes, { way, parallel: parallelOf(link, tiers) })),
    ...[...nodes].flatMap(([name, node]) => box(name, node)),
  ]);
}

/** The switches of each tier, the uppermost first. */
function rowsOf(tiers: readonly LinkTier[]): string[][] {
  const names = new Map<string, Set<string>>();
  for (const { lowerTier, upperTier, lowers, uppers } of tiers) {
    names.set(lowerTier, new Set([...(names.get(lowerTier) ?? []), ...lowers]));
    names.set(upperTier, new Set([...(names.get(upperTier) ?? []), ...uppers]));
  }
  return ['superspine', 'spine', 'leaf'].flatMap((tier) => (names.has(tier) ? [[...names.get(tier)!]] : []));
}

function placed(rows: readonly (readonly string[])[]): Map<string, Node> {
  const nodes = new Map<string, Node>();
  rows.forEach((names, row) => {
    const step = (WIDTH - 16) / names.length;
    names.forEach((name, index) => {
      nodes.set(name, { x: 8 + (index + 0.5) * step, y: TOP + row * BETWEEN_TIERS, width: Math.min(66, step - 4) });
    });
  });
  return nodes;
}

function parallelOf({ lower, upper }: TierLink, tiers: readonly LinkTier[]): number {
  const own = tiers.flatMap(({ rows }) => rows.get(lower) ?? []);
  return own.filter((link) => link.upper === upper).length;
}

/** Parallel links lie beside each other. */
function drawn(
  link: TierLink,
  nodes: ReadonlyMap<string, Node>,
  { way, parallel }: { readonly way: Way; readonly parallel: number },
): string {
  const [lower, upper] = [nodes.get(link.lower)!, nodes.get(link.upper)!];
  const shift = (link.number - (parallel + 1) / 2) * Math.min(6, (Math.min(lower.width, upper.width) - 4) / parallel);
  const { timesMean } = link[way];
  const ends = { x1: lower.x + shift, y1: lower.y, x2: upper.x + shift, y2: upper.y + NODE_HEIGHT };
  const width = 0.8 + Math.min(2.4, timesMean);
  return element(
    'line',
    { class: `link ${heatClass(timesMean)}`, 'stroke-width': width, ...ends },
    element('title', {}, escaped(linkWords(link, way))),
  );
}

function box(name: string, { x, y, width }: Node): string[] {
  const text = width >= 40 ? name : width >= 14 ? (/\d+$/.exec(name)?.[0] ?? '') : '';
  return [
    element(
      'rect',
      { class: 'node', x: x - width / 2, y, width, height: NODE_HEIGHT, rx: 3 },
      element('title', {}, escaped(name)),
    ),
    ...(text === '' ? [] : [element('text', { class: 'small', x, y: y + 12, 'text-anchor': 'middle' }, escaped(text))]),
  ];
}
