/** A study as values, from its file: the fabric is built, schemes and their options are known. What is wrong is said before anything runs. */
import { dirname, resolve } from 'node:path';
import { SimulationInputError } from '../../simulator/input-error.js';
import type { Topology } from '../../simulator/network/topology.js';
import { formatFieldPath, type Problem } from '../config/problem.js';
import type { Profile } from './profiles.js';
import { formatTime } from './quantities.js';
import { type FabricFailure, failuresOf } from './study-failures.js';
import { StudyProblem } from './study-problem.js';
import { changedKeys, profileOf } from './study-profile.js';
import { type StudyFile, studySchema } from './study-schema.js';
import { type ChosenScheme, schemesOf } from './study-schemes.js';
import { topologyOf } from './study-topology.js';
import type { SweepPoint } from './sweep.js';

export interface Study {
  readonly file: StudyFile;
  /** Which of the study's points it is, where it sweeps. */
  readonly point: SweepPoint;
  readonly folder: string;
  readonly topology: Topology;
  readonly profile: Profile;
  /** The keys of hosts and switches that are not the profile's own. */
  readonly changed: readonly string[];
  readonly schemes: readonly ChosenScheme[];
  readonly seeds: readonly number[];
  readonly failures: readonly FabricFailure[];
  /** A problem as a line for people: where it is in the file, and what. */
  readonly locate: (problem: Problem) => string;
}

/** Without the text of the file there is no line, only the key. */
const byKey = ({ path, message }: Problem) => `${formatFieldPath(path)}: ${message}`;

interface StudyOptions {
  readonly locate?: Study['locate'];
  /** Names of the schemes that are wanted; left out: those of the file. */
  readonly only?: readonly string[] | undefined;
}

/** Throws StudyProblem, or SimulationInputError for `only`. `path` is the study file's; what it names lies beside it. */
export function studyOf(file: StudyFile, path: string, { locate = byKey, only }: StudyOptions = {}): Study {
  requireOne('topology', file.topology);
  requireOne('workload', file.workload);
  requireFlows(file);
  const folder = dirname(resolve(path));
  const topology = topologyOf(file, folder);
  return {
    file,
    point: {},
    folder,
    topology,
    profile: profileOf(file, topology),
    changed: changedKeys(file),
    schemes: schemesOf(file, topology, only),
    seeds: typeof file.seeds === 'number' ? Array.from({ length: file.seeds }, (_, index) => index + 1) : file.seeds,
    failures: failuresOf(file, topology),
    locate,
  };
}

/** What `work` refuses, as a line that says where in the study's file. Throws SimulationInputError. */
export function located<T>(study: Study, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StudyProblem) throw new SimulationInputError(study.locate(error.problem));
    throw error;
  }
}

/** Throws when a section that is a choice has none, or several. */
function requireOne(section: 'topology' | 'workload', value: object): void {
  const given = Object.entries(value).filter(([, one]) => one !== undefined);
  if (given.length === 1) return;
  const known = Object.keys(studySchema.shape[section].shape).join(', ');
  const found = given.length === 0 ? 'none' : given.map(([key]) => key).join(', ');
  throw new StudyProblem([section], `expected one of ${known}; found ${found}`);
}

/** A part of the run is measured by the flows that start in it. */
function requireFlows({ measure, workload, background, limit }: StudyFile): void {
  if (!measure) return;
  if (measure.until !== undefined && measure.until <= measure.from) {
    throw new StudyProblem(['measure', 'until'], 'expected a time after from');
  }
  if (measure.from >= limit) {
    throw new StudyProblem(['measure', 'from'], `expected a time before the study's limit of ${formatTime(limit)}`);
  }
  if ((workload.collective || workload.training) && !background) {
    throw new StudyProblem(
      ['measure'],
      'a collective or a training job has no flows that arrive; it is timed as a whole',
      true,
    );
  }
}
