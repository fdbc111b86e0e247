/** What unnumbered-ends.ts tells the process at the far ends of the unnumbered links and what that answers, one JSON value a line. */

export interface UnnumberedTask {
  /** The AS number at the first link; they count on. */
  readonly firstAs: number;
  /** Interfaces of its namespace. */
  readonly links: readonly string[];
  /** Seconds. */
  readonly holdTime: number;
  /** Prefixes that each announces, of this block. */
  readonly prefixes: number;
  readonly block: number;
}

export interface UnnumberedCommand {
  readonly kind: 'state';
}

export type UnnumberedAnswer =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'state';
      /** Sessions that are up, and prefixes that all of them were told of. */
      readonly established: number;
      readonly told: number;
      /** When the last of them came: milliseconds of CLOCK_MONOTONIC. */
      readonly establishedAt: number;
      readonly toldAt: number;
    };
