/** What a row is given, and what it is. */
import type { Ground } from './ground.js';
import type { Measurement } from './results.js';
import type { Subject } from './subject.js';

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
}

/** Measures everybody once. */
export type Row = (context: RowContext) => Promise<void>;
