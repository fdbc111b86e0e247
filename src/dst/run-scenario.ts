/**
 * Runs a scenario: the fabric comes up, faults happen episode by episode, and after each it must become what it must be; at the end, with
 * all of them over, it must be as it was at first, and quiet. On virtual time the same scenario gives the same run, to the last octet sent.
 */
import { expectationOf } from './expectation.js';
import { describeFault, type Fault } from './fault.js';
import { inject } from './inject.js';
import type { Scenario } from './scenario.js';
import { SimulatedStage } from './simulated-stage.js';
import type { Stage } from './stage.js';
import { describe } from './testbed.js';
import { canBeDone } from './tools.js';
import type { Violation } from './violation.js';

export interface RunResult {
  readonly violations: readonly Violation[];
  /** Of everything that was sent. */
  readonly digest: string;
  readonly messages: number;
  readonly updates: number;
  /** Virtual milliseconds: of all, and the longest that the fabric took to become what it must after an episode. */
  readonly time: number;
  readonly slowest: number;
}

export async function runScenario(scenario: Scenario, trace?: (line: string) => void): Promise<RunResult> {
  const stage = new SimulatedStage(scenario, trace);
  const slowest = await runOn(stage);
  const { violations, digest, ledger, now } = stage.bed;
  const { messages, value } = digest;
  return { violations, digest: value, messages, updates: ledger.updates, time: now, slowest };
}

/** Resolves with the longest that it took after an episode; what is violated the stage has been told. */
export function runOn(stage: Stage): Promise<number> {
  return new ScenarioRun(stage).run();
}

class ScenarioRun {
  private slowest = 0;

  constructor(private readonly stage: Stage) {}

  async run(): Promise<number> {
    await this.guarded(() => this.play());
    await this.guarded(() => this.stage.stop());
    return this.slowest;
  }

  private async play(): Promise<void> {
    const { stage } = this;
    const { raise } = stage.scenario.fabric;
    await stage.start();
    await this.settle(raise + stage.pace.cold);
    if (raise === 0) for (const violation of await stage.firstTries()) stage.found(violation);
    await stage.measure();
    for (const [index, faults] of stage.scenario.episodes.entries()) {
      if (stage.violations.length > 0) return;
      stage.say(`episode ${index + 1}`);
      await this.episode(faults.filter((fault) => canBeDone(stage.tools, fault)));
    }
    if (stage.violations.length === 0) await this.end();
  }

  private async episode(faults: readonly Fault[]): Promise<void> {
    const { stage } = this;
    const start = stage.now;
    const held: (() => void)[] = [];
    let end = start;
    for (const fault of faults) {
      const { at, lasting, ...what } = fault;
      stage.schedule(start + at, () => {
        stage.say(`BEGIN ${describeFault(fault)}`);
        const undo = this.tried(() => inject(stage, what));
        const over = () => {
          stage.say(`END ${describeFault(fault)}`);
          this.tried(() => undo?.());
        };
        if (lasting === 'judged') held.push(over);
        else stage.schedule(start + at + lasting, over);
      });
      end = Math.max(end, start + at + (lasting === 'judged' ? 0 : lasting));
    }
    while (stage.now < end) {
      await stage.pass(Math.min(stage.pace.look, end - stage.now + 1));
      await stage.look();
    }
    await this.settle();
    for (const over of held) over();
    if (held.length > 0 && stage.violations.length === 0) await this.settle();
  }

  private tried<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.failed(error));
  }

  private failed(error: unknown): void {
    this.stage.found({ invariant: 'no-exception', place: 'fabric', detail: describe(error) });
  }

  /** Waits until all is as it must be; what is not after the limit is found. */
  private async settle(limit = this.stage.pace.limit): Promise<void> {
    const { stage } = this;
    const start = stage.now;
    let { mishearings } = stage.intent;
    let expected = expectationOf(stage.intent);
    let wrong: readonly Violation[] = [];
    do {
      await stage.pass(stage.pace.judge);
      await stage.look();
      if (mishearings !== stage.intent.mishearings) {
        ({ mishearings } = stage.intent);
        expected = expectationOf(stage.intent);
      }
      wrong = await stage.judge(expected, false);
    } while (wrong.length > 0 && stage.now - start < limit && stage.violations.length === 0);
    stage.say(`settled after ${Math.round(stage.now - start)} ms`);
    this.slowest = Math.max(this.slowest, stage.now - start);
    for (const violation of wrong.length > 0 ? await stage.judge(expected, true) : []) stage.found(violation);
  }

  /** All faults are over: quiet once, and of the size that it had at first. */
  private async end(): Promise<void> {
    const { stage } = this;
    const start = stage.now;
    const expected = expectationOf(stage.intent);
    let wrong: readonly Violation[] = [];
    do {
      wrong = await stage.quietly(expected);
      if (wrong[0]) stage.say(`not quiet, or not as at first: ${wrong[0].place}: ${wrong[0].detail}`);
    } while (wrong.length > 0 && stage.now - start < stage.pace.limit && stage.violations.length === 0);
    for (const violation of wrong) stage.found(violation);
  }
}
