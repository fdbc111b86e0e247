/** Lines of comma-separated values (RFC 4180, with a line feed alone). Pure. */

export type CsvValue = string | number | undefined;

export function csvLine(cells: readonly CsvValue[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(value: CsvValue): string {
  const text = value === undefined ? '' : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
