/** A study that is run at several points: keys of its file with the values that each takes in turn, every combination of them. Pure. */
import { StudyProblem } from './study-problem.js';

export type SweepValue = string | number | boolean;

/** What the swept keys are at a point, by their paths (`workload.poisson.load`); empty where nothing is swept. */
export type SweepPoint = Readonly<Record<string, SweepValue>>;

/** Every combination; the first key changes slowest. Nothing swept is one point. */
export function sweepPoints(sweep: Readonly<Record<string, readonly SweepValue[]>>): SweepPoint[] {
  return Object.entries(sweep).reduce<SweepPoint[]>(
    (points, [key, values]) => points.flatMap((point) => values.map((value) => ({ ...point, [key]: value }))),
    [{}],
  );
}

/** A study file's value with the point's instead of its own. Throws StudyProblem for a path that leads through something without keys. */
export function withPoint(file: unknown, point: SweepPoint): unknown {
  const changed: unknown = structuredClone(file);
  for (const [path, value] of Object.entries(point)) put(changed, path, value);
  return changed;
}

/** A section that the file does not have is made. */
function put(file: unknown, path: string, value: SweepValue): void {
  const keys = path.split('.');
  let at = file;
  keys.forEach((key, index) => {
    if (!isObject(at)) {
      throw new StudyProblem(['sweep', path], `${keys.slice(0, index).join('.')} has no keys in it`, true);
    }
    if (index === keys.length - 1) at[key] = value;
    else at[key] ??= {};
    at = at[key];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** `load 50%, queue-pairs 4`; empty where nothing is swept. */
export function pointText(point: SweepPoint): string {
  return Object.entries(point)
    .map(([path, value]) => `${keyName(path)} ${value}`)
    .join(', ');
}

/** The last part of a path. */
function keyName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
