/** Results as Markdown, which reads as well on a terminal. Pure. */
import type { Spread } from './statistics.js';

/** The first row is the head. Columns are as wide as their widest cell. */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)];
}

/** `median [least-most]`, `> median` where something was not over by then; empty for what was not measured. */
export function spreadCell(spread: Spread | undefined): string {
  if (spread === undefined) return '';
  const { median, least, most, atLeast } = spread;
  if (atLeast) return `> ${short(median)}`;
  return least === most ? short(median) : `${short(median)} [${short(least)}-${short(most)}]`;
}

/** As many decimals as say something. */
export function short(value: number): string {
  if (Number.isInteger(value) || value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
