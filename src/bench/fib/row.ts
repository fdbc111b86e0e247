/** What a row is given, and what it is. */

import type { Measurement } from '../common/results.js';
import type { Ground } from './ground.js';
import type { Subject, SubjectOptions } from './subject.js';

export interface RowContext {
  readonly ground: Ground;
  /** heddle first. */
  readonly subjects: readonly Subject[];
  readonly round: number;
  /** Smaller tables, for a look. */
  readonly quick: boolean;
  report(measurement: Omit<Measurement, 'row'>): void;
  /** A progress line. */
  say(text: string): void;
  /** What could not be measured. */
  fail(text: string): void;
}

/** Measures one of them; what goes wrong with it is told, and the next one finds the stage as it was. */
export async function measureOne(
  { ground, fail }: RowContext,
  subject: Subject,
  { options, work }: { readonly options: SubjectOptions; readonly work: () => Promise<void> },
): Promise<void> {
  try {
    await ground.with(subject, options, work);
  } catch (error) {
    await ground.mend();
    fail(`${subject.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Measures everybody once. */
export type Row = (context: RowContext) => Promise<void>;
