/**
 * One fabric on virtual time: from cold to quiet, and through each kind of failure and back. A step is over when no UPDATE was sent and
 * no forwarding table written for a while; its convergence time is that of the last of them.
 */
import type { SpeakerConfig } from '../core/speaker/config.js';
import { VirtualFabric } from '../simulator/virtual-fabric.js';
import { type ClosSize, closShape, leafName, spineName } from './clos-shape.js';
import { type Checked, checkLeaves } from './forwarding-check.js';
import { Meter } from './meter.js';
import { linksOf, routersOf } from './size.js';

export const FAILURES = ['link', 'silence', 'bfd', 'spine', 'leaf', 'shutdown', 'restart'] as const;
export type Failure = (typeof FAILURES)[number];

export interface StepResult {
  readonly step: string;
  /** Virtual milliseconds to the last UPDATE or operation. */
  readonly convergence: number;
  readonly updates: number;
  readonly octets: number;
  /** On forwarding tables, of all nodes. */
  readonly operations: number;
  /** Seconds, until the step was seen to be over. */
  readonly cpu: number;
}

export interface TrialResult {
  readonly size: ClosSize;
  readonly routers: number;
  readonly links: number;
  /** In the tables of all routers, when quiet. */
  readonly paths: number;
  /** Octets of heap and typed arrays, when quiet, over what there was before. */
  readonly memory: number;
  /** Of leaves that were looked at, when quiet from cold and at the end. */
  readonly checked: Checked;
  readonly steps: readonly StepResult[];
}

export interface TrialOptions {
  readonly seed: number;
  /** Milliseconds: of a cable one way, and of a node until it works its tables. */
  readonly delay: number;
  readonly tableDelay: number;
  readonly failures: readonly Failure[];
  /** Leaves whose forwarding is checked. */
  readonly checks: number;
  /** Seconds of CPU so far, and octets in use. */
  readonly cpu: () => number;
  readonly octetsInUse: () => number;
  readonly say: (text: string) => void;
}

/** Virtual milliseconds. */
const STEP = 50;
const QUIET = 1500;
const LIMIT = 300_000;
const HOLD_TIME = 9000;
const AWAY = 1000;

const HELPER = { longest: 60, longLived: 0 };
const RESTARTER = { restartTime: 120, longLived: 0, selectionDeferral: 30 };
const BFD = { interval: 100, multiplier: 3, strict: false };

export class ScaleTrial {
  private readonly fabric: VirtualFabric;
  private readonly meter: Meter;
  private readonly configs: ReadonlyMap<string, SpeakerConfig>;
  private readonly steps: StepResult[] = [];
  /** Who meets what: the first leaf and spine what happens to one link or spine, the last spine the graceful restart. */
  private readonly leaf = leafName(1, 1);
  private readonly otherLeaf = leafName(1, 2);
  private readonly spine = spineName(1, 1);
  private readonly lastSpine: string;

  constructor(
    private readonly size: ClosSize,
    private readonly options: TrialOptions,
  ) {
    const { seed, delay, tableDelay } = options;
    this.lastSpine = spineName(1, size.spines);
    const shape = closShape(size, (config) => this.withFeatures(config));
    this.configs = new Map(shape.routers.map(({ name, config }) => [name, config]));
    const log = () => ({ write: () => {} });
    this.fabric = new VirtualFabric(shape, { seed, delay, tableDelay, log, systemMac: true, sharedAttributes: true });
    this.meter = new Meter(() => this.fabric.clock.now());
    for (const name of this.configs.keys()) this.meter.watch(this.fabric.node(name));
  }

  async run(): Promise<TrialResult> {
    const { options, size } = this;
    const before = options.octetsInUse();
    await this.step('cold start', { isWhole: true }, async () => {
      await this.fabric.start();
      this.fabric.raiseLinks();
    });
    const memory = options.octetsInUse() - before;
    const first = await this.check();
    for (const failure of options.failures) await this.meet(failure);
    const last = options.failures.length > 0 ? await this.check() : first;
    const wrong = [...new Set([...first.wrong, ...last.wrong])];
    return {
      size,
      routers: routersOf(size),
      links: linksOf(size),
      paths: this.paths(),
      memory,
      checked: { prefixes: last.prefixes, wrong },
      steps: this.steps,
    };
  }

  private async meet(failure: Failure): Promise<void> {
    const { fabric, leaf, spine } = this;
    switch (failure) {
      case 'link':
        await this.step('link down', {}, () => fabric.fail(leaf, spine));
        return this.step('link up', { isWhole: true }, () => fabric.heal(leaf, spine));
      case 'silence':
        await this.step('link silent', { atLeast: HOLD_TIME + QUIET }, () => this.silence(spine, true));
        return this.step('link heard again', { isWhole: true }, () => this.silence(spine, false));
      case 'bfd':
        await this.step('link silent, BFD', {}, () => this.silence(spineName(1, 2), true));
        return this.step('link heard again, BFD', { isWhole: true }, () => this.silence(spineName(1, 2), false));
      case 'spine':
        await this.step('spine without power', {}, () => this.cut(spine));
        return this.step('spine back', { isWhole: true }, () => this.powerUp(spine));
      case 'leaf':
        await this.step('leaf without power', {}, () => this.cut(this.otherLeaf));
        return this.step('leaf back', { isWhole: true }, () => this.powerUp(this.otherLeaf));
      case 'shutdown':
        await this.step('spine shut down', {}, () => this.stop(spine));
        return this.step('spine started', { isWhole: true }, () => this.start(spine));
      case 'restart':
        return this.step('spine restarted gracefully', { isWhole: true }, async () => {
          fabric.node(this.lastSpine).kill();
          await fabric.clock.runUntil(fabric.clock.now() + AWAY);
          await this.start(this.lastSpine);
        });
    }
  }

  /** The last spine of the first pod and its leaves agree on graceful restart; one link of the first leaf has BFD. */
  private withFeatures(config: SpeakerConfig): SpeakerConfig {
    const { name } = config;
    const fabric = config.fabric.map((link) => {
      const restarts = name === this.lastSpine || link.name === this.lastSpine;
      const ends = [name, link.name];
      const isWatched = ends.includes(this.leaf) && ends.includes(spineName(1, 2));
      return { ...link, ...(restarts && { restartHelper: HELPER }), ...(isWatched && { bfd: BFD }) };
    });
    return { ...config, fabric, ...(name === this.lastSpine && { restarter: RESTARTER }) };
  }

  private silence(spine: string, silent: boolean): void {
    this.fabric.silence(this.leaf, spine, silent);
    this.fabric.silence(spine, this.leaf, silent);
  }

  private cut(name: string): void {
    const node = this.fabric.node(name);
    node.kill();
    for (const link of node.links.all()) link.setAdmin(false);
  }

  private async powerUp(name: string): Promise<void> {
    await this.start(name);
    for (const link of this.fabric.node(name).links.all()) link.setAdmin(true);
  }

  private async start(name: string): Promise<void> {
    await this.fabric.node(name).start(this.configs.get(name)!);
  }

  private async stop(name: string): Promise<void> {
    let stopped = false;
    const stopping = this.fabric.node(name).speaker!.stop();
    void stopping.then(() => {
      stopped = true;
    });
    await this.fabric.clock.runUntilDone(() => stopped, this.fabric.clock.now() + 2 * AWAY);
    await stopping;
  }

  /** `isWhole`: it is not over before all sessions are up. */
  private async step(
    step: string,
    { isWhole = false, atLeast = QUIET }: { isWhole?: boolean; atLeast?: number },
    act: () => void | Promise<void>,
  ): Promise<void> {
    const { meter, options } = this;
    const { clock } = this.fabric;
    const started = clock.now();
    const before = { updates: meter.updates, octets: meter.octets, operations: meter.operations, cpu: options.cpu() };
    meter.lastChange = started;
    await act();
    while (!this.isOver(started + atLeast, isWhole)) {
      if (clock.now() - started > LIMIT) throw new Error(`${step}: not over after ${LIMIT / 1000} s of virtual time`);
      await clock.runUntil(clock.now() + STEP);
      options.say(
        `${step}: ${((clock.now() - started) / 1000).toFixed(2)} s of virtual time, ${meter.updates - before.updates} UPDATEs`,
      );
    }
    this.steps.push({
      step,
      convergence: meter.lastChange - started,
      updates: meter.updates - before.updates,
      octets: meter.octets - before.octets,
      operations: meter.operations - before.operations,
      cpu: options.cpu() - before.cpu,
    });
  }

  private isOver(earliest: number, isWhole: boolean): boolean {
    const now = this.fabric.clock.now();
    if (now < earliest || now - this.meter.lastChange < QUIET) return false;
    return !isWhole || this.sessionEnds() === 2 * linksOf(this.size);
  }

  private sessionEnds(): number {
    let count = 0;
    for (const name of this.configs.keys()) count += this.fabric.node(name).speaker?.sessionCount().up ?? 0;
    return count;
  }

  private paths(): number {
    let count = 0;
    for (const name of this.configs.keys()) count += this.fabric.node(name).speaker?.engine.rib.totals().paths ?? 0;
    return count;
  }

  private check(): Promise<Checked> {
    return checkLeaves((name) => this.fabric.node(name), this.size, this.options.checks);
  }
}
