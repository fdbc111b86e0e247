/** Runs of several schemes and seeds over the same fabric and workload, side by side: the mean over the seeds, and how sure it is. */
import { FIGURES } from './figures.js';
import type { RunResult } from './run-result.js';

/** A mean over seeds with the half-width of its 95 % confidence interval (Student's t); undefined half-width: one seed. */
export interface Estimate {
  readonly mean: number;
  readonly margin: number | undefined;
}

export interface ComparedScheme {
  readonly scheme: string;
  readonly runs: number;
  /** Flows that had not ended at the limit, and runs that had such. */
  readonly unfinished: number;
  readonly unfinishedRuns: number;
  /** By the figure's key; a figure that not every run has is left out. */
  readonly figures: Readonly<Record<string, Estimate>>;
}

/** In the order in which schemes first appear. */
export function compare(runs: readonly RunResult[]): ComparedScheme[] {
  const schemes = [...new Set(runs.map(({ scheme }) => scheme))];
  return schemes.map((scheme) => {
    const own = runs.filter((run) => run.scheme === scheme);
    const left = own.map(({ flows }) => flows.count - flows.finished);
    const figures = FIGURES.flatMap(({ key, of }) => {
      const values = own.map(of).filter((value) => value !== undefined);
      return values.length === own.length ? [[key, estimate(values)] as const] : [];
    });
    return {
      scheme,
      runs: own.length,
      unfinished: left.reduce((sum, count) => sum + count, 0),
      unfinishedRuns: left.filter((count) => count > 0).length,
      figures: Object.fromEntries(figures),
    };
  });
}

/** Student's t for 95 %, two-sided, by degrees of freedom from 1; 1.96 beyond. */
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

export function estimate(values: readonly number[]): Estimate {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  if (values.length < 2) return { mean, margin: undefined };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const t = STUDENT[values.length - 2] ?? 1.96;
  return { mean, margin: t * Math.sqrt(variance / values.length) };
}
