/** What a traffic probe saw: a row per flow, and per moment that was marked. */
import type { FlowReport } from '../../lab/probe-report.js';
import type { Paint } from './paint.js';
import { type Row, table } from './table.js';

const COLUMNS = [
  { title: 'FLOW' },
  { title: 'AFTER' },
  { title: 'SENT', align: 'right' as const },
  { title: 'LOST', align: 'right' as const },
  { title: 'LONGEST OUTAGE', align: 'right' as const },
  { title: 'LONGEST GAP', align: 'right' as const },
];

export function renderFlowReports(reports: readonly FlowReport[], paint: Paint): string[] {
  const rows = reports.flatMap((report): Row[] => [
    row([report.flow, 'in all', String(report.sent)], report, paint),
    ...report.marks.map((mark) => row(['', mark.name, ''], mark, paint)),
  ]);
  return table(COLUMNS, rows, paint);
}

function row(
  head: readonly string[],
  { lost, longestOutageMs, longestGapMs }: { lost: number; longestOutageMs: number; longestGapMs: number },
  paint: Paint,
): Row {
  const style = lost === 0 ? paint.good : paint.warn;
  return {
    cells: [
      ...head,
      { text: String(lost), style },
      `${longestOutageMs.toFixed(1)} ms`,
      `${longestGapMs.toFixed(1)} ms`,
    ],
  };
}
