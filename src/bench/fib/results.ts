/** Everything that was measured, by row, figure and who. Pure. */
import { type Spread, spreadOf } from '../common/statistics.js';

export const ROWS = ['a', 'b', 'c', 'd', 'e'] as const;
export type RowName = (typeof ROWS)[number];

export const ROW_TITLES: Readonly<Record<RowName, string>> = {
  a: "the leaf's own link goes down",
  b: "the spine's link to the far leaf goes down",
  c: '100,000 IPv6 routes from one peer, first UPDATE octet to last kernel route',
  d: 'restart of the daemon under traffic, 10,000 prefixes',
  e: '16 bursty UDP flows over the 3 rate-limited links that are left',
};

export interface Measurement {
  readonly row: RowName;
  /** `gap, 1,000 prefixes, ms`. */
  readonly figure: string;
  readonly subject: string;
  readonly value: number;
}

export class Results {
  /** What could not be measured, and why. */
  readonly failures: string[] = [];
  private readonly measurements: Measurement[] = [];

  add(measurement: Measurement): void {
    this.measurements.push(measurement);
  }

  get rows(): readonly RowName[] {
    return ROWS.filter((row) => this.measurements.some((one) => one.row === row));
  }

  /** In the order they were first measured. */
  figures(row: RowName): readonly string[] {
    return unique(this.measurements.filter((one) => one.row === row).map(({ figure }) => figure));
  }

  subjects(row: RowName): readonly string[] {
    return unique(this.measurements.filter((one) => one.row === row).map(({ subject }) => subject));
  }

  spread(row: RowName, figure: string, subject: string): Spread | undefined {
    const values = this.measurements.filter(
      (one) => one.row === row && one.figure === figure && one.subject === subject,
    );
    return values.length === 0 ? undefined : spreadOf(values.map(({ value }) => value));
  }

  median(row: RowName, figure: string, subject: string): number | undefined {
    return this.spread(row, figure, subject)?.median;
  }
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
