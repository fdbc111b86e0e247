/** Columns of text, aligned before they are painted, so that escape sequences never count as width. */
import type { Paint, Style } from './paint.js';

export interface StyledCell {
  readonly text: string;
  readonly style: Style;
}

export type Cell = string | StyledCell;

export interface Column {
  readonly title: Cell;
  readonly align?: 'left' | 'right';
}

export interface Row {
  readonly cells: readonly Cell[];
  /** A line of its own under the row, indented. */
  readonly note?: StyledCell;
}

const GAP = '  ';
const NOTE_INDENT = '    ';

export function table(columns: readonly Column[], rows: readonly Row[], paint: Paint): string[] {
  const { head, lines } = tableFor(columns, rows, paint);
  return [head, ...lines(rows)];
}

export interface GrowingTable {
  readonly head: string;
  lines(rows: readonly Row[]): string[];
}

/** Of columns as wide as `sample` needs them: a table that is too long to be held begins with it. */
export function tableFor(columns: readonly Column[], sample: readonly Row[], paint: Paint): GrowingTable {
  const widths = columnWidths(columns.length, [columns.map(({ title }) => title), ...sample.map(({ cells }) => cells)]);
  const line = (cells: readonly Cell[]) => joined(cells, widths, columns);
  const head = columns.map(({ title }) => {
    const { text, style } = styled(title);
    return { text, style: (padded: string) => paint.strong(style(padded)) };
  });
  return {
    head: line(head),
    lines: (rows) => rows.flatMap(({ cells, note }) => (note ? [line(cells), noteLine(note)] : [line(cells)])),
  };
}

/** Widest text of each column. */
export function columnWidths(columns: number, lines: readonly (readonly Cell[])[]): number[] {
  const widths = new Array<number>(columns).fill(0);
  for (const cells of lines) {
    for (const [index, cell] of cells.entries()) widths[index] = Math.max(widths[index] ?? 0, styled(cell).text.length);
  }
  return widths;
}

/** `NAME  value` lines; a value that does not fit into `columns` goes on below its beginning. */
export function pairs(
  entries: readonly (readonly [string, Cell])[],
  paint: Paint,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.flatMap(([name, value]) => {
    const { text, style } = styled(value);
    return wrapped(text, columns - width - GAP.length).map(
      (line, index) => `${paint.dim((index === 0 ? name : '').padEnd(width))}${GAP}${style(line)}`,
    );
  });
}

/** Narrower than this there is nothing to be gained. */
const LEAST_WIDTH = 30;

/** Words in lines of `width` at most. */
export function wrapped(text: string, width: number): string[] {
  const limit = Math.max(LEAST_WIDTH, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > limit) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function joined(cells: readonly Cell[], widths: readonly number[], columns: readonly Column[]): string {
  const parts = cells.map((cell, index) => {
    const { text, style } = styled(cell);
    const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - text.length));
    return columns[index]?.align === 'right' ? space + style(text) : style(text) + space;
  });
  return parts.join(GAP).trimEnd();
}

function noteLine(note: StyledCell): string {
  return NOTE_INDENT + note.style(note.text);
}

function styled(cell: Cell): StyledCell {
  return typeof cell === 'string' ? { text: cell, style: (text) => text } : cell;
}
