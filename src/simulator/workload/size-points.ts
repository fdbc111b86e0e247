/**
 * Distributions of flow sizes that are not among the published ones: points as somebody gives them, or as text in the form of the public ns-3 traffic
 * generators, `octets per-cent` on each line, `#` before a remark.
 */
import { SimulationInputError } from '../input-error.js';
import { type FlowSizes, meanSize } from './flow-sizes.js';

const MOST_OCTETS = 2 ** 40;

/** Throws SimulationInputError: shares must begin at 0, end at 1 and never fall, and neither must sizes. */
export function ownSizes(name: string, points: FlowSizes['points']): FlowSizes {
  const [first] = points;
  if (!first || points.length < 2) throw new SimulationInputError('expected two points at least');
  if (first[1] !== 0) throw new SimulationInputError(`the first point is ${text(first)}; expected a share of 0%`);
  points.forEach((point, index) => {
    const before = points[index - 1];
    if (point[0] > MOST_OCTETS)
      throw new SimulationInputError(`${text(point)}; expected ${MOST_OCTETS} octets at most`);
    if (before && (point[0] < before[0] || point[1] < before[1])) {
      throw new SimulationInputError(`${text(point)} comes after ${text(before)}; expected neither to fall`);
    }
  });
  const last = points.at(-1)!;
  if (last[1] !== 1) throw new SimulationInputError(`the last point is ${text(last)}; expected a share of 100%`);
  const sizes = { name, summary: `points of ${name}`, points };
  if (meanSize(sizes) > 0) return sizes;
  throw new SimulationInputError('all flows have no octets; expected sizes above 0');
}

const text = ([octets, share]: readonly [number, number]) =>
  `${octets} octets at ${Number((share * 100).toPrecision(9))}%`;

/** Points from text. Throws SimulationInputError that names the line. */
export function parseSizePoints(lines: string): FlowSizes['points'] {
  return lines.split('\n').flatMap((line, index) => {
    const words = line.replace(/#.*/, '').trim();
    if (words === '') return [];
    const match = /^(\d{1,15})\s+(\d{1,3}(?:\.\d+)?)%?$/.exec(words);
    const percent = Number(match?.[2]);
    if (match && percent <= 100) return [[Number(match[1]), percent / 100] as const];
    throw new SimulationInputError(`line ${index + 1}: ${words}: expected OCTETS PER-CENT such as 4000 22.93`);
  });
}
