/** The time that a run may take: no row of a later round is begun that is likely to end after it. Pure. */
import type { RowName } from './rows.js';

/** Seconds. */
const LIMIT = 530;
/** Rounds that tell enough of rows whose figures hardly differ, or that take long. */
const MOST_ROUNDS: Partial<Record<RowName, number>> = { d: 2, e: 2 };

export class Budget {
  readonly minutes = Math.ceil(LIMIT / 60);
  private readonly longest = new Map<RowName, number>();
  private readonly counts = new Map<RowName, number>();

  /** `clock` tells the seconds since the start of the run. */
  constructor(private readonly clock: () => number) {}

  get elapsed(): number {
    return this.clock();
  }

  /** How often the row was measured. */
  rounds(row: RowName): number {
    return this.counts.get(row) ?? 0;
  }

  hasTimeFor(row: RowName): boolean {
    const rounds = this.rounds(row);
    if (rounds === 0) return true;
    return rounds < (MOST_ROUNDS[row] ?? Number.POSITIVE_INFINITY) && this.elapsed + this.longest.get(row)! <= LIMIT;
  }

  async spend(row: RowName, work: () => Promise<void>): Promise<void> {
    const start = this.elapsed;
    await work();
    this.longest.set(row, Math.max(this.longest.get(row) ?? 0, this.elapsed - start));
    this.counts.set(row, this.rounds(row) + 1);
  }
}
