/** Everything that was measured as Markdown: a section a workload, a row a figure, a column for everybody, heddle's ratio to each. Pure. */
import type { Results } from '../common/results.js';
import type { Spread } from '../common/statistics.js';
import { renderTable, spreadCell } from '../common/table.js';
import { HEDDLE } from './figures.js';
import type { Workload } from './workloads.js';

/** What was not measured, and why. */
export interface Note {
  readonly workload: Workload;
  readonly text: string;
}

export function renderResults(workloads: readonly Workload[], results: Results, notes: readonly Note[]): string[] {
  return workloads.flatMap((workload) => {
    const own = notes.filter((note) => note.workload === workload);
    return [
      `### ${workload.title}`,
      '',
      ...(results.figures(workload.name).length > 0 ? [...renderTable(tableOf(results, workload.name)), ''] : []),
      ...own.map(({ text }) => `- ${text}`),
      ...(own.length > 0 ? [''] : []),
    ];
  });
}

function tableOf(results: Results, row: string): readonly (readonly string[])[] {
  const names = results.subjects(row);
  const others = names.includes(HEDDLE) ? names.filter((name) => name !== HEDDLE) : [];
  const rows = results.figures(row).map((figure) => {
    const spreads = new Map(names.map((name) => [name, results.spread(row, figure, name)]));
    const cells = names.map((name) => spreadCell(spreads.get(name)));
    return [figure, ...cells, ...others.map((name) => ratio(spreads.get(HEDDLE), spreads.get(name)))];
  });
  return [['', ...names, ...others.map((name) => `heddle / ${name}`)], ...rows];
}

function ratio(own: Spread | undefined, other: Spread | undefined): string {
  if (own === undefined || other === undefined || other.median === 0 || own.atLeast) return '';
  return `${other.atLeast ? '< ' : ''}${(own.median / other.median).toFixed(2)}`;
}
