/** The figures of a report as tables. Pure. */
import type { ComparedScheme } from '../../../simulator/results/comparison.js';
import { FIGURE_GROUPS, FIGURES, type Figure, type FigureGroup } from '../../../simulator/results/figures.js';
import type { PacketCounter, RunResult } from '../../../simulator/results/run-result.js';
import { bestOf, formatEstimate } from '../../cli/render/comparison.js';
import { element, escaped } from '../../picture/svg.js';

const NAMES: Readonly<Record<FigureGroup, string>> = {
  slowdown: 'Slowdown',
  background: 'Beside the job',
  job: 'Completion',
  fabric: 'Fabric',
  pfc: 'Pauses',
  packets: 'Packets',
  sizes: 'By size',
};

/** A table a group, to be opened: the first is. */
export function figureTables(schemes: readonly ComparedScheme[]): string[] {
  const groups = Object.keys(FIGURE_GROUPS) as FigureGroup[];
  return groups.flatMap((group) => {
    const figures = FIGURES.filter(
      (figure) => figure.group === group && schemes.some(({ figures }) => figures[figure.key]),
    );
    if (figures.length === 0) return [];
    const summary = [escaped(NAMES[group]), element('span', { class: 'quiet' }, escaped(`: ${FIGURE_GROUPS[group]}`))];
    return [opened(summary, figureTable(schemes, figures, group), group === 'slowdown')];
  });
}

function figureTable(schemes: readonly ComparedScheme[], figures: readonly Figure[], name: string): string {
  const best = new Map(figures.map((figure) => [figure.key, bestOf(schemes, figure)]));
  const rows = schemes.map(({ scheme, runs, unfinished, figures: estimates }, index) => ({
    index,
    cells: [
      cell(scheme),
      cell(String(runs)),
      cell(String(unfinished)),
      ...figures.map(({ key, per }) => {
        const estimate = estimates[key];
        return cell(formatEstimate(estimate, per), estimate !== undefined && estimate.mean === best.get(key));
      }),
    ],
  }));
  return table(name, ['scheme', 'runs', 'unfinished', ...figures.map(({ title }) => title)], rows);
}

/** What became of packets in all runs, and what schemes counted themselves. */
export function counterTable(runs: readonly RunResult[], schemes: readonly string[]): string {
  const names = Object.keys(runs[0]?.packets ?? {}) as PacketCounter[];
  const rows = schemes.map((scheme, index) => {
    const own = runs.filter((run) => run.scheme === scheme);
    const sum = (of: (run: RunResult) => number) => own.reduce((sum, run) => sum + of(run), 0).toLocaleString('en');
    const counters = Object.keys(own[0]?.ofScheme ?? {}).map(
      (name) => `${name} ${sum(({ ofScheme }) => ofScheme[name] ?? 0)}`,
    );
    const counted = [...names.map((name) => sum(({ packets }) => packets[name])), sum(({ pause }) => pause.frames)];
    return { index, cells: [scheme, ...counted, counters.join(', ')].map((text) => cell(text)) };
  });
  const summary = [
    'Counters',
    element('span', { class: 'quiet' }, ': packets of all runs together, and what schemes counted'),
  ];
  return opened(summary, table('counters', ['scheme', ...names, 'pause frames', 'of the scheme'], rows), false);
}

export function opened(summary: readonly string[], inner: string, open: boolean): string {
  return element('details', open ? { open: '' } : {}, [element('summary', {}, summary), inner]);
}

interface HtmlCell {
  readonly text: string;
  readonly best: boolean;
}

export function cell(text: string, best = false): HtmlCell {
  return { text, best };
}

interface HtmlRow {
  /** Of the scheme. */
  readonly index: number;
  readonly cells: readonly HtmlCell[];
}

/** It scrolls by itself where it is wider than the page, by keyboard as well. */
export function table(name: string, head: readonly string[], rows: readonly HtmlRow[]): string {
  const heads = head.map((text) => element('th', { scope: 'col' }, escaped(text)));
  const lines = rows.map(({ index, cells }) =>
    element(
      'tr',
      { class: `s${index}` },
      cells.map(({ text, best }, column) =>
        column === 0
          ? element('th', { scope: 'row' }, escaped(text))
          : element('td', best ? { class: 'best' } : {}, text === '' ? '&nbsp;' : escaped(text)),
      ),
    ),
  );
  const inner = element('table', {}, [element('thead', {}, [element('tr', {}, heads)]), element('tbody', {}, lines)]);
  return element('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': name }, [inner]);
}
