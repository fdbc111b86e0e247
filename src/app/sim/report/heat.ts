/** Colours of links by what they carried, relative to the mean: in steps that people of any colour vision tell apart. Pure. */
import { element, escaped } from '../../picture/svg.js';

/** Steps of the scale; class `h0` is the coolest. */
const STEPS = 13;
/** So many times the mean, or more, is the hottest. */
const HOTTEST = 3;
/** Colours at nothing, the mean, twice and three times it, between which steps are mixed. */
const LIGHT = ['#e6edf4', '#5fa3d3', '#8d5a97', '#d55e00'];
const DARK = ['#1f2a36', '#357fb8', '#b586c4', '#ff9a4d'];

export function heatClass(timesMean: number): string {
  return `h${Math.min(STEPS - 1, Math.round((timesMean / HOTTEST) * (STEPS - 1)))}`;
}

/** The custom properties of the steps. */
export function heatColours(dark: boolean): string {
  const anchors = dark ? DARK : LIGHT;
  return Array.from({ length: STEPS }, (_, step) => `--h${step}:${mixed(anchors, step / (STEPS - 1))};`).join('');
}

export const HEAT_RULES = Array.from(
  { length: STEPS },
  (_, step) => `.cell.h${step}{fill:var(--h${step})}.link.h${step}{stroke:var(--h${step})}`,
).join('');

function mixed(anchors: readonly string[], share: number): string {
  const place = share * (anchors.length - 1);
  const below = Math.min(anchors.length - 2, Math.floor(place));
  const [one, other] = [channels(anchors[below]!), channels(anchors[below + 1]!)];
  const parts = one.map((value, index) => Math.round(value + (other[index]! - value) * (place - below)));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** What colours mean. */
export function heatKey(): string {
  const width = 240;
  const step = width / STEPS;
  const cells = Array.from({ length: STEPS }, (_, index) =>
    element('rect', { class: `cell h${index}`, x: 10 + index * step, y: 4, width: step + 0.5, height: 12 }),
  );
  const labels = ['0', 'mean', '2 ×', '3 × and more'].map((words, place) =>
    element(
      'text',
      { class: 'quiet', x: 10 + step / 2 + (place / HOTTEST) * (width - step), y: 30, 'text-anchor': 'middle' },
      escaped(words),
    ),
  );
  const label = 'Colours: from nothing over the mean to three times the mean and more';
  return element('svg', { viewBox: `0 0 ${width + 60} 34`, role: 'img', class: 'key', 'aria-label': label }, [
    ...cells,
    ...labels,
  ]);
}
