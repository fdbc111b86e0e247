/** What a lab needs of an implementation: start it on a node, ask it for its sessions, clean up after it. */
import type { Lab } from './lab.js';
import type { PlannedRouter } from './plan.js';

export interface SessionCount {
  readonly up: number;
  readonly total: number;
  /** One entry for each session that is not up: `to-spine2: idle, link has no carrier`. */
  readonly missing: readonly string[];
}

export interface RouterDriver {
  /** Resolves when the daemon takes input; its configuration is in the lab's folder as `config`. */
  start(lab: Lab, router: PlannedRouter, config: string): Promise<void>;
  sessions(lab: Lab, router: PlannedRouter): Promise<SessionCount>;
  /** Removes what it left outside the lab's folder. */
  clean(lab: Lab, router: PlannedRouter): void;
}

/** Counts one session per fabric port; `stateOf` says why one is not up, or `undefined` when it is. */
export function countSessions(
  router: PlannedRouter,
  problemOf: (index: number, port: string) => string | undefined,
): SessionCount {
  const problems = router.fabric.map((port, index) => ({ port, problem: problemOf(index, port.interface) }));
  const missing = problems.filter(({ problem }) => problem !== undefined);
  return {
    up: router.fabric.length - missing.length,
    total: router.fabric.length,
    missing: missing.map(({ port, problem }) => `${port.interface}: ${problem}`),
  };
}
