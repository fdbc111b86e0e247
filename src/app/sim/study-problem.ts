/** What is wrong with a study beyond the form of its file, with the key that it is wrong at: whoever has the file says where that is. */
import { SimulationInputError } from '../../simulator/input-error.js';
import type { FieldPath, Problem } from '../config/problem.js';

export class StudyProblem extends SimulationInputError {
  readonly problem: Problem;

  constructor(path: FieldPath, message: string, atKey = false) {
    super(message);
    this.problem = { severity: 'error', path, message, atKey };
  }
}

/** What a part of the simulator refuses is refused at this key of the study. */
export function atKey<T>(path: FieldPath, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SimulationInputError) || error instanceof StudyProblem) throw error;
    throw new StudyProblem(path, error.message);
  }
}
