/** Results of a study that sweeps: those of each of its points, as one document. */
import { csvLine } from './csv.js';
import { resultsCsv } from './results-csv.js';
import type { Study } from './study.js';
import {
  documentOf,
  mergedResults,
  type ResultsDocument,
  ResultsError,
  readResultsFile,
  type StudyResults,
} from './study-results.js';
import { type SweepPoint, type SweepValue, sweepPoints } from './sweep.js';

export interface PointResults<Results = StudyResults> {
  readonly point: SweepPoint;
  readonly results: Results;
}

export interface SweepResults<Results = StudyResults> {
  readonly heddle: string;
  readonly study: string;
  readonly description?: string;
  /** The keys with their values. */
  readonly sweep: Readonly<Record<string, readonly SweepValue[]>>;
  readonly points: readonly PointResults<Results>[];
}

export function sweepResultsOf(studies: readonly Study[], results: readonly StudyResults[]): SweepResults {
  const { heddle, study, description } = results[0]!;
  return {
    heddle,
    study,
    ...(description !== undefined && { description }),
    sweep: studies[0]!.file.sweep,
    points: studies.map(({ point }, index) => ({ point, results: results[index]! })),
  };
}

/** All of it for other programs. A point of which a shard has no run is left out. */
export function sweepDocumentOf(sweep: SweepResults): SweepResults<ResultsDocument> {
  const points = sweep.points.map(({ point, results }) => ({ point, results: documentOf(results) }));
  return { ...sweep, points: points.filter(({ results }) => results.runs.length > 0) };
}

/** Whether a file is of a study that sweeps. Throws ResultsError. */
export function isSweepFile(file: string): boolean {
  const value = readResultsFile(file);
  return typeof value === 'object' && value !== null && 'points' in value;
}

/** Files of one study that sweeps, as one: shards. Throws ResultsError. */
export function readSweepResults(files: readonly string[]): SweepResults {
  const parts = files.map((file) => ({ file, sweep: sweepIn(file) }));
  const first = parts[0]!;
  const keys = (sweep: SweepResults) => JSON.stringify([sweep.study, sweep.sweep]);
  const other = parts.find(({ sweep }) => keys(sweep) !== keys(first.sweep));
  if (other) throw new ResultsError(`${other.file}: results of another study or sweep than those of ${first.file}`);
  const points = new Map<string, PointResults>();
  for (const { point } of parts.flatMap(({ sweep }) => sweep.points)) {
    const key = JSON.stringify(point);
    if (points.has(key)) continue;
    const own = parts.flatMap(({ file, sweep }) => {
      const found = sweep.points.find((one) => JSON.stringify(one.point) === key);
      return found ? [{ file, results: found.results }] : [];
    });
    points.set(key, { point, results: mergedResults(own) });
  }
  return { ...first.sweep, points: inOrder(first.sweep.sweep, [...points.values()]) };
}

/** Points of the sweep of which these results have no run. */
export function missingPoints({ sweep, points }: SweepResults): SweepPoint[] {
  const there = new Set(points.map(({ point }) => JSON.stringify(point)));
  return sweepPoints(sweep).filter((point) => !there.has(JSON.stringify(point)));
}

function sweepIn(file: string): SweepResults {
  if (!isSweepFile(file)) throw new ResultsError(`${file}: results of a study that does not sweep, unlike the first`);
  return readResultsFile(file) as SweepResults;
}

/** As the sweep counts through them: the first key changes slowest. */
function inOrder(sweep: SweepResults['sweep'], points: readonly PointResults[]): PointResults[] {
  const place = ({ point }: PointResults) =>
    Object.entries(sweep).reduce((sum, [key, values]) => sum * values.length + values.indexOf(point[key]!), 0);
  return [...points].sort((a, b) => place(a) - place(b));
}

/** A line a run, the swept keys first. */
export function sweepCsv({ sweep, points }: SweepResults): string {
  const keys = Object.keys(sweep);
  return points
    .map(({ point, results }, index) => {
      const [head, ...lines] = resultsCsv(results).trimEnd().split('\n');
      const before = (values: readonly SweepValue[]) => `${csvLine(values.map(String)).trimEnd()},`;
      const own = lines.map((line) => `${before(keys.map((key) => point[key]!))}${line}\n`).join('');
      return index === 0 ? `${before(keys)}${head}\n${own}` : own;
    })
    .join('');
}
