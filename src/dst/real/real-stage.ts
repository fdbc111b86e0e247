/**
 * A scenario's fabric of daemons in network namespaces: the same files, faults and model as on virtual time, over the real kernel and in real
 * time, so that no two runs are the same. What it is asked is what an operator may ask: `show`, `ip`, and packets from host to host.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from '../../app/lab/command.js';
import { kernelRoutes } from '../../app/lab/kernel-routes.js';
import { type Lab, type LabOptions, namespaceOf } from '../../app/lab/lab.js';
import { setLink } from '../../app/lab/namespaces.js';
import { NamespaceFabric } from '../../app/trial/namespace-fabric.js';
import { observeLab } from '../../app/verify/observe.js';
import { probeDifferences } from '../../app/verify/probe-differences.js';
import { probePaths } from '../../app/verify/probe-paths.js';
import { SeededRandom } from '../../simulator/seeded-random.js';
import type { Expectation } from '../expectation.js';
import { fabricPlan } from '../fabric-plan.js';
import { Intent } from '../intent.js';
import { blackholes } from '../invariants/blackholes.js';
import { LoopWatch, loopsOf } from '../invariants/loops.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { leftOut } from '../tools.js';
import { Turns } from '../turns.js';
import type { Violation } from '../violation.js';
import {
  agreement,
  forwarding,
  nextRouters,
  selection,
  sessions,
  told,
  violationsOf,
  withoutDown,
} from './lab-invariants.js';
import { NamespaceTools } from './namespace-tools.js';
import { type Asked, changes, deedsOf, type Numbers, type NumbersOf, sizesOf } from './sizes.js';

/** Milliseconds for which it must be quiet at the end: more than lies between two KEEPALIVEs. */
const QUIET = 4000;
/** Milliseconds that a loop may last, looks at a busy machine included. */
const LONGEST_LOOP = 30_000;

export interface RealStageOptions extends LabOptions {
  readonly trace?: (line: string) => void;
}

export class RealStage implements Stage {
  readonly intent: Intent;
  readonly tools: NamespaceTools;
  readonly pace = { look: 1000, judge: 500, cold: 300_000, limit: 300_000 };
  readonly violations: Violation[] = [];
  private readonly fabric: NamespaceFabric;
  private readonly loops = new LoopWatch(LONGEST_LOOP, (violation) => this.found(violation));
  private readonly turns = new Turns((place, error) => this.failed(place, error));
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly started = performance.now();
  private sizes: NumbersOf = new Map();

  constructor(
    readonly scenario: Scenario,
    private readonly options: RealStageOptions = {},
  ) {
    if (scenario.fabric.pods !== undefined)
      throw new LabError('fabrics of five stages are played on virtual time alone');
    const { topology } = fabricPlan(scenario.fabric);
    this.fabric = new NamespaceFabric(topology, options);
    this.intent = new Intent(this.fabric.plan);
    this.tools = new NamespaceTools({ lab: this.lab, intent: this.intent, turns: this.turns });
  }

  get lab(): Lab {
    return this.fabric.lab;
  }

  get now(): number {
    return performance.now() - this.started;
  }

  /** Before it is played on: namespaces, links and daemons. Throws LabError, with nothing left behind, when that cannot be had here. */
  async build(): Promise<void> {
    const left = leftOut(this.tools, this.scenario);
    if (left !== '') this.say(`left out, for they cannot be done to daemons and kernels of their own: ${left}`);
    await this.fabric.build((step) => this.say(step));
  }

  async start(): Promise<void> {
    const { raise } = this.scenario.fabric;
    if (raise === 0) return this.fabric.raise();
    const random = new SeededRandom(this.scenario.seed);
    for (const { a, b } of this.intent.plan.links)
      for (const end of [a, b])
        this.schedule(this.now + random.next() * raise, () =>
          this.turns.take('links', () => setLink(end, 'up', (node) => namespaceOf(this.lab, node))),
        );
  }

  schedule(time: number, work: () => void): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        work();
      },
      Math.max(0, time - this.now),
    );
    this.timers.add(timer);
  }

  pass(milliseconds: number): Promise<void> {
    return sleep(milliseconds);
  }

  afterwards(router: string, work: () => Promise<void> | void): void {
    this.turns.take(router, work);
  }

  async look(): Promise<void> {
    const kernels = await this.ofEach(({ name }) => kernelRoutes(this.lab, name));
    this.loops.take(this.now, loopsOf(this.intent.plan, nextRouters(this.intent, kernels)));
  }

  async judge(expected: Expectation, all: boolean): Promise<readonly Violation[]> {
    const { intent } = this;
    const state = await observeLab(this.lab);
    const seen = withoutDown(state, intent);
    const wrong = [...sessions(intent, expected, seen)];
    if (wrong.length > 0 && !all) return wrong;
    const kernels = new Map([...state.routers].map(([name, { kernel }]) => [name, kernel]));
    wrong.push(
      ...selection(expected, seen),
      ...forwarding(expected, seen),
      ...blackholes(intent, expected, nextRouters(intent, kernels)),
    );
    return wrong.length > 0 && !all ? wrong : [...wrong, ...(await this.asked())];
  }

  /** What daemons say of themselves. */
  private async asked(): Promise<Violation[]> {
    const names = this.intent.running.map(({ name }) => name);
    try {
      const neighbors = await Promise.all(
        names.map(async (name) => [name, await this.fabric.control(name).neighbors()] as const),
      );
      const agreed = await Promise.all(
        names.map(async (name) => agreement(name, await this.fabric.control(name).fibDifferences())),
      );
      return [...told(this.intent, new Map(neighbors)), ...agreed.flat()];
    } catch (error) {
      return [{ invariant: 'sessions', place: 'fabric', detail: describe(error) }];
    }
  }

  async firstTries(): Promise<readonly Violation[]> {
    const { first, total } = await this.fabric.sessionTries();
    if (first === total) return [];
    return [{ invariant: 'sessions', place: 'fabric', detail: `${total - first} of ${total} not up at the first try` }];
  }

  async measure(): Promise<void> {
    this.sizes = await this.numbers(sizesOf);
  }

  async quietly(expected: Expectation): Promise<readonly Violation[]> {
    await this.turns.done();
    const before = await this.numbers(deedsOf);
    await this.pass(QUIET);
    const noise = changes('quiet', before, await this.numbers(deedsOf));
    const grown = changes('memory', this.sizes, await this.numbers(sizesOf));
    const wrong = [...(await this.judge(expected, true)), ...noise, ...grown];
    return wrong.length > 0 ? wrong : this.packets(expected);
  }

  /** From host to host, counted at every hop. */
  private async packets({ prediction }: Expectation): Promise<Violation[]> {
    const { readings, skipped } = await probePaths(this.lab, prediction);
    const lost = violationsOf('no-blackhole', probeDifferences(readings, new Set()));
    const without = skipped.map(
      (place): Violation => ({ invariant: 'no-blackhole', place, detail: 'its host has no address there' }),
    );
    return [...lost, ...without];
  }

  found(violation: Violation): void {
    this.violations.push(violation);
    this.say(`VIOLATION ${violation.invariant} at ${violation.place}: ${violation.detail}`);
  }

  say(line: string): void {
    this.options.trace?.(`${(this.now / 1000).toFixed(3)} ${line}`);
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    await this.turns.done();
    for (const stranger of await this.fabric.down())
      this.found({ invariant: 'memory', place: 'fabric', detail: `left behind: ${stranger}` });
  }

  private async numbers(of: (asked: Asked) => Numbers): Promise<NumbersOf> {
    return this.ofEach(async ({ name }) => {
      const control = this.fabric.control(name);
      const [summary, neighbors, kernel] = await Promise.all([
        control.summary(),
        control.neighbors(),
        kernelRoutes(this.lab, name),
      ]);
      return of({ summary, neighbors, kernel });
    });
  }

  private async ofEach<Value>(
    ask: (router: { readonly name: string }) => Promise<Value>,
  ): Promise<ReadonlyMap<string, Value>> {
    return new Map(await Promise.all(this.intent.routers.map(async (one) => [one.name, await ask(one)] as const)));
  }

  private failed(place: string, error: unknown): void {
    this.found({ invariant: 'no-exception', place, detail: describe(error) });
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
