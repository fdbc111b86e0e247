/** Results for spreadsheets: a line a run, a column a figure by its key, then counts as they are. Pure. */
import { FIGURES } from '../../simulator/results/figures.js';
import { type CsvValue, csvLine } from './csv.js';
import type { StudyResults } from './study-results.js';

type Run = StudyResults['runs'][number];

const COLUMNS: readonly (readonly [string, (run: Run) => CsvValue])[] = [
  ['scheme', ({ scheme }) => scheme],
  ['seed', ({ seed }) => seed],
  ['flows', ({ flows }) => flows.count],
  ['finished', ({ flows }) => flows.finished],
  ...FIGURES.map(({ key, of }) => [key, of] as const),
  ['data_packets', ({ packets }) => packets.data],
  ['sent_again', ({ packets }) => packets.resent],
  ['out_of_order', ({ packets }) => packets['out-of-order']],
  ['overtaken', ({ packets }) => packets.overtaken],
  ['complaints', ({ packets }) => packets.complaints],
  ['marked', ({ packets }) => packets.marked],
  ['dropped_full', ({ packets }) => packets['dropped-full']],
  ['dropped_down', ({ packets }) => packets['dropped-down']],
  ['dropped_unreachable', ({ packets }) => packets['dropped-unreachable']],
  ['dropped_by_watchdog', ({ packets }) => packets['dropped-by-watchdog']],
  ['lost_on_links', ({ packets }) => packets.lost],
  ['control_lost', ({ packets }) => packets['control-lost']],
  ['duration_us', ({ duration }) => duration],
  ['events', ({ events }) => events],
  ['seconds', ({ seconds }) => seconds],
];

export function resultsCsv({ runs }: StudyResults): string {
  const head = csvLine(COLUMNS.map(([name]) => name));
  return head + runs.map((run) => csvLine(COLUMNS.map(([, value]) => value(run)))).join('');
}
