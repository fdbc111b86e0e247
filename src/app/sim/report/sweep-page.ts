/** A sweep's results as one page: each figure over the points, a line a scheme; what the points say themselves, and all figures as tables. Pure. */
import { FIGURES, type Figure, figureOf } from '../../../simulator/results/figures.js';
import { formatEstimate } from '../../cli/render/comparison.js';
import { element, escaped } from '../../picture/svg.js';
import type { ResultsDocument } from '../study-results.js';
import { pointText, type SweepPoint } from '../sweep.js';
import type { PointResults, SweepResults } from '../sweep-results.js';
import { lineChart, type Series } from './charts.js';
import { chooser, explanations, figureCard, pageOf, section } from './report-page.js';
import { cell, opened, table } from './report-tables.js';

/** What is shown of a sweep when nobody asks for figures, where it is not 0 everywhere. */
export const SWEEP_FIGURES: readonly Figure[] = [
  'slowdown_avg',
  'slowdown_p99',
  'background_slowdown_avg',
  'background_slowdown_p99',
  'job_time_us',
  'bus_bandwidth_gbps',
  'imbalance_p50',
].map(figureOf);

type Points = readonly PointResults<ResultsDocument>[];

export function sweepPage({ study, description, heddle, sweep, points }: SweepResults<ResultsDocument>): string {
  const schemes = schemesOf(points);
  const across = Object.keys(sweep).join(', ');
  const body = [
    element('h1', {}, escaped(study)),
    ...(description === undefined ? [] : [element('p', {}, escaped(description))]),
    element('p', { class: 'quiet' }, escaped(`over ${across} · heddle ${heddle}`)),
    chooser(schemes),
    ...section('Over the sweep', 'Means over the seeds', charts(points, { schemes, across })),
    ...points.flatMap(({ point, results }) =>
      section(`At ${pointText(point)}`, 'Said from what was measured', explanations(results.findings, schemes)),
    ),
    element('h2', {}, 'All figures'),
    ...shownFigures(FIGURES, points).map((figure) => figureTable(figure, points, schemes)),
  ];
  return pageOf(study, schemes.length, body);
}

export function schemesOf(points: Points): string[] {
  return [...new Set(points.flatMap(({ results }) => results.comparison.map(({ scheme }) => scheme)))];
}

/** Those that somebody has, and that are not 0 everywhere. */
export function shownFigures(figures: readonly Figure[], points: Points): Figure[] {
  const compared = points.flatMap(({ results }) => results.comparison);
  return figures.filter(({ key }) => compared.some((one) => (one.figures[key]?.mean ?? 0) !== 0));
}

/** A figure of a scheme at a point. */
export function estimateAt({ results }: Points[number], scheme: string, { key }: Figure) {
  return results.comparison.find((one) => one.scheme === scheme)?.figures[key];
}

/** `50%`, or `50%, 4` where several keys are swept. */
export function pointValues(point: SweepPoint): string {
  return Object.values(point).join(', ');
}

function charts(
  points: Points,
  { schemes, across }: { readonly schemes: readonly string[]; readonly across: string },
): string[] {
  const named = points.map(({ point }) => pointValues(point));
  return shownFigures(SWEEP_FIGURES, points).map((figure) => {
    const series = schemes.map((name, index): Series => {
      const places = points.flatMap((one, x) => {
        const estimate = estimateAt(one, name, figure);
        return estimate ? [{ x, y: estimate.mean / (figure.per ?? 1) }] : [];
      });
      return { name, index, points: places };
    });
    return figureCard(lineChart({ title: figure.label, across, up: `${figure.better} is better`, named, series }));
  });
}

function figureTable(figure: Figure, points: Points, schemes: readonly string[]): string {
  const rows = schemes.map((scheme, index) => {
    const estimates = points.map((one) => formatEstimate(estimateAt(one, scheme, figure), figure.per));
    return { index, cells: [scheme, ...estimates].map((text) => cell(text)) };
  });
  const head = ['scheme', ...points.map(({ point }) => pointText(point))];
  return opened([escaped(figure.label)], table(figure.key, head, rows), false);
}
