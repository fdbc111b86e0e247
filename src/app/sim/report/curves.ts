/** Curves of a scheme over all its seeds: the mean, and between the least and the most of them a band. Pure. */
import type { RunResult } from '../../../simulator/results/run-result.js';
import type { Point, Series } from './charts.js';

type Curve = Pick<Series, 'points' | 'band'>;
type Moment = RunResult['moments'][number];

/** More points than this are no better on paper. */
const MOST_POINTS = 300;

/** From values at equal shares of what they are of (quantiles) to a distribution: of each share the mean of the seeds. */
export function distributionCurve(curves: readonly (readonly number[])[]): Curve {
  const filled = curves.filter((values) => values.length > 0);
  const count = Math.min(...filled.map(({ length }) => length));
  if (filled.length === 0) return { points: [] };
  const at = Array.from({ length: count }, (_, index) => ({
    share: (index + 1) / count,
    ...spreadOf(filled.map((values) => values[index]!)),
  }));
  return {
    points: at.map(({ share, mean }) => ({ x: mean, y: share })),
    ...bandOf(filled.length, at, {
      there: ({ share, least }) => ({ x: least, y: share }),
      back: ({ share, most }) => ({ x: most, y: share }),
    }),
  };
}

/** Seeds that have ended are no longer in the mean. */
export function timeCurve(runs: readonly RunResult[], value: (moment: Moment) => number | undefined): Curve {
  const length = Math.max(0, ...runs.map(({ moments }) => moments.length));
  const stride = Math.max(1, Math.ceil(length / MOST_POINTS));
  const at = Array.from({ length: Math.ceil(length / stride) }, (_, index) => {
    const moments = runs.flatMap((run) => meanMoment(run.moments.slice(index * stride, (index + 1) * stride), value));
    return moments.length === 0
      ? []
      : [{ time: spreadOf(moments.map(({ time }) => time)).mean, ...spreadOf(moments.map(({ value }) => value)) }];
  }).flat();
  return {
    points: at.map(({ time, mean }) => ({ x: time, y: mean })),
    ...bandOf(runs.length, at, {
      there: ({ time, most }) => ({ x: time, y: most }),
      back: ({ time, least }) => ({ x: time, y: least }),
    }),
  };
}

/** Of several moments of a run, in microseconds. */
function meanMoment(moments: readonly Moment[], value: (moment: Moment) => number | undefined) {
  const known = moments.flatMap((moment) => {
    const found = value(moment);
    return found === undefined ? [] : [{ time: moment.at / 1e6, value: found }];
  });
  if (known.length === 0) return [];
  const mean = (of: (one: { time: number; value: number }) => number) =>
    known.reduce((sum, one) => sum + of(one), 0) / known.length;
  return [{ time: mean(({ time }) => time), value: mean(({ value }) => value) }];
}

function bandOf<T>(
  seeds: number,
  at: readonly T[],
  { there, back }: { readonly there: (one: T) => Point; readonly back: (one: T) => Point },
): Pick<Curve, 'band'> {
  if (seeds < 2) return {};
  return { band: { there: at.map(there), back: [...at].reverse().map(back) } };
}

function spreadOf(values: readonly number[]): { mean: number; least: number; most: number } {
  return {
    mean: values.reduce((a, b) => a + b, 0) / values.length,
    least: values.reduce((a, b) => Math.min(a, b)),
    most: values.reduce((a, b) => Math.max(a, b)),
  };
}
