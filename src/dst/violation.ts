/** What must hold of a fabric, by name, and what was seen that does not. */
export const INVARIANTS = [
  'sessions',
  'selection',
  'forwarding',
  'agreement',
  'no-blackhole',
  'no-loop',
  'told-is-known',
  'told-once',
  'told-rightly',
  'memory',
  'quiet',
  'no-exception',
] as const;
export type Invariant = (typeof INVARIANTS)[number];

export interface Violation {
  readonly invariant: Invariant;
  /** Router, or router and prefix. */
  readonly place: string;
  readonly detail: string;
}
