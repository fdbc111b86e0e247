/** Which of a prefix's eligible paths a session with path identifiers (RFC 7911) is told. */

/** All of them; those equal to the best one; or so many, in the order of the decision. */
export type PathSelection = 'all' | 'multipath' | { readonly best: number };

export interface PathQuestion {
  readonly selection: PathSelection;
  /** Session mode: only paths of this colour, and those of none. */
  readonly colour?: number | undefined;
}
