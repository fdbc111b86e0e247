/** What probe.ts tells its two processes and what they answer, one JSON value a line. */
import type { FlowReport, Mark } from './probe-report.js';

export interface ProbeFlow {
  readonly name: string;
  readonly source: string;
  readonly destination: string;
  /** UDP port of the receiver. */
  readonly port: number;
  /** Of so many intervals it gets a datagram in one; default 1. */
  readonly every?: number;
}

/** Datagrams of a flow that follow each other, and milliseconds of silence between such bursts. */
export interface ProbeBurst {
  readonly datagrams: number;
  readonly pause: number;
}

export type ProbeTask =
  | {
      readonly kind: 'receive' | 'send';
      readonly flows: readonly ProbeFlow[];
      readonly interval: number;
      readonly burst?: ProbeBurst;
      readonly spread?: boolean;
    }
  | {
      readonly kind: 'burst';
      readonly flow: ProbeFlow;
      readonly count: number;
      readonly ports: number;
      readonly sourcePort?: number;
    };

/** Stops what runs; a burst starts on it. */
export interface ProbeCommand {
  /** Datagrams sent, by flow. */
  readonly sent: readonly number[];
  readonly stoppedAt: number;
  readonly marks: readonly Mark[];
}

export type ProbeAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'sent'; readonly sent: readonly number[]; readonly stoppedAt: number }
  | { readonly kind: 'reports'; readonly reports: readonly FlowReport[] };
