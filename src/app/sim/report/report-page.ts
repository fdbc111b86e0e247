/**
 * A study's results as one page that opens from disk: what is best and why, plots over all seeds, links drawn as the fabric, tables; light and dark. Everything
 * is in the file, and nothing of it is a script: schemes are hidden by style alone. Pure.
 */
import type { ComparedScheme } from '../../../simulator/results/comparison.js';
import { FIGURES, type Figure, figureOf } from '../../../simulator/results/figures.js';
import { type RunResult, SIZES } from '../../../simulator/results/run-result.js';
import { formatEstimate } from '../../cli/render/comparison.js';
import { element, escaped } from '../../picture/svg.js';
import type { Finding } from '../findings/evidence.js';
import { profileLine, type ResultsDocument } from '../study-results.js';
import { schemeClass } from './axes.js';
import { barChart, type LineChart, lineChart, type Series } from './charts.js';
import { distributionCurve, timeCurve } from './curves.js';
import { fabricMap } from './fabric-map.js';
import { heatKey } from './heat.js';
import { linkMatrix } from './link-matrix.js';
import { linkTiers } from './link-tiers.js';
import { hidingRules, REPORT_STYLE } from './report-style.js';
import { counterTable, figureTables } from './report-tables.js';

/** Maps of links are drawn for so many links at most. */
const MOST_LINKS = 4096;

export function reportPage(document: ResultsDocument): string {
  const { study, runs, comparison, findings } = document;
  const schemes = comparison.map(({ scheme }) => scheme);
  const body = [
    ...heading(document),
    ...findings
      .filter(({ scheme }) => scheme === undefined)
      .map(({ text }) => element('p', { class: 'lead' }, escaped(text))),
    chooser(schemes),
    ...section('Why', 'Said from what was measured', explanations(findings, schemes)),
    ...section('Side by side', barsNote(runs, comparison), bars(comparison)),
    ...section(
      'Curves',
      'Means over the seeds; the band goes from the least to the most of them',
      curves(runs, schemes),
    ),
    ...maps(runs, schemes),
    element('h2', {}, 'All figures'),
    ...figureTables(comparison),
    counterTable(runs, schemes),
  ];
  return pageOf(study, schemes.length, body);
}

/** A page with its style, on which so many schemes can be hidden. */
export function pageOf(title: string, schemes: number, body: readonly string[]): string {
  const head = [
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    '<link rel="icon" href="data:,">',
    element('title', {}, escaped(title)),
    element('style', {}, REPORT_STYLE + hidingRules(schemes)),
  ];
  return `<!doctype html>\n<html lang="en"><head>${head.join('')}</head><body><main>${body.join('\n')}</main></body></html>\n`;
}

function heading(document: ResultsDocument): string[] {
  const { study, description, fabric, runs, transport, heddle } = document;
  const seeds = new Set(runs.map(({ seed }) => seed)).size;
  const facts = [
    `${fabric.hosts} hosts, ${fabric.switches} switches, ${fabric.links} links`,
    `${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, ${runs.length} runs`,
    profileLine(document),
    `${transport.reliability}, ${transport.congestion}, PFC ${transport.pfc ? 'on' : 'off'}`,
    `heddle ${heddle}`,
  ];
  return [
    element('h1', {}, escaped(study)),
    ...(description === undefined ? [] : [element('p', {}, escaped(description))]),
    element('p', { class: 'quiet' }, escaped(facts.join(' · '))),
  ];
}

/** Which schemes are shown, everywhere on the page. */
export function chooser(schemes: readonly string[]): string {
  const labels = schemes.map((scheme, index) =>
    element('label', {}, [
      `<input type="checkbox" id="show${index}" checked>`,
      `<span class="swatch ${schemeClass(index).replace(`s${index} `, '')}"></span>`,
      escaped(scheme),
    ]),
  );
  return element('fieldset', { class: 'schemes' }, ['<legend>Schemes that are shown</legend>', ...labels]);
}

export function section(name: string, note: string, cards: readonly string[]): string[] {
  if (cards.length === 0) return [];
  return [
    element('h2', {}, escaped(name)),
    element('p', { class: 'quiet' }, escaped(note)),
    element('div', { class: 'cards' }, cards),
  ];
}

export function explanations(findings: readonly Finding[], schemes: readonly string[]): string[] {
  return schemes.flatMap((scheme, index) => {
    const own = findings.filter((finding) => finding.scheme === scheme);
    if (own.length === 0) return [];
    const items = own.map(({ text, kind }) => element('li', { 'data-kind': kind }, escaped(text)));
    return [element('article', { class: `card s${index}` }, [schemeHead(scheme, index), element('ul', {}, items)])];
  });
}

function schemeHead(scheme: string, index: number): string {
  const swatch = `<span class="swatch ${schemeClass(index).replace(`s${index} `, '')}"></span>`;
  return element('h3', {}, [swatch, escaped(scheme)]);
}

export function figureCard(inner: string): string {
  return element('figure', { class: 'card' }, [inner]);
}

/** What is drawn as bars, where it is not 0 everywhere. */
const BARS = [
  'slowdown_avg',
  'slowdown_p99',
  'slowdown_p999',
  'job_time_us',
  'bus_bandwidth_gbps',
  'imbalance_p50',
  'queue_p99_octets',
  'paused_host_percent',
  'paused_leaf_percent',
  'paused_spine_percent',
  'marked_percent',
  'congestion_notices',
  'complaint_notices',
  'out_of_order_percent',
  'sent_again_percent',
  'lost',
  'answers_lost',
].map(figureOf);

function barsNote(runs: readonly RunResult[], schemes: readonly ComparedScheme[]): string {
  const seeds = new Set(runs.map(({ seed }) => seed)).size;
  const sureness =
    seeds > 1
      ? `Means over ${seeds} seeds; whiskers: 95 % confidence`
      : 'One seed: --seeds N adds confidence intervals';
  const zero = FIGURES.filter(
    ({ key, group }) => group !== 'sizes' && schemes.every(({ figures }) => figures[key]?.mean === 0),
  );
  return zero.length === 0 ? sureness : `${sureness}. 0 everywhere: ${zero.map(({ label }) => label).join('; ')}`;
}

function bars(schemes: readonly ComparedScheme[]): string[] {
  return BARS.flatMap((figure) => {
    const values = barsOf(figure, schemes);
    if (values.length === 0 || values.every(({ value }) => value === 0)) return [];
    return [figureCard(barChart(figure.label, `${figure.better} is better`, values))];
  });
}

function barsOf({ key, per = 1 }: Figure, schemes: readonly ComparedScheme[]) {
  return schemes.flatMap(({ scheme, figures }, index) => {
    const estimate = figures[key];
    if (!estimate) return [];
    const margin = estimate.margin === undefined ? undefined : estimate.margin / per;
    return [{ name: scheme, index, value: estimate.mean / per, margin, label: formatEstimate(estimate, per) }];
  });
}

function curves(runs: readonly RunResult[], schemes: readonly string[]): string[] {
  const seriesOf = (of: (own: readonly RunResult[]) => Pick<Series, 'points' | 'band'>): Series[] =>
    schemes
      .map((name, index) => ({ name, index, ...of(runs.filter(({ scheme }) => scheme === name)) }))
      .filter(({ points }) => points.length > 0);
  const distribution = (of: (run: RunResult) => readonly number[]) => seriesOf((own) => distributionCurve(own.map(of)));
  const time = (of: Parameters<typeof timeCurve>[1]) => seriesOf((own) => timeCurve(own, of));
  const across = 'microseconds';
  const charts: LineChart[] = [
    {
      title: 'Slowdown of flows, distribution',
      across: 'completion time over the time alone',
      up: 'share of flows',
      logAcross: true,
      series: distribution(({ slowdownCurve }) => slowdownCurve),
    },
    bySize(seriesOf),
    {
      title: 'Imbalance of uplinks, distribution',
      across: '(most - least) / mean of a leaf in an interval',
      up: 'share of leaves and intervals',
      series: distribution(({ imbalanceCurve }) => imbalanceCurve),
    },
    { title: 'Load, over time', across, up: 'share of hosts’ links', series: time(({ load }) => load) },
    { title: 'The fullest queue, over time', across, up: 'KB', series: time(({ fullest }) => fullest / 1000) },
    {
      title: 'Imbalance of uplinks, over time',
      across,
      up: 'mean of leaves',
      series: time(({ imbalance }) => imbalance),
    },
  ];
  return charts.filter(isWorthDrawing).map((chart) => figureCard(lineChart(chart)));
}

/** Not where nothing was measured, nor where all flows are of one size. */
function isWorthDrawing({ series, named }: LineChart): boolean {
  return series.length > 0 && (named === undefined || named.length > 1);
}

type SeriesOf = (of: (own: readonly RunResult[]) => Pick<Series, 'points' | 'band'>) => Series[];

/** The sizes that there are flows of, as places beside each other. */
function bySize(seriesOf: SeriesOf): LineChart {
  const present = SIZES.filter((upTo) => seriesOf((own) => ({ points: p99s(own, upTo, 0) })).length > 0);
  return {
    title: 'Slowdown at p99, by size of the flow',
    across: 'octets, up to',
    up: 'p99 slowdown',
    named: present.map(sizeLabel),
    series: seriesOf((own) => ({ points: present.flatMap((upTo, place) => p99s(own, upTo, place)) })),
  };
}

function sizeLabel(upTo: number | null): string {
  if (upTo === null) return 'larger';
  return upTo >= 1e6 ? `${upTo / 1e6}M` : `${upTo / 1e3}k`;
}

/** The mean of the seeds that have flows of a size. */
function p99s(runs: readonly RunResult[], upTo: number | null, x: number) {
  const found = runs.flatMap(({ bySize }) => bySize.find((size) => size.upTo === upTo)?.slowdown.p99 ?? []);
  return found.length === 0 ? [] : [{ x, y: found.reduce((a, b) => a + b) / found.length }];
}

function maps(runs: readonly RunResult[], schemes: readonly string[]): string[] {
  const first = schemes.map((scheme) => runs.find((run) => run.scheme === scheme)!);
  const drawn = first.filter(({ links }) => links.length > 0 && links.length <= MOST_LINKS);
  if (drawn.length === 0) return [];
  const cards = drawn.map(({ scheme, links }) => {
    const index = schemes.indexOf(scheme);
    const tiers = linkTiers(links);
    const pictures = [fabricMap(tiers, 'up'), fabricMap(tiers, 'down'), ...tiers.map(linkMatrix)].filter(
      (picture) => picture !== undefined,
    );
    return element('article', { class: `card s${index}` }, [
      schemeHead(scheme, index),
      element('div', { class: 'pictures' }, pictures),
    ]);
  });
  const note = `Seed ${drawn[0]!.seed} of each scheme: a mean over seeds would hide which links collided. Colours: what a link carried over the mean of all links between the same tiers, the same way`;
  return [
    element('h2', {}, 'Links between switches'),
    element('p', { class: 'quiet' }, escaped(note)),
    heatKey(),
    element('div', { class: 'cards maps' }, cards),
  ];
}
