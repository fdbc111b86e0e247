/** Everything that was measured, by row of the benchmark, figure and who. Pure. */
import { type Spread, spreadOf } from './statistics.js';

export interface Measurement<Row extends string = string> {
  readonly row: Row;
  /** `gap, 1,000 prefixes, ms`. */
  readonly figure: string;
  readonly subject: string;
  readonly value: number;
  /** It was not over by then. */
  readonly atLeast?: boolean;
}

export class Results<Row extends string = string> {
  private readonly measurements: Measurement<Row>[] = [];

  add(measurement: Measurement<Row>): void {
    this.measurements.push(measurement);
  }

  /** Here and below: in the order they were first measured. */
  get rows(): readonly Row[] {
    return unique(this.measurements.map(({ row }) => row));
  }

  figures(row: Row): readonly string[] {
    return unique(this.measurements.filter((one) => one.row === row).map(({ figure }) => figure));
  }

  subjects(row: Row): readonly string[] {
    return unique(this.measurements.filter((one) => one.row === row).map(({ subject }) => subject));
  }

  spread(row: Row, figure: string, subject: string): Spread | undefined {
    const values = this.measurements.filter(
      (one) => one.row === row && one.figure === figure && one.subject === subject,
    );
    if (values.length === 0) return undefined;
    const atLeast = values.some((one) => one.atLeast);
    return { ...spreadOf(values.map(({ value }) => value)), ...(atLeast && { atLeast }) };
  }

  median(row: Row, figure: string, subject: string): number | undefined {
    return this.spread(row, figure, subject)?.median;
  }
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}
