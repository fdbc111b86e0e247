/** docs/interop.md from what was measured. The same measurements make the same text: no times, no versions beyond the rows' names. */
import type { Cell, Part } from './cell.js';
import { FEATURES, type MeasuredRow } from './measure.js';

const HEAD = `# Interoperability

Measured, not claimed: \`npx vitest run --project real test/interop/matrix\` puts each peer between a heddle leaf and a heddle spine, in
network namespaces, and writes this page. It fails when a cell does not hold for a reason that is not the peer's own, or when this page
is not what was measured. \`HEDDLE_MATRIX="FRR 10.3"\` before it measures one row alone and prints it.

- **yes**: seen at both ends; **part**, **no**: something is missing, and the note says what and how that was seen. A note with "seen:"
  rests on what the peer did in this run; all others on what it says itself, in its OPEN, its log or its configuration checker.
- Sessions are unnumbered (link-local addresses, found by router advertisements) where the last column says so, else numbered.
- Colour and AIGP have three parts: what heddle originates, what heddle passes on as a spine, what the peer passes on between two
  heddles. "Stepped" means that the one who passes a route on adds to its AIGP (RFC 7311 section 3.4).
- GR, heddle as helper: the peer is killed (\`kill -9\`) and started again. Its paths stay, stale, and their routes stay in heddle's
  kernel; what it does not announce again goes then. As restarter: heddle is stopped (SIGTERM) and started again.
- Max-prefix: heddle ends the session (6/1) and the peer shows that. Notification text: RFC 9003, both ways.
`;

export function renderTable(rows: readonly MeasuredRow[]): string {
  const notes: string[] = [];
  const lines = rows.map((row) => renderRow(row, notes));
  const titles = ['peer', ...FEATURES.map(({ title }) => title), 'session'];
  return [
    HEAD,
    `| ${titles.join(' | ')} |`,
    `|${titles.map(() => '---').join('|')}|`,
    ...lines,
    '',
    '## What does not hold, and how that was seen',
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
    '',
  ].join('\n');
}

function renderRow({ contender: { kind }, cells }: MeasuredRow, notes: string[]): string {
  const shown = FEATURES.map(({ title }) => {
    const cell = cells.get(title) ?? [];
    const numbers = cell.flatMap((part) => {
      const note = noteOf(part);
      if (note === undefined) return [];
      notes.push(`**${kind.name}**, ${title}: ${note}`);
      return [`[${notes.length}]`];
    });
    return [verdict(cell), ...numbers].join(' ');
  });
  return `| ${[kind.name, ...shown, kind.addressing].join(' | ')} |`;
}

function verdict(cell: Cell): string {
  const held = cell.filter(({ outcome }) => outcome === 'yes').length;
  if (cell.length > 0 && held === cell.length) return 'yes';
  return held === 0 ? 'no' : 'part';
}

function noteOf(part: Part): string | undefined {
  return part.outcome === 'yes' ? undefined : `${part.what}: ${part.seen}.`;
}
