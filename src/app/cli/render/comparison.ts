/** Schemes side by side, as tables for the terminal: one for each group of figures, cut where the terminal ends. Pure. */
import type { ComparedScheme, Estimate } from '../../../simulator/results/comparison.js';
import { FIGURES, type Figure, type FigureGroup } from '../../../simulator/results/figures.js';
import type { Paint } from './paint.js';
import { type Cell, type Column, columnWidths, type Row, table, wrapped } from './table.js';

/** What is shown when nobody asks for columns. */
export const USUAL_GROUPS: readonly FigureGroup[] = ['slowdown', 'background', 'job', 'fabric', 'pfc', 'packets'];

/** Between columns. */
const GAP = 2;

interface Block {
  readonly head: readonly Column[];
  readonly rows: readonly Row[];
}

/** The best of each column stands out; what nobody has is left out, and what is 0 everywhere is named below. */
export function renderComparison(
  schemes: readonly ComparedScheme[],
  { figures, width, paint }: { readonly figures: readonly Figure[]; readonly width: number; readonly paint: Paint },
): string[] {
  const known = figures.filter(({ key }) => schemes.some((scheme) => scheme.figures[key]));
  const isZero = ({ key }: Figure) => schemes.every((scheme) => (scheme.figures[key]?.mean ?? 0) === 0);
  const shown = known.filter((figure) => !isZero(figure));
  const blocks = groupsOf(shown).flatMap((group) => cut(schemes, { group, width, paint }));
  const zero = known.filter(isZero).map(({ label }) => label);
  return [
    ...blocks.flatMap(({ head, rows }, index) => [...(index > 0 ? [''] : []), ...table(head, rows, paint)]),
    ...(zero.length === 0 ? [] : ['', ...wrapped(`0 everywhere: ${zero.join('; ')}`, width).map(paint.dim)]),
  ];
}

function groupsOf(figures: readonly Figure[]): Figure[][] {
  const groups = [...new Set(figures.map(({ group }) => group))];
  return groups.map((group) => figures.filter((figure) => figure.group === group));
}

/** A group as one table, or several where it is too wide for one. */
function cut(
  schemes: readonly ComparedScheme[],
  { group, width, paint }: { readonly group: readonly Figure[]; readonly width: number; readonly paint: Paint },
): Block[] {
  const lead = leadOf(schemes, paint);
  const columns = group.map((figure) => columnOf(schemes, figure, paint));
  const widthOf = (cells: readonly Cell[]) =>
    columnWidths(
      1,
      cells.map((cell) => [cell]),
    )[0]! + GAP;
  const leadWidth = lead.reduce((sum, cells) => sum + widthOf(cells), -GAP);
  const blocks: (readonly Cell[])[][] = [[]];
  let used = leadWidth;
  for (const column of columns) {
    const own = widthOf(column);
    if (used + own > width && blocks.at(-1)!.length > 0) {
      blocks.push([]);
      used = leadWidth;
    }
    blocks.at(-1)!.push(column);
    used += own;
  }
  return blocks.map((own) => block([...lead, ...own]));
}

/** From columns with their heads to a table. */
function block(columns: readonly (readonly Cell[])[]): Block {
  return {
    head: columns.map(([title], index) => ({ title: title!, align: index === 0 ? 'left' : 'right' })),
    rows: columns[0]!.slice(1).map((_, row) => ({ cells: columns.map((cells) => cells[row + 1]!) })),
  };
}

/** What stands first in each table. */
function leadOf(schemes: readonly ComparedScheme[], paint: Paint): Cell[][] {
  const names = ['SCHEME', ...schemes.map(({ scheme }) => scheme)];
  const runs = ['RUNS', ...schemes.map(({ runs }) => String(runs))];
  if (schemes.every(({ unfinished }) => unfinished === 0)) return [names, runs];
  const left = schemes.map(({ unfinished }) => (unfinished > 0 ? { text: String(unfinished), style: paint.bad } : '0'));
  return [names, runs, ['UNFINISHED', ...left]];
}

function columnOf(schemes: readonly ComparedScheme[], figure: Figure, paint: Paint): Cell[] {
  const { key, title, per } = figure;
  const best = bestOf(schemes, figure);
  return [
    title,
    ...schemes.map(({ figures }): Cell => {
      const estimate = figures[key];
      const text = formatEstimate(estimate, per);
      return estimate && estimate.mean === best ? { text, style: paint.good } : text;
    }),
  ];
}

/** The best mean, if there are several. Of a scheme of which flows did not end it is not known how slow it is. */
export function bestOf(schemes: readonly ComparedScheme[], { key, better }: Figure): number | undefined {
  const ended = schemes.filter(({ unfinished }) => unfinished === 0);
  const means = ended.flatMap(({ figures }) => figures[key]?.mean ?? []);
  if (new Set(means).size < 2) return undefined;
  return better === 'more' ? Math.max(...means) : Math.min(...means);
}

/** `1.68`, `1.68 ±0.05`; `-` when there is none. */
export function formatEstimate(estimate: Estimate | undefined, per = 1): string {
  if (!estimate) return '-';
  const mean = formatFigure(estimate.mean / per);
  if (estimate.margin === undefined || (estimate.mean === 0 && estimate.margin === 0)) return mean;
  return `${mean} ±${formatFigure(estimate.margin / per)}`;
}

export function formatFigure(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3);
}

/** Figures by their keys, or by their groups. */
export function figuresNamed(name: string): readonly Figure[] {
  return name === 'all' ? FIGURES : FIGURES.filter(({ key, group }) => key === name || group === name);
}
