/** Randomness as a port, so that a seed reproduces a run. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}
