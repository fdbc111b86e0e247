/** Results as Markdown, which reads as well on a terminal. Pure. */
import { HEDDLE, KERNEL } from './figures.js';
import { type Results, ROW_TITLES, type RowName } from './results.js';
import type { Spread } from './statistics.js';
import type { Verdict } from './targets.js';

/** A section a row: its figures as median [least-most] by who was measured, then its targets. */
export function renderResults(results: Results, verdicts: readonly Verdict[]): string[] {
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

function tableOf(results: Results, row: RowName): readonly (readonly string[])[] {
  const subjects = results.subjects(row);
  const peers = subjects.filter((subject) => subject !== HEDDLE && subject !== KERNEL);
  const hasRatio = subjects.includes(HEDDLE) && peers.length > 0;
  const figures = results.figures(row).map((figure) => {
    const cells = subjects.map((subject) => cell(results.spread(row, figure, subject)));
    const best = Math.min(...peers.map((peer) => results.median(row, figure, peer) ?? Number.POSITIVE_INFINITY));
    return [figure, ...cells, ...(hasRatio ? [ratioCell(results.median(row, figure, HEDDLE), best)] : [])];
  });
  return [['', ...subjects, ...(hasRatio ? ['heddle / best peer'] : [])], ...figures];
}

function cell(spread: Spread | undefined): string {
  if (spread === undefined) return '';
  const { median, least, most } = spread;
  return least === most ? short(median) : `${short(median)} [${short(least)}-${short(most)}]`;
}

/** `least` is infinite when nobody else was measured. */
function ratioCell(own: number | undefined, least: number): string {
  if (own === undefined || !Number.isFinite(least)) return '';
  if (least === 0) return own === 0 ? '1.00' : '';
  return (own / least).toFixed(2);
}

/** As many decimals as say something. */
export function short(value: number): string {
  if (Number.isInteger(value) || value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** The first row is the head. Columns are as wide as their widest cell. */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)];
}
