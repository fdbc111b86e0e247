/** How much the links between two tiers carried, as cells: a row a lower switch, a column a link of it, once for each way. Pure. */
import { element, escaped } from '../../picture/svg.js';
import { svg } from './axes.js';
import { heatClass } from './heat.js';
import { type LinkTier, linkWords, type TierLink, type Way } from './link-tiers.js';

const WIDTH = 460;
const NAMES = 62;
const TOP = 62;
const BETWEEN = 28;
/** What stands above a few columns is wider than they are. */
const NARROWEST = 110;
const SMALLEST = 3;
const LARGEST = 22;
/** Names of so many rows or columns; of more only some. */
const MOST_NAMES = 20;

interface Grid {
  readonly left: number;
  readonly top: number;
  readonly size: number;
}

export function linkMatrix(tier: LinkTier): string {
  const { lowerTier, upperTier, lowers, columns } = tier;
  const room = WIDTH - NAMES - 8;
  const beside = Math.floor((room - BETWEEN) / 2 / columns);
  const isBeside = beside >= 8;
  const size = Math.max(SMALLEST, Math.min(LARGEST, isBeside ? beside : Math.floor(room / columns)));
  const first = { left: NAMES, top: TOP, size };
  const height = lowers.length * size;
  const second = isBeside
    ? { left: NAMES + Math.max(columns * size, NARROWEST) + BETWEEN, top: TOP, size }
    : { left: NAMES, top: TOP + height + 56, size };
  const title = `${capital(lowerTier)} to ${upperTier} links`;
  return svg({ title, width: WIDTH, height: second.top + height + 10 }, [
    ...grid(tier, first, { way: 'up', names: true }),
    ...grid(tier, second, { way: 'down', names: !isBeside }),
  ]);
}

function grid(
  tier: LinkTier,
  { left, top, size }: Grid,
  { way, names }: { readonly way: Way; readonly names: boolean },
): string[] {
  const quiet = (x: number, y: number, words: string, anchor: string) =>
    element('text', { class: 'quiet', x, y, 'text-anchor': anchor }, escaped(words));
  const cells = tier.lowers.flatMap((lower, row) =>
    tier.rows.get(lower)!.map((link, column) => {
      const place = { x: left + column * size, y: top + row * size, width: size - 1, height: size - 1 };
      return element(
        'rect',
        { class: `cell ${heatClass(link[way].timesMean)}`, ...place },
        element('title', {}, escaped(linkWords(link, way))),
      );
    }),
  );
  const rowNames = names
    ? some(tier.lowers).map(({ value, index }) => quiet(left - 6, top + index * size + size / 2 + 4, value, 'end'))
    : [];
  return [
    element(
      'text',
      { class: 'part', x: left, y: top - 22 },
      way === 'up' ? `up, from ${plural(tier.lowerTier)}` : `down, to ${plural(tier.lowerTier)}`,
    ),
    ...columnNames(tier).map(({ text, from, to }) =>
      quiet(left + ((from + to) / 2) * size - 0.5, top - 6, text, 'middle'),
    ),
    ...rowNames,
    ...cells,
  ];
}

interface ColumnName {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** By the numbers of the upper switches where all rows have the same; otherwise the links are counted. */
function columnNames({ lowers, rows, columns }: LinkTier): ColumnName[] {
  const uppers = (row: readonly TierLink[]) => row.map(({ upper }) => upper);
  const first = uppers(rows.get(lowers[0]!)!);
  const same = lowers.every((lower) => uppers(rows.get(lower)!).join() === first.join());
  if (!same)
    return some(Array.from({ length: columns }, (_, index) => String(index + 1))).map(({ value, index }) => ({
      text: value,
      from: index,
      to: index + 1,
    }));
  const spans = [...new Set(first)].map((upper) => ({
    text: /\d+$/.exec(upper)?.[0] ?? upper,
    from: first.indexOf(upper),
    to: first.lastIndexOf(upper) + 1,
  }));
  return some(spans).map(({ value }) => value);
}

function some<T>(values: readonly T[]): { value: T; index: number }[] {
  const every = Math.max(1, Math.ceil(values.length / MOST_NAMES));
  return values.map((value, index) => ({ value, index })).filter(({ index }) => index % every === 0);
}

function plural(tier: string): string {
  return tier === 'leaf' ? 'leaves' : `${tier}s`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
