/** Lines over the number of routers, both axes logarithmic, as SVG. Pure. */
import { styleSheet } from '../app/picture/style.js';
import { element, escaped } from '../app/picture/svg.js';

export interface Line {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const WIDTH = 720;
const HEIGHT = 380;
const BOX = { left: 70, right: 520, top: 60, bottom: 330 };

export function drawPlot({ title, unit, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points).filter(({ x, y }) => x > 0 && y > 0);
  const across = axis(
    points.map(({ x }) => x),
    BOX.left,
    BOX.right,
  );
  const up = axis(
    points.map(({ y }) => y),
    BOX.bottom,
    BOX.top,
  );
  const inner = [
    element('title', {}, escaped(title)),
    element('style', {}, styleSheet()),
    element('rect', { class: 'paper', x: 0, y: 0, width: WIDTH, height: HEIGHT }),
    text(20, 28, title, 'title'),
    text(20, 48, unit, 'quiet small'),
    ...across.decades.flatMap((value) =>
      tick(across.place(value), BOX.bottom + 18, value, [BOX.top, BOX.bottom], true),
    ),
    ...up.decades.flatMap((value) => tick(up.place(value), BOX.left - 8, value, [BOX.left, BOX.right], false)),
    text(BOX.right - 50, BOX.bottom + 36, 'routers', 'quiet small'),
    ...lines.flatMap((line, index) =>
      drawLine(
        line,
        index,
        (x) => across.place(x),
        (y) => up.place(y),
      ),
    ),
  ];
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      role: 'img',
    },
    inner,
  );
}

interface Axis {
  readonly decades: readonly number[];
  place(value: number): number;
}

/** From the power of ten below the least to that above the largest. */
function axis(values: readonly number[], from: number, to: number): Axis {
  const least = Math.floor(Math.log10(Math.min(...values, 1e9)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values, 1e-9))));
  const decades = Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index));
  return { decades, place: (value) => from + ((Math.log10(value) - least) / (most - least)) * (to - from) };
}

function tick(
  at: number,
  label: number,
  value: number,
  [from, to]: readonly [number, number],
  upright: boolean,
): string[] {
  const ends = upright ? { x1: at, x2: at, y1: from, y2: to } : { x1: from, x2: to, y1: at, y2: at };
  const [x, y] = upright ? [at, label] : [label, at + 4];
  const shown = value >= 1 ? value.toLocaleString('en') : String(Number(value.toPrecision(1)));
  const anchor = upright ? 'middle' : 'end';
  return [
    element('line', { class: 'link', ...ends }),
    element('text', { class: 'quiet small', x, y, style: `text-anchor:${anchor}` }, shown),
  ];
}

function drawLine(
  { name, points }: Line,
  index: number,
  x: (value: number) => number,
  y: (value: number) => number,
): string[] {
  const places = points
    .filter((point) => point.x > 0 && point.y > 0)
    .map((point) => ({ x: x(point.x), y: y(point.y) }));
  const last = places.at(-1);
  if (!last) return [];
  const colour = `c${index % 8}`;
  return [
    element('polyline', {
      class: `way ${colour}`,
      'stroke-width': 2.2,
      points: places.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(' '),
    }),
    ...places.map((place) => element('circle', { class: `spot ${colour}`, cx: place.x, cy: place.y, r: 4 })),
    element('circle', { class: `spot ${colour}`, cx: BOX.right + 22, cy: BOX.top + 6 + index * 20, r: 5 }),
    text(BOX.right + 34, BOX.top + 10 + index * 20, name, 'small'),
  ];
}

function text(x: number, y: number, words: string, style: string): string {
  return element('text', { class: style, x, y }, escaped(words));
}
