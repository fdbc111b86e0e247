/** Small studies for tests, without files, and all their runs. */
import type { z } from 'zod';
import { runStudy, type TimedRun } from './run-study.js';
import { type Study, studyOf } from './study.js';
import { studySchema } from './study-schema.js';

export type StudyInput = z.input<typeof studySchema>;

/** Four leaves with four hosts each, four spines, 1:1. */
export const SMALL_FABRIC = {
  'leaf-spine': { leaves: 4, spines: 4, 'hosts-per-leaf': 4, 'host-rate': '100G', 'uplink-rate': '100G', delay: '1us' },
} as const;

export function studyFrom(input: Partial<StudyInput>): Study {
  const whole = {
    name: 'a study',
    topology: SMALL_FABRIC,
    workload: { permutation: { octets: '1MB', stride: 4 } },
    schemes: ['ecmp'],
    ...input,
  };
  return studyOf(studySchema.parse(whole), 'study.yaml');
}

/** Seeds first, as `heddle sim compare` runs them. */
export async function runsOf(study: Study, flows = false): Promise<TimedRun[]> {
  const runs: TimedRun[] = [];
  for (const seed of study.seeds) {
    for (const scheme of study.schemes) runs.push(await runStudy(study, scheme, seed, { flows }));
  }
  return runs;
}
