/** One who is measured: what the benchmark asks of it, whoever it is. */
import type { TableFamily } from './path-attributes.js';

export interface RouterSetup {
  readonly family: TableFamily;
  /** Sessions, numbered from 1. */
  readonly sessions: number;
  /** Everything is told to everybody; otherwise nothing to anybody. */
  readonly exports: boolean;
  /** Seconds. */
  readonly holdTime: number;
}

export interface Subject {
  readonly name: string;
  /** With what it was told, in words, for the report. */
  readonly version: string;
  /** Resolves when it takes sessions. */
  start(setup: RouterSetup): Promise<void>;
  stop(): Promise<void>;
  /** Of its processes that run. */
  pids(): readonly number[];
  /** Prefixes that it has selected a path for. */
  prefixes(): Promise<number>;
}
