/** One who is measured: what a row asks of it, whoever it is. */
import type { Uplink } from './plan.js';

export interface SubjectOptions {
  /** Spines that it has sessions with. */
  readonly uplinks: readonly Uplink[];
  /** Forwarding goes on while it restarts; by its own means. */
  readonly gracefulRestart?: boolean;
  /** Of heddle's load balancing. */
  readonly balancing?: 'flowlet' | 'adaptive';
  /** Of heddle: its eBPF plane, with these settings. */
  readonly ebpf?: { readonly mode: 'flowlet' | 'per-packet'; readonly inactivity?: number };
}

export type RestartKind = 'stop' | 'kill';

export interface Subject {
  readonly name: string;
  /** With what it was told, in words, for the report. */
  readonly version: string;
  /** Resolves when it takes sessions. */
  start(options: SubjectOptions): Promise<void>;
  /** Ends it, without grace, and what it left in the kernel. */
  stop(): Promise<void>;
  /** Of its processes that run. */
  pids(): readonly number[];
  /** Stops it as its operator would for a restart, or kills it; and starts it again. */
  restart(kind: RestartKind): Promise<void>;
}
