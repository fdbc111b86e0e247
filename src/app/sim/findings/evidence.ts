/** What findings are made from, and what they are. Pure. */
import type { RunResult } from '../../../simulator/results/run-result.js';

/** What hosts and switches did about loss and congestion. */
export interface Transport {
  readonly reliability: 'go-back-n' | 'irn' | 'placing';
  readonly congestion: string;
  readonly pfc: boolean;
}

/** Flows that start within count, simulated microseconds. */
export interface MeasuredPart {
  readonly from: number;
  readonly until?: number;
}

/** All runs of a scheme. */
export interface Evidence {
  readonly scheme: string;
  readonly runs: readonly RunResult[];
  readonly transport: Transport;
  /** Simulated microseconds after which a run was ended. */
  readonly limit: number;
  readonly measure?: MeasuredPart;
}

export type FindingKind =
  | 'verdict'
  | 'unfinished'
  | 'unmeasured'
  | 'sent-again'
  | 'losses'
  | 'uneven-links'
  | 'even-links'
  | 'pauses'
  | 'congestion'
  | 'few-flowlets'
  | 'herd'
  | 'fallback'
  | 'reorder-queues'
  | 'paths-unknown';

/** Something that the measurements show and that explains them, in words and with the numbers in the words. */
export interface Finding {
  /** Left out: of all schemes together. */
  readonly scheme?: string;
  readonly kind: FindingKind;
  readonly text: string;
  readonly values: Readonly<Record<string, number>>;
}

/** A finding of a scheme, or none where its threshold is not met. */
export type Finder = (evidence: Evidence) => Finding | undefined;

export function total(runs: readonly RunResult[], of: (run: RunResult) => number): number {
  return runs.reduce((sum, run) => sum + of(run), 0);
}

/** A counter of the scheme's own, over all runs. */
export function ofScheme({ runs }: Evidence, counter: string): number {
  return total(runs, (run) => run.ofScheme[counter] ?? 0);
}

/** The scheme without its options: `conga` of `conga bits=4`. */
export function schemeName({ scheme }: Evidence): string {
  return scheme.split(' ')[0]!;
}

export function percent(share: number): string {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return 'less than 0.1 %';
  return `${Number(value.toFixed(value >= 10 ? 0 : 1))} %`;
}

export function factor(value: number): string {
  return String(Number(value.toFixed(value < 1.05 ? 3 : value < 10 ? 2 : 0)));
}

/** A count over all runs, said of one: `12 packets`, `1 packet`, or `12 packets a run` where there are several. `what` is the plural. */
export function aRun(count: number, what: string, { runs }: Evidence): string {
  if (runs.length === 1) return `${grouped(count)} ${count === 1 ? what.replace(/s$/, '') : what}`;
  const mean = count / runs.length;
  return `${grouped(mean >= 10 ? Math.round(mean) : Number(mean.toFixed(1)))} ${what} a run`;
}

/** `12 answers were lost`, `1 answer was lost`. */
export function lostInARun(count: number, what: string, evidence: Evidence): string {
  const one = evidence.runs.length === 1 && count === 1;
  return `${aRun(count, what, evidence)} ${one ? 'was' : 'were'} lost`;
}

/** `12,345`. */
export function grouped(value: number): string {
  const [whole, decimals] = String(value).split('.');
  const text = whole!.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
  return decimals === undefined ? text : `${text}.${decimals}`;
}
