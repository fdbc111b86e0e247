/** A step by which congestion control raises a rate: so many bits per second, or a share of the line's rate, which grows with it. */

export type RateStep = { readonly rate: number } | { readonly ofLine: number };

/** Bits per second, of a line of so many. */
export function stepOf(step: RateStep, line: number): number {
  return 'rate' in step ? step.rate : step.ofLine * line;
}
