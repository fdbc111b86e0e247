/** One who is measured: what the benchmark asks of it, whoever it is. */

import type { TableFamily } from './path-attributes.js';
import type { SessionEnd } from './plan.js';
import type { Workload } from './workloads.js';

export interface RouterSetup {
  /** Of the tables. */
  readonly family: TableFamily;
  /** The other ends. */
  readonly ends: readonly SessionEnd[];
  /** Interfaces with unnumbered sessions, beside those. */
  readonly links: readonly string[];
  /** Everything is told to everybody; otherwise nothing to anybody. */
  readonly exports: boolean;
  /** Seconds. */
  readonly holdTime: number;
  /** Routes are put into the kernel. */
  readonly kernel: boolean;
  /** What came in is kept as it came, so that a policy can be changed. */
  readonly changeable: boolean;
}

/** What not everybody can do. */
export type Ability = 'kernel' | 'discovery';

export interface Subject {
  readonly name: string;
  /** With what it was told, in words, for the report. */
  readonly version: string;
  /** Where it is measured; everywhere without. */
  readonly fits?: (workload: Workload) => boolean;
  /** Why it has not got an ability. */
  readonly lacks?: Readonly<Partial<Record<Ability, string>>>;
  /** Resolves when it takes sessions. */
  start(setup: RouterSetup): Promise<void>;
  /** Ends it, and what it left in the kernel. */
  stop(): Promise<void>;
  /** Of its processes that run. */
  pids(): readonly number[];
  /** Prefixes of the tables' family that it has selected a path for. */
  prefixes(): Promise<number>;
  /** From now on every route that comes in, and that came in, gets a community; resolves when it has been told so. */
  changePolicy(): Promise<void>;
}
