/** The line of a link between two nodes above each other. Pure. */
import type { Point } from './layout.js';

/** Leaves its ends upright, so that ribbons beside each other stay so. `shift` moves it sideways. */
export function curve([upper, lower]: readonly [Point, Point], shift = 0): string {
  const middle = (upper.y + lower.y) / 2;
  const [x1, x2] = [upper.x + shift, lower.x + shift].map((x) => Math.round(x * 10) / 10) as [number, number];
  return `M${x1} ${upper.y}C${x1} ${middle} ${x2} ${middle} ${x2} ${lower.y}`;
}

/** On the curve, at a part of its way down. */
export function pointOf([upper, lower]: readonly [Point, Point], at: number): Point {
  const across = at * at * (3 - 2 * at);
  const middle = (upper.y + lower.y) / 2;
  const y =
    (1 - at) ** 3 * upper.y + 3 * at * (1 - at) ** 2 * middle + 3 * at * at * (1 - at) * middle + at ** 3 * lower.y;
  return { x: upper.x + (lower.x - upper.x) * across, y };
}
