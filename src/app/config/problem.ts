/** What is wrong with a configuration file, as data: where in the document, and a sentence for people. */

/** Keys and list indices from the top of the document. */
export type FieldPath = readonly (string | number)[];

export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly path: FieldPath;
  /** Points at the key itself, not at its value. */
  readonly atKey?: boolean;
  readonly message: string;
}

export interface LocatedProblem {
  readonly severity: 'error' | 'warning';
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** `fabric.to-spine1.accept-remote-as[0]`; empty for the document. */
export function formatFieldPath(path: FieldPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

/** `leaf1.yaml:7:5: fabric.to-spine1.colour: expected ..., found ...`, one line. */
export function formatProblem(file: string, problem: LocatedProblem): string {
  const label = problem.severity === 'warning' ? 'warning: ' : '';
  return `${file}:${problem.line}:${problem.column}: ${label}${problem.message}`;
}
