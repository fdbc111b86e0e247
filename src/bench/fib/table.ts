/** Results as Markdown, which reads as well on a terminal. Pure. */

import type { Results } from '../common/results.js';
import { renderTable, spreadCell } from '../common/table.js';
import { HEDDLE, KERNEL } from './figures.js';
import { ROW_TITLES, type RowName } from './rows.js';
import type { Verdict } from './targets.js';

/** A section a row: its figures as median [least-most] by who was measured, then its targets. */
export function renderResults(results: Results<RowName>, verdicts: readonly Verdict[]): string[] {
  return results.rows.flatMap((row) => [
    `## ${row}. ${ROW_TITLES[row]}`,
    '',
    ...renderTable(tableOf(results, row)),
    '',
    ...verdicts
      .filter((verdict) => verdict.row === row)
      .map(({ target, met, shown }) => `- ${met ? 'met' : '**not met**'}: ${target}: ${shown}`),
    '',
  ]);
}

function tableOf(results: Results<RowName>, row: RowName): readonly (readonly string[])[] {
  const subjects = results.subjects(row);
  const peers = subjects.filter((subject) => subject !== HEDDLE && subject !== KERNEL);
  const hasRatio = subjects.includes(HEDDLE) && peers.length > 0;
  const figures = results.figures(row).map((figure) => {
    const cells = subjects.map((subject) => spreadCell(results.spread(row, figure, subject)));
    const best = Math.min(...peers.map((peer) => results.median(row, figure, peer) ?? Number.POSITIVE_INFINITY));
    return [figure, ...cells, ...(hasRatio ? [ratioCell(results.median(row, figure, HEDDLE), best)] : [])];
  });
  return [['', ...subjects, ...(hasRatio ? ['heddle / best peer'] : [])], ...figures];
}

/** `least` is infinite when nobody else was measured. */
function ratioCell(own: number | undefined, least: number): string {
  if (own === undefined || !Number.isFinite(least)) return '';
  if (least === 0) return own === 0 ? '1.00' : '';
  return (own / least).toFixed(2);
}
