/** A sweep for the terminal: a table a figure, a line a scheme, a column a point. Pure. */
import type { Figure } from '../../../simulator/results/figures.js';
import { estimateAt, pointValues, schemesOf, shownFigures } from '../../sim/report/sweep-page.js';
import type { ResultsDocument } from '../../sim/study-results.js';
import type { SweepResults } from '../../sim/sweep-results.js';
import { formatEstimate } from './comparison.js';
import type { Paint } from './paint.js';
import { type Cell, columnWidths, table } from './table.js';

/** Between columns. */
const GAP = 2;

interface Sheet {
  readonly figures: readonly Figure[];
  readonly width: number;
  readonly paint: Paint;
}

export function renderSweep(sweep: SweepResults<ResultsDocument>, { figures, width, paint }: Sheet): string[] {
  const { points } = sweep;
  const schemes = schemesOf(points);
  const over = `over ${Object.keys(sweep.sweep).join(', ')}`;
  const blocks = shownFigures(figures, points).map((figure) => {
    const columns = points.map((one): Cell[] => [
      pointValues(one.point),
      ...schemes.map((scheme) => formatEstimate(estimateAt(one, scheme, figure), figure.per)),
    ]);
    return [
      paint.strong(figure.label) + paint.dim(`, ${over}`),
      ...sheets(['SCHEME', ...schemes], columns, width).flatMap((sheet) => sheetLines(sheet, paint)),
    ];
  });
  const left = unfinished(sweep);
  return [
    ...blocks.flatMap((lines, index) => [...(index > 0 ? [''] : []), ...lines]),
    ...(left === 0 ? [] : ['', paint.bad(`${left} flows did not end within the limit`)]),
  ];
}

function unfinished({ points }: SweepResults<ResultsDocument>): number {
  return points.flatMap(({ results }) => results.comparison).reduce((sum, one) => sum + one.unfinished, 0);
}

/** Columns that fit beside each other, each time behind the lead. */
function sheets(lead: readonly Cell[], columns: readonly (readonly Cell[])[], width: number): (readonly Cell[])[][] {
  const widthOf = (cells: readonly Cell[]) =>
    columnWidths(
      1,
      cells.map((cell) => [cell]),
    )[0]! + GAP;
  const made: (readonly Cell[])[][] = [];
  let used = width;
  for (const column of columns) {
    if (used + widthOf(column) > width) {
      made.push([lead]);
      used = widthOf(lead) - GAP;
    }
    made.at(-1)!.push(column);
    used += widthOf(column);
  }
  return made;
}

function sheetLines(columns: readonly (readonly Cell[])[], paint: Paint): string[] {
  const head = columns.map(([title], index) => ({ title: title!, align: index === 0 ? 'left' : 'right' }) as const);
  const rows = columns[0]!.slice(1).map((_, row) => ({ cells: columns.map((cells) => cells[row + 1]!) }));
  return table(head, rows, paint);
}
