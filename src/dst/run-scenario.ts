/**
 * Runs a scenario: the fabric comes up, faults happen episode by episode, and after each it must become what it must be; at the end, with
 * all of them over, it must be as it was at first, and quiet. The same scenario gives the same run, to the last octet sent.
 */
import { type Expectation, expectationOf } from './expectation.js';
import { describeFault, type Fault } from './fault.js';
import { inject } from './inject.js';
import { agreement } from './invariants/agreement.js';
import { blackholes } from './invariants/blackholes.js';
import { forwarding } from './invariants/forwarding.js';
import { LoopWatch } from './invariants/loops.js';
import { type Levels, levelsOf, memory } from './invariants/memory.js';
import { QuietWatch } from './invariants/quiet.js';
import { selection } from './invariants/selection.js';
import { firstTries, sessions } from './invariants/sessions.js';
import { told } from './invariants/told.js';
import type { Scenario } from './scenario.js';
import { describe, Testbed } from './testbed.js';
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

/** Milliseconds between two looks for loops, and two judgements. */
const LOOK = 1000;
const JUDGE = 2000;
/** In which a fabric must be what it must: a neighbour that went silent lives for 30 s, leftovers of a restart for 30 s on top. */
const LIMIT = 120_000;
/** The same from cold, once the links are up. */
const COLD_LIMIT = 6000;
/** For which it must be quiet at the end. */
const QUIET = 11_000;

export async function runScenario(scenario: Scenario, trace?: (line: string) => void): Promise<RunResult> {
  const run = new ScenarioRun(new Testbed(scenario, trace));
  return run.run();
}

class ScenarioRun {
  private readonly loops: LoopWatch;
  private slowest = 0;

  constructor(private readonly bed: Testbed) {
    this.loops = new LoopWatch(bed);
  }

  async run(): Promise<RunResult> {
    const { bed } = this;
    try {
      await this.comeUp();
      const levels = levelsOf(bed);
      for (const [index, faults] of bed.scenario.episodes.entries()) {
        if (bed.violations.length > 0) break;
        bed.say(`episode ${index + 1}`);
        await this.episode(faults);
      }
      if (bed.violations.length === 0) await this.end(levels);
      await this.stop();
    } catch (error) {
      bed.found({ invariant: 'no-exception', place: 'fabric', detail: describe(error) });
    }
    const { violations, digest, ledger } = bed;
    const { messages, value } = digest;
    return { violations, digest: value, messages, updates: ledger.updates, time: bed.now, slowest: this.slowest };
  }

  private async comeUp(): Promise<void> {
    const { fabric, scenario, plan, random } = this.bed;
    await fabric.start();
    if (scenario.fabric.raise === 0) fabric.raiseLinks();
    else
      for (const { a, b } of plan.links)
        for (const end of [a, b]) {
          const link = fabric.node(end.node).links.byName(end.interface)!;
          fabric.clock.schedule(random.next() * scenario.fabric.raise, () => link.setAdmin(true));
        }
    await this.settle(scenario.fabric.raise + COLD_LIMIT);
    if (scenario.fabric.raise === 0) for (const violation of firstTries(this.bed)) this.bed.found(violation);
  }

  private async episode(faults: readonly Fault[]): Promise<void> {
    const { bed } = this;
    const { clock } = bed.fabric;
    const start = bed.now;
    const held: (() => void)[] = [];
    let end = start;
    for (const fault of faults) {
      const { at, lasting, ...what } = fault;
      clock.schedule(start + at, () => {
        bed.say(`BEGIN ${describeFault(fault)}`);
        const undo = this.guarded(() => inject(bed, what));
        const over = () => {
          bed.say(`END ${describeFault(fault)}`);
          this.guarded(() => undo?.());
        };
        if (lasting === 'judged') held.push(over);
        else clock.schedule(start + at + lasting, over);
      });
      end = Math.max(end, start + at + (lasting === 'judged' ? 0 : lasting));
    }
    while (bed.now < end) {
      await bed.pass(Math.min(LOOK, end - bed.now + 1));
      this.loops.look();
    }
    await this.settle();
    for (const over of held) over();
    if (held.length > 0 && bed.violations.length === 0) await this.settle();
  }

  private guarded<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.bed.found({ invariant: 'no-exception', place: 'fabric', detail: describe(error) });
      return undefined;
    }
  }

  /** Waits until all is as it must be; what is not after the limit is found. */
  private async settle(limit = LIMIT): Promise<void> {
    const { bed } = this;
    const start = bed.now;
    const expected = expectationOf(bed);
    let wrong: readonly Violation[] = [];
    do {
      await bed.pass(JUDGE);
      this.loops.look();
      wrong = await this.judge(expected);
    } while (wrong.length > 0 && bed.now - start < limit && bed.violations.length === 0);
    bed.say(`settled after ${bed.now - start} ms`);
    this.slowest = Math.max(this.slowest, bed.now - start);
    for (const violation of wrong.length > 0 ? await this.judge(expected, true) : []) bed.found(violation);
  }

  /** By the cheapest first; not all are asked where one is violated and the fabric may only need more time. */
  private async judge(expected: Expectation, all = false): Promise<readonly Violation[]> {
    const { bed } = this;
    const inOrder = [
      () => sessions(bed, expected),
      () => selection(bed, expected),
      () => told(bed),
      () => agreement(bed),
      () => forwarding(bed, expected),
      () => blackholes(bed, expected),
    ];
    const wrong: Violation[] = [];
    for (const invariant of inOrder) {
      wrong.push(...(await invariant()));
      if (wrong.length > 0 && !all) break;
    }
    return wrong;
  }

  /** All faults are over: quiet once, and of the size that it had at first. */
  private async end(levels: Levels): Promise<void> {
    const { bed } = this;
    const start = bed.now;
    const expected = expectationOf(bed);
    let wrong: readonly Violation[] = [];
    do {
      const watch = new QuietWatch(bed);
      bed.listener = watch;
      await bed.pass(QUIET);
      wrong = [
        ...(await this.judge(expected, true)),
        ...(bed.scenario.fabric.balancing ? [] : watch.violations()),
        ...memory(bed, levels),
      ];
    } while (wrong.length > 0 && bed.now - start < LIMIT && bed.violations.length === 0);
    bed.listener = undefined;
    for (const violation of wrong) bed.found(violation);
  }

  private async stop(): Promise<void> {
    await this.bed.fabric.stop();
  }
}
