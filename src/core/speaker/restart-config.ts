/** How a speaker behaves when it or a neighbour restarts (RFC 4724, RFC 9494). */

export interface RestartHelperConfig {
  /** Seconds for which stale paths are kept at most, whatever the neighbour asks for. */
  readonly longest: number;
  /** The same for long-lived stale paths after that; 0 keeps none. */
  readonly longLived: number;
}

export interface RestarterConfig {
  /** Seconds within which we mean to be back. */
  readonly restartTime: number;
  /** Seconds for which neighbours that can may keep our paths after that; 0 for no time. */
  readonly longLived: number;
  /** Seconds after the start at which routes are selected although not all neighbours have sent theirs. */
  readonly selectionDeferral: number;
}
