/** A study file from disk, with errors that name file, line and field. */
import { z } from 'zod';
import { keyPlaces, knownKeys } from '../config/known-keys.js';
import { formatProblem, type LocatedProblem } from '../config/problem.js';
import { ConfigError, readText } from '../config/read-text.js';
import { schemaProblems } from '../config/schema-problems.js';
import { parseYaml, type YamlSource } from '../config/yaml-source.js';
import { type Study, studyOf } from './study.js';
import { studyMessage } from './study-messages.js';
import { StudyProblem } from './study-problem.js';
import { type StudyFile, studySchema } from './study-schema.js';
import { pointText, type SweepPoint, sweepPoints, withPoint } from './sweep.js';

/**
 * The study, and of one that sweeps its first point. Throws ConfigError with everything that is wrong with its form, or with the first thing that cannot
 * be.
 */
export function readStudy(path: string): Study {
  return readSweep(path)[0]!;
}

/**
 * The study at each point of its sweep; once where it has none. `only`: with these schemes instead of all that the file has. Throws ConfigError for the
 * file, SimulationInputError for `only`.
 */
export function readSweep(path: string, only?: readonly string[]): readonly Study[] {
  const source = parseYaml(readText(path));
  const broken = source.problems.filter(({ severity }) => severity === 'error');
  if (broken.length > 0) throw new ConfigError(broken.map((problem) => formatProblem(path, problem)));
  const { sweep } = parsedStudy(source.value, { source, path, where: '' });
  return sweepPoints(sweep).map((point) => studyAt(point, { source, path, where: pointText(point) }, only));
}

function studyAt(point: SweepPoint, place: Place, only: readonly string[] | undefined): Study {
  const { source, path } = place;
  try {
    const file = parsedStudy(withPoint(source.value, point), place);
    const locate: Study['locate'] = (problem) => lineOf(source.locate(problem), place);
    return { ...studyOf(file, path, { locate, only }), point };
  } catch (error) {
    if (error instanceof StudyProblem) throw new ConfigError([lineOf(source.locate(error.problem), place)]);
    throw error;
  }
}

interface Place {
  readonly source: YamlSource;
  readonly path: string;
  /** The point of a sweep, in words. */
  readonly where: string;
}

function lineOf(problem: LocatedProblem, { path, where }: Place): string {
  return `${formatProblem(path, problem)}${where === '' ? '' : ` (sweep: at ${where})`}`;
}

function parsedStudy(value: unknown, place: Place): StudyFile {
  const parsed = studySchema.safeParse(value, { error: studyMessage });
  if (parsed.success) return parsed.data;
  const schema = studyJsonSchema();
  const problems = schemaProblems(parsed.error.issues, value, {
    known: (field) => knownKeys(schema, field),
    places: (key) => keyPlaces(schema, key),
  });
  const located = problems.map(place.source.locate).sort((a, b) => a.line - b.line || a.column - b.column);
  throw new ConfigError(located.map((problem) => lineOf(problem, place)));
}

/** JSON Schema (draft 2020-12) of the study file, for editors. */
export function studyJsonSchema(): object {
  return z.toJSONSchema(studySchema, { io: 'input' });
}
