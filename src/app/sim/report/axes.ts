/** A plot's frame: where values go on paper, and the lines and figures at its edges. Pure. */
import { element, escaped } from '../../picture/svg.js';

/** Small enough to be read on a telephone, where it is as wide as the screen. */
export const FRAME = { width: 460, height: 264, left: 52, right: 444, top: 44, bottom: 220 } as const;

export interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Scale {
  readonly ticks: readonly Tick[];
  place(value: number): number;
}

/** From 0 to a round number above the largest value. */
export function linearScale(values: readonly number[], from: number, to: number): Scale {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const step = roundStep(most / 4);
  const end = Math.max(step, Math.ceil(most / step - 1e-9) * step);
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => tick(index * step));
  return { ticks, place: (value) => from + (value / end) * (to - from) };
}

/** Between 1, 2 and 5 times powers of ten around the values; those that are not above 0 lie at the lower end. */
export function logScale(values: readonly number[], from: number, to: number): Scale {
  const above = values.filter((value) => value > 0);
  const least = above.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = above.reduce((a, b) => Math.max(a, b), 0);
  const low = Number.isFinite(least) ? roundStep(least * (1 + 1e-9)) : 1;
  const high = Math.max(low * 10 ** 0.3, roundUp(most));
  const decades = Math.log10(high / low);
  const factors = decades <= 1.5 ? [1, 1.5, 2, 3, 5, 7] : decades <= 3 ? [1, 2, 5] : [1];
  const place = (value: number) => from + (Math.log10(Math.max(value, low) / low) / decades) * (to - from);
  return { ticks: ticksBetween(low, high, factors), place };
}

function ticksBetween(low: number, high: number, factors: readonly number[]): Tick[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, index) => 10 ** (first + index));
  return powers
    .flatMap((power) => factors.map((factor) => factor * power))
    .filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
    .map(tick);
}

/** Names at equal distances: `place` has their index. */
export function namedScale(names: readonly string[], from: number, to: number): Scale {
  const step = (to - from) / Math.max(1, names.length);
  return {
    ticks: names.map((label, at) => ({ at, label })),
    place: (index) => from + (index + 0.5) * step,
  };
}

function tick(at: number): Tick {
  return { at, label: shortNumber(at) };
}

/** 1, 2 or 5 times a power of ten, not above. */
function roundStep(step: number): number {
  if (!(step > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  return ([5, 2, 1].find((factor) => factor * power <= step + power * 1e-9) ?? 1) * power;
}

function roundUp(value: number): number {
  const below = roundStep(value);
  return [1, 2, 2.5, 5].map((factor) => factor * below).find((one) => one >= value * (1 - 1e-9)) ?? below * 5;
}

export function shortNumber(value: number): string {
  if (value >= 1e9) return `${Number((value / 1e9).toPrecision(3))}G`;
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}

export interface PlotFrame {
  readonly title: string;
  readonly across: { readonly scale: Scale; readonly unit: string };
  readonly up: { readonly scale: Scale; readonly unit: string };
}

/** A whole SVG element: the frame with `inner` in it. */
export function plot({ title, across, up }: PlotFrame, inner: readonly string[]): string {
  const { width, height, left, right, top, bottom } = FRAME;
  const text = (x: number, y: number, words: string, more: Record<string, string> = {}) =>
    element('text', { class: 'quiet', x, y, ...more }, escaped(words));
  const lines = [
    ...across.scale.ticks.flatMap(({ at, label }) => {
      const x = across.scale.place(at);
      return [
        element('line', { class: 'grid', x1: x, x2: x, y1: top, y2: bottom }),
        text(x, bottom + 16, label, { 'text-anchor': 'middle' }),
      ];
    }),
    ...up.scale.ticks.flatMap(({ at, label }) => {
      const y = up.scale.place(at);
      return [
        element('line', { class: 'grid', x1: left, x2: right, y1: y, y2: y }),
        text(left - 7, y + 4, label, { 'text-anchor': 'end' }),
      ];
    }),
  ];
  return svg({ title, width, height }, [
    text(8, 34, up.unit),
    text(right, bottom + 34, across.unit, { 'text-anchor': 'end' }),
    ...lines,
    ...inner,
  ]);
}

/** A picture with its name at the top, which screen readers say as well. */
export function svg(
  { title, width, height }: { readonly title: string; readonly width: number; readonly height: number },
  inner: readonly string[],
): string {
  return element(
    'svg',
    { viewBox: `0 0 ${width} ${Math.ceil(height)}`, role: 'img', class: 'plot', 'aria-label': title },
    [element('text', { class: 'head', x: 8, y: 16 }, escaped(title)), ...inner],
  );
}

/** Classes of what belongs to a scheme: its colour, of which there are eight, then the same dashed; and itself, to be hidden by. */
export function schemeClass(index: number): string {
  return `s${index} c${index % 8}${index % 16 >= 8 ? ' dashed' : ''}`;
}
