/** What a scenario is played on: a fabric on virtual time (simulated-stage.ts), or one of daemons in network namespaces (real/real-stage.ts). */
import type { Expectation } from './expectation.js';
import type { Intent } from './intent.js';
import type { Scenario } from './scenario.js';
import type { Tools } from './tools.js';
import type { Violation } from './violation.js';

/** Milliseconds. */
export interface Pace {
  /** Between two looks at what must hold always, and between two judgements. */
  readonly look: number;
  readonly judge: number;
  /** In which it must be what it must from cold, once the links are up. */
  readonly cold: number;
  /** After an episode: a neighbour that went silent lives for 30 s, leftovers of a restart for 30 s on top. */
  readonly limit: number;
}

export interface Stage {
  readonly scenario: Scenario;
  readonly intent: Intent;
  readonly tools: Tools;
  readonly pace: Pace;
  /** Found so far, whatever the moment. */
  readonly violations: readonly Violation[];
  /** Milliseconds. */
  readonly now: number;
  /** All routers, and the links as the scenario has it. */
  start(): Promise<void>;
  /** Has that done at a time. */
  schedule(time: number, work: () => void): void;
  pass(milliseconds: number): Promise<void>;
  /** Does that to a router when what was asked for before is done. */
  afterwards(router: string, work: () => Promise<void> | void): void;
  /** At what must hold all the time. */
  look(): Promise<void> | void;
  /** What is not as it must be; the first that is found, or `all`. */
  judge(expected: Expectation, all: boolean): Promise<readonly Violation[]>;
  /** Right after a start of all at once. */
  firstTries(): Promise<readonly Violation[]> | readonly Violation[];
  /** How much there is of everything, at first. */
  measure(): Promise<void> | void;
  /** Lets some time pass in which it must be quiet, then judges all, with its size. */
  quietly(expected: Expectation): Promise<readonly Violation[]>;
  found(violation: Violation): void;
  say(line: string): void;
  stop(): Promise<void>;
}
