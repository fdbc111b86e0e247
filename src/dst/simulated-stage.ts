/** A scenario's fabric on virtual time, in this process: everything can be done to it, and everything of it be looked at. */
import type { Expectation } from './expectation.js';
import { agreement } from './invariants/agreement.js';
import { blackholes } from './invariants/blackholes.js';
import { forwarding } from './invariants/forwarding.js';
import { KnownPaths } from './invariants/known-paths.js';
import { LoopWatch, loopsOf } from './invariants/loops.js';
import { type Levels, levelsOf, memory } from './invariants/memory.js';
import { QuietWatch } from './invariants/quiet.js';
import { selection } from './invariants/selection.js';
import { firstTries, sessions } from './invariants/sessions.js';
import { told } from './invariants/told.js';
import type { Scenario } from './scenario.js';
import { SimulatedTools } from './simulated-tools.js';
import type { Stage } from './stage.js';
import { Testbed } from './testbed.js';
import type { Violation } from './violation.js';
import { type NextRouters, nextRouters, stateOfForwarding } from './walk.js';

/** Milliseconds for which it must be quiet at the end. */
const QUIET = 11_000;
/** Milliseconds that a loop may last: withdrawals cross the fabric in less, also when its routers are busy. */
const LONGEST_LOOP = 2000;

export class SimulatedStage implements Stage {
  readonly bed: Testbed;
  readonly tools: SimulatedTools;
  readonly pace = { look: 1000, judge: 2000, cold: 6000, limit: 120_000 };
  private readonly loops: LoopWatch;
  private readonly next: NextRouters;
  /** At the last look, and what went round. */
  private forwarding = '';
  private round: readonly string[] = [];
  private levels: Levels = new Map();

  constructor(
    readonly scenario: Scenario,
    trace?: (line: string) => void,
  ) {
    this.bed = new Testbed(scenario, trace);
    this.next = nextRouters(this.bed);
    this.tools = new SimulatedTools(this.bed);
    this.loops = new LoopWatch(LONGEST_LOOP, (violation) => this.found(violation));
  }

  get intent(): Testbed {
    return this.bed;
  }

  get violations(): readonly Violation[] {
    return this.bed.violations;
  }

  get now(): number {
    return this.bed.now;
  }

  async start(): Promise<void> {
    const { fabric, plan, random } = this.bed;
    const { raise } = this.scenario.fabric;
    await fabric.start();
    if (raise === 0) return fabric.raiseLinks();
    for (const { a, b } of plan.links)
      for (const end of [a, b]) {
        const link = fabric.node(end.node).links.byName(end.interface)!;
        fabric.clock.schedule(random.next() * raise, () => link.setAdmin(true));
      }
  }

  schedule(time: number, work: () => void): void {
    this.bed.fabric.clock.schedule(time, work);
  }

  pass(milliseconds: number): Promise<void> {
    return this.bed.pass(milliseconds);
  }

  afterwards(router: string, work: () => Promise<void> | void): void {
    this.bed.turns.take(router, work);
  }

  /** Packets are walked again only where they may go another way: most looks are at a fabric that waits. */
  look(): void {
    const forwarding = stateOfForwarding(this.bed);
    if (forwarding !== this.forwarding) this.round = loopsOf(this.bed.plan, this.next);
    this.forwarding = forwarding;
    this.loops.take(this.now, this.round);
  }

  /** By the cheapest first; not all are asked where one is violated and the fabric may only need more time. */
  async judge(expected: Expectation, all: boolean): Promise<readonly Violation[]> {
    const { bed } = this;
    const known = new KnownPaths(bed);
    const inOrder = [
      () => sessions(bed, expected),
      () => selection(bed, expected, known),
      () => told(bed, known),
      () => agreement(bed),
      () => forwarding(bed, expected),
      () => blackholes(bed, expected, this.next),
    ];
    const wrong: Violation[] = [];
    for (const invariant of inOrder) {
      wrong.push(...(await invariant()));
      if (wrong.length > 0 && !all) break;
    }
    return wrong;
  }

  firstTries(): readonly Violation[] {
    return firstTries(this.bed);
  }

  measure(): void {
    this.levels = levelsOf(this.bed);
  }

  async quietly(expected: Expectation): Promise<readonly Violation[]> {
    const { bed } = this;
    const watch = new QuietWatch(bed);
    bed.listener = watch;
    await bed.pass(QUIET);
    bed.listener = undefined;
    return [
      ...(await this.judge(expected, true)),
      ...(this.scenario.fabric.balancing ? [] : watch.violations()),
      ...memory(bed, this.levels),
    ];
  }

  found(violation: Violation): void {
    this.bed.found(violation);
  }

  say(line: string): void {
    this.bed.say(line);
  }

  stop(): Promise<void> {
    return this.bed.fabric.stop();
  }
}
