/** The plots of a report: lines and bars, as SVG. Pure. */
import { element, escaped } from '../../picture/svg.js';
import { FRAME, linearScale, logScale, namedScale, plot, type Scale, schemeClass, svg } from './axes.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A scheme's line, with how far its seeds are from it: two lines of which the second goes back. */
export interface Series {
  readonly name: string;
  /** Of the scheme: its colour. */
  readonly index: number;
  readonly points: readonly Point[];
  readonly band?: { readonly there: readonly Point[]; readonly back: readonly Point[] };
}

/** Lines of so few points have them marked: one point alone is no line. */
const MOST_MARKS = 30;

export interface LineChart {
  readonly title: string;
  readonly across: string;
  readonly up: string;
  readonly series: readonly Series[];
  /** Logarithmic, or with names at equal distances; linear from 0 otherwise. */
  readonly logAcross?: boolean;
  readonly named?: readonly string[];
}

export function lineChart({ title, across, up, series, logAcross, named }: LineChart): string {
  const all = series.flatMap(({ points, band }) => [...points, ...(band ? [...band.there, ...band.back] : [])]);
  const xs = acrossOf(
    all.map(({ x }) => x),
    { logAcross: logAcross ?? false, named: named ?? [] },
  );
  const ys = linearScale(
    all.map(({ y }) => y),
    FRAME.bottom,
    FRAME.top,
  );
  const placed = (points: readonly Point[]) =>
    points.map(({ x, y }) => `${xs.place(x).toFixed(1)},${ys.place(y).toFixed(1)}`).join(' ');
  const lines = series.map(({ name, index, points, band }) => {
    const marks = points.length > MOST_MARKS ? [] : points.map(({ x, y }) => dot(index, xs.place(x), ys.place(y)));
    const area = band
      ? [element('polygon', { class: `band c${index % 8}`, points: placed([...band.there, ...band.back]) })]
      : [];
    const line = element('polyline', { class: `series ${schemeClass(index)}`, points: placed(points) });
    return element('g', { class: `line s${index}` }, [element('title', {}, escaped(name)), ...area, line, ...marks]);
  });
  return plot({ title, across: { scale: xs, unit: across }, up: { scale: ys, unit: up } }, lines);
}

function acrossOf(
  values: readonly number[],
  { logAcross, named }: Required<Pick<LineChart, 'logAcross' | 'named'>>,
): Scale {
  if (named.length > 0) return namedScale(named, FRAME.left, FRAME.right);
  return logAcross ? logScale(values, FRAME.left, FRAME.right) : linearScale(values, FRAME.left, FRAME.right);
}

function dot(index: number, x: number, y: number): string {
  return element('circle', { class: `bar c${index % 8}`, cx: x, cy: y, r: 3 });
}

export interface Bar {
  readonly name: string;
  readonly index: number;
  readonly value: number;
  readonly margin: number | undefined;
  /** How the value is written. */
  readonly label: string;
}

const ROW = 24;
const NAMES = 118;
/** Letters of a name that fit before its bar. */
const LONGEST = 15;

/** A bar a scheme, with its confidence interval. */
export function barChart(title: string, note: string, bars: readonly Bar[]): string {
  const top = 42;
  const xs = linearScale(
    bars.map(({ value, margin }) => value + (margin ?? 0)),
    NAMES,
    FRAME.width - 96,
  );
  const drawn = bars.map(({ name, index, value, margin, label }, place) => {
    const y = top + place * ROW;
    const text = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
    return element('g', { class: `line s${index}` }, [
      element('title', {}, escaped(`${name}: ${label}`)),
      element('text', { x: NAMES - 8, y: y + 12, 'text-anchor': 'end' }, escaped(text)),
      element('rect', {
        class: `bar c${index % 8}`,
        x: NAMES,
        y,
        width: Math.max(1, xs.place(value) - NAMES),
        height: 16,
        rx: 2,
      }),
      ...(margin === undefined ? [] : [whisker(xs, value, margin, y + 8)]),
      element('text', { class: 'quiet', x: xs.place(value + (margin ?? 0)) + 7, y: y + 12 }, escaped(label)),
    ]);
  });
  return svg({ title, width: FRAME.width, height: top + bars.length * ROW + 8 }, [
    element('text', { class: 'quiet', x: 8, y: 31 }, escaped(note)),
    ...drawn,
  ]);
}

function whisker(scale: Scale, value: number, margin: number, y: number): string {
  const [from, to] = [scale.place(Math.max(0, value - margin)), scale.place(value + margin)].map((x) => x.toFixed(1));
  return element('path', { class: 'whisker', d: `M${from},${y - 4}v8M${from},${y}H${to}M${to},${y - 4}v8` });
}
